import Core
import HardwareIO
import Synchronization

/// A serial line in memory with a simulated part at its far end.
///
/// No task of its own: each read moves the part forward in time. Opened, unplugged, plugged and
/// reopened like a real one; unread bytes are kept up to 4 KiB, then dropped and counted, as a tty
/// does.
package final class SimulatedSerialPort<Peer: SerialPeer>: SerialPort {
    /// One write of the host or one arrival of bytes.
    package struct TraceEntry: Hashable, Sendable {
        package let instant: MonotonicInstant
        /// true for what the host sent.
        let isFromHost: Bool
        package let bytes: [UInt8]
    }

    private struct State {
        var peer: Peer
        var input: [UInt8] = []
        var arriving: [(instant: MonotonicInstant, bytes: [UInt8])] = []
        var lineIsFreeAt = MonotonicInstant.boot
        var isOpen = true
        var unplugAt: MonotonicInstant?
        var bytesUntilUnplug: Int?
        var isUnplugged = false
        var takesNothing = false
        var waitingByteCount = 0
        var droppedByteCount = 0
        var trace: [TraceEntry] = []
    }

    private static var inputMax: Int { 4_096 }
    private static var traceMax: Int { 4_096 }

    package let path: String
    private let clock: any NodeClock
    private let baud: Int?
    private let state: Mutex<State>
    private let change = Signal()

    /// An open line.
    ///
    /// - Parameters:
    ///   - peer: The part at the far end.
    ///   - clock: The clock of the simulation.
    ///   - baud: Delays each byte by ten bit times; nil delivers at once.
    package init(
        _ peer: Peer,
        clock: any NodeClock,
        path: String = "/dev/ttyUSB0",
        baud: Int? = nil
    ) {
        self.path = path
        self.clock = clock
        self.baud = baud
        state = Mutex(State(peer: peer))
    }

    // MARK: Serial port

    package func read(
        atLeast count: Int,
        until deadline: MonotonicInstant
    ) async throws -> [UInt8]? {
        while true {
            let now = clock.now
            let (bytes, next) = try state.withLock { state in
                try receive(&state, by: now)
                let isDue = deadline <= now || state.isUnplugged
                if isDue || state.input.count >= max(1, count) {
                    defer { state.input.removeAll(keepingCapacity: true) }
                    return (state.input, MonotonicInstant?.none)
                }
                let activities = [
                    deadline, state.peer.nextActivity, state.arriving.first?.instant,
                    state.unplugAt,
                ]
                return ([], activities.compactMap(\.self).min())
            }
            if !bytes.isEmpty { return bytes }
            guard let next else { return nil }
            _ = try await clock.wait(for: change, until: next, tolerance: .zero)
        }
    }

    package func write(_ bytes: [UInt8]) throws(SerialError) {
        let now = clock.now
        let result = state.withLock { state -> Result<Void, SerialError> in
            do throws(SerialError) {
                try receive(&state, by: now)
            } catch {
                return .failure(error)
            }
            guard !state.isUnplugged else { return .failure(.disconnected(path: path)) }
            guard !state.takesNothing else {
                state.waitingByteCount += bytes.count
                return state.waitingByteCount > 4_096
                    ? .failure(.backlog(path: path)) : .success(())
            }
            record(bytes, isFromHost: true, at: now, &state)
            let answer = state.peer.receive(bytes, at: now)
            deliver(answer, at: now, &state)
            return .success(())
        }
        change.raise()
        try result.get()
    }

    package func discardInput() throws(SerialError) {
        let now = clock.now
        let result = state.withLock { state -> Result<Void, SerialError> in
            do throws(SerialError) {
                try receive(&state, by: now)
            } catch {
                return .failure(error)
            }
            state.input.removeAll(keepingCapacity: true)
            return .success(())
        }
        try result.get()
    }

    package func close() {
        state.withLock { $0.isOpen = false }
        change.raise()
    }

    // MARK: What can be done to it

    /// Looks at the part, or does something to it, at this moment.
    func withPeer<Value: Sendable>(
        _ body: (inout Peer, MonotonicInstant) -> Value
    ) -> Value {
        let now = clock.now
        defer { change.raise() }
        return state.withLock { state in
            let bytes = state.peer.advance(to: now)
            deliver(bytes, at: now, &state)
            return body(&state.peer, now)
        }
    }

    /// Pulls the plug now, or at an instant to come.
    package func unplug(at instant: MonotonicInstant? = nil) {
        state.withLock { $0.unplugAt = instant ?? clock.now }
        change.raise()
    }

    /// Pulls the plug after so many more bytes from the part, in mid-frame if need be.
    package func unplug(afterBytes count: Int) {
        state.withLock { $0.bytesUntilUnplug = count }
        change.raise()
    }

    /// Opens the line anew, plugged in, with nothing read yet.
    @discardableResult
    package func reopen() -> SimulatedSerialPort {
        state.withLock { state in
            state.isOpen = true
            state.isUnplugged = false
            state.unplugAt = nil
            state.bytesUntilUnplug = nil
            state.input.removeAll()
            state.arriving.removeAll()
        }
        return self
    }

    /// Makes the line accept nothing more, until 4 KiB wait.
    func stopTaking() { state.withLock { $0.takesNothing = true } }

    package var isOpen: Bool { state.withLock { $0.isOpen } }
    /// Bytes lost because they were not read.
    var droppedByteCount: Int { state.withLock { $0.droppedByteCount } }
    /// Everything that went over the line, the newest 4 096 entries.
    package var trace: [TraceEntry] { state.withLock { $0.trace } }

    // MARK: Inside

    /// Brings the line to `now`, or throws when it is gone and nothing is left to read.
    private func receive(
        _ state: inout State,
        by now: MonotonicInstant
    ) throws(SerialError) {
        guard state.isOpen else { throw SerialError.disconnected(path: path) }
        guard !state.isUnplugged else {
            if state.input.isEmpty { throw SerialError.disconnected(path: path) }
            return
        }
        let until = state.unplugAt.map { min($0, now) } ?? now
        let bytes = state.peer.advance(to: until)
        deliver(bytes, at: until, &state)
        while let first = state.arriving.first, first.instant <= until {
            state.arriving.removeFirst()
            receive(first.bytes, at: first.instant, &state)
        }
        if let unplugAt = state.unplugAt, unplugAt <= now { state.isUnplugged = true }
        if state.isUnplugged, state.input.isEmpty {
            throw SerialError.disconnected(path: path)
        }
    }

    private func deliver(_ bytes: [UInt8], at now: MonotonicInstant, _ state: inout State) {
        guard !bytes.isEmpty, !state.isUnplugged else { return }
        guard let baud else { return receive(bytes, at: now, &state) }
        let time = Duration.nanoseconds(Int64(bytes.count) * 10_000_000_000 / Int64(baud))
        state.lineIsFreeAt = max(state.lineIsFreeAt, now).advanced(by: time)
        state.arriving.append((state.lineIsFreeAt, bytes))
    }

    private func receive(_ all: [UInt8], at instant: MonotonicInstant, _ state: inout State) {
        guard !state.isUnplugged else { return }
        var bytes = all
        if let left = state.bytesUntilUnplug {
            bytes = Array(bytes.prefix(left))
            state.bytesUntilUnplug = left - bytes.count
            if left <= all.count { state.isUnplugged = true }
        }
        record(bytes, isFromHost: false, at: instant, &state)
        let room = max(0, Self.inputMax - state.input.count)
        state.droppedByteCount += max(0, bytes.count - room)
        state.input += bytes.prefix(room)
    }

    private func record(
        _ bytes: [UInt8],
        isFromHost: Bool,
        at instant: MonotonicInstant,
        _ state: inout State
    ) {
        if state.trace.count >= Self.traceMax { state.trace.removeFirst(Self.traceMax / 2) }
        state.trace.append(TraceEntry(instant: instant, isFromHost: isFromHost, bytes: bytes))
    }
}
