import RoostCourier
import Synchronization

/// The courier's folder in memory; writing to it can be made to fail.
final class MemoryFiles: CourierFiles {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var writeCount = 0
        var isFull = false
        /// Names of files that cannot be written.
        var broken: Set<String> = []
    }

    private let state = Mutex(State())

    init(_ files: [String: [UInt8]] = [:]) { state.withLock { $0.files = files } }

    subscript(name: String) -> [UInt8]? { state.withLock { $0.files[name] } }

    var writeCount: Int { state.withLock { $0.writeCount } }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func setBroken(_ names: Set<String>) { state.withLock { $0.broken = names } }

    func read(_ name: String, limit: Int) async throws -> [UInt8]? {
        guard let bytes = self[name] else { return nil }
        guard bytes.count <= limit else { throw CourierFilesError("\(name) is too large") }
        return bytes
    }

    func replace(_ name: String, _ bytes: [UInt8]) async throws {
        try state.withLock { state in
            guard !state.isFull, !state.broken.contains(name) else {
                throw CourierFilesError("\(name): no space left")
            }
            state.files[name] = bytes
            state.writeCount += 1
        }
    }
}
