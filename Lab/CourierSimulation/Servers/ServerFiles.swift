import RoostCourier
import Synchronization

/// The files of a simulated server: each name is written once.
final class ServerFiles: Sendable {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var order: [String] = []
        var writes: [String: Int] = [:]
        var attempts: [String: Int] = [:]
    }

    /// Number of times that each name is refused before it is accepted.
    private let refusals: Int
    private let state = Mutex(State())

    init(refusals: Int = 0) { self.refusals = refusals }

    var files: [String: [UInt8]] { state.withLock { $0.files } }
    /// Names in the order in which they were written.
    var order: [String] { state.withLock { $0.order } }
    /// Number of times that each name was written.
    var writes: [String: Int] { state.withLock { $0.writes } }

    /// Adds a file of another writer.
    func place(_ name: String, _ bytes: [UInt8]) {
        state.withLock { $0.files[name] = bytes }
    }

    /// Removes a file, as a person does who tidies up.
    func remove(_ name: String) { state.withLock { $0.files[name] = nil } }

    /// Whether this attempt at a name must be refused.
    func isRefused(_ name: String) -> Bool {
        state.withLock { state in
            state.attempts[name, default: 0] += 1
            return state.attempts[name, default: 0] <= refusals
        }
    }

    /// Writes a file if its name is free.
    ///
    /// - Returns: Whether it was.
    func write(_ name: String, _ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.files[name] == nil else { return false }
            state.files[name] = bytes
            state.order.append(name)
            state.writes[name, default: 0] += 1
            return true
        }
    }
}
