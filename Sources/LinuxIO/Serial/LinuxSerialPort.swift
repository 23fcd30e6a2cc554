import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization

/// A tty through termios2: exclusive, raw, modem lines unchanged; or a connection to a gpsd.
///
/// `VMIN` follows the count a read waits for, so that a frame that arrives in pieces is one return
/// of `epoll_wait`, not ten. It changes when the count does, at the price of two system calls.
package final class LinuxSerialPort: SerialPort {
    /// Bytes waiting to be sent; beyond it `write` throws `.backlog`.
    package static let backlogMax = 4_096
    /// Room for one read of the kernel; what is left is read next.
    private static let chunk = 512
    /// Most bytes of a connection in a second: ten times those of a receiver at 10 Hz.
    ///
    /// One that never pauses would keep the loop.
    private static let flood = 64 << 10

    private struct State {
        var descriptor: OwnedDescriptor?
        /// Arrived and not handed out: at most one chunk and what was awaited.
        var arrived: [UInt8] = []
        var outgoing: [UInt8] = []
        var minimum = 1
        /// Receiver of the bytes, and the bytes it waits for; nil outside of `read(into:_:)`.
        var reader: (receiver: any SerialReceiver, wait: SerialWait)?
        /// Bytes that a connection sent since an instant, counted for a second.
        var flow = (since: MonotonicInstant.boot, byteCount: 0)
        /// Whether the kernel may hold more than was read.
        var mayHaveMore = true
        var isGone = false
        /// Why nothing can be sent; thrown by the next read or write.
        var failure: SerialError?
    }

    /// Hands bytes to the kernel; a test puts something else in its place.
    typealias Transmit = @Sendable (_ descriptor: Int32, _ bytes: [UInt8]) -> Int

    package let path: String
    private let clock: LoopClock
    private let watched: Watched
    private let state: Mutex<State>
    private let transmit: Transmit
    /// False for a connection, which has neither `VMIN` nor a lock.
    private let isTerminal: Bool

    /// Opens the line on the disk thread, for opening may wait for the device.
    ///
    /// - Parameters:
    ///   - loop: Where it will be read.
    /// - Returns: The open port.
    /// - Throws: `SerialError`; `CancellationError`.
    package static func open(
        path: String,
        settings: SerialSettings,
        on loop: EventLoop,
        disk: DiskThread
    ) async throws -> LinuxSerialPort {
        let descriptor = try await disk.run { try SerialOpening.open(path, settings) }
        return try LinuxSerialPort(descriptor, path: path, on: loop)
    }

    /// Connects to a gpsd, and asks it for sentences.
    ///
    /// - Parameters:
    ///   - path: As the configuration names it, for messages.
    ///   - loop: Where it will be read.
    /// - Returns: The connection; its end is a device that goes away.
    /// - Throws: `SerialError`; `CancellationError`.
    package static func open(
        _ address: GPSDAddress,
        path: String,
        on loop: EventLoop
    ) async throws -> LinuxSerialPort {
        let descriptor = try await GPSDOpening.open(address, path: path, on: loop)
        let port = try LinuxSerialPort(descriptor, path: path, isTerminal: false, on: loop) {
            Glibc.send($0, $1, $1.count, Int32(MSG_NOSIGNAL))
        }
        try port.write(GPSDAddress.request)
        return port
    }

    init(
        _ descriptor: OwnedDescriptor,
        path: String,
        isTerminal: Bool = true,
        on loop: EventLoop,
        transmit: @escaping Transmit = { Glibc.write($0, $1, $1.count) }
    ) throws {
        do {
            watched = try loop.register(descriptor.raw)
        } catch {
            throw Self.opening(error, path)
        }
        (self.path, self.transmit) = (path, transmit)
        self.isTerminal = isTerminal
        clock = loop.clock
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { close() }

    private static func opening(_ error: LinuxError, _ path: String) -> any Error {
        guard case .system(let call, let code, _) = error else { return error }
        return SerialError.system(call: call, errno: code, path: path)
    }

    package func read(
        atLeast count: Int,
        until deadline: MonotonicInstant
    ) async throws -> [UInt8]? {
        precondition((1...255).contains(count), "a read waits for 1…255 bytes")
        watched.eachReadable(nil)
        try attend()
        while true {
            try Task.checkCancellation()
            if let bytes = try receive(atLeast: count) { return bytes }
            if try expect(count) { continue }
            do {
                if try await watched.readable(until: deadline) {
                    state.withLock { $0.mayHaveMore = true }
                    continue
                }
            } catch LinuxError.closed {
                throw SerialError.disconnected(path: path)
            }
            // Time is up: below VMIN there may be bytes that poll did not report.
            state.withLock { $0.mayHaveMore = true }
            return try receive(atLeast: 1)
        }
    }

    package func read(
        into receiver: any SerialReceiver,
        _ first: SerialWait
    ) async throws -> Bool {
        state.withLock { $0.reader = (receiver, first) }
        watched.eachReadable { [self] in handOutInDispatch() }
        defer {
            state.withLock { $0.reader = nil }
            ignore()
        }
        try attend()
        while true {
            try Task.checkCancellation()
            guard let wait = try handOut() else { return true }
            do {
                if try await watched.readable(until: wait.deadline) {
                    state.withLock { $0.mayHaveMore = true }
                    continue
                }
            } catch LinuxError.closed {
                throw SerialError.disconnected(path: path)
            }
            // The wait may have moved; else time is up, and below VMIN there may be bytes that poll
            // did not report.
            guard let wait = reader?.wait, wait.deadline <= clock.now else { continue }
            state.withLock { $0.mayHaveMore = true }
            guard let bytes = try receive(atLeast: 1) else { return false }
            handOut(bytes)
        }
    }

    package func write(_ bytes: [UInt8]) throws(SerialError) {
        try state.withLock { (state) throws(SerialError) in
            if let failure = state.failure { throw failure }
            guard !state.isGone, state.descriptor != nil else {
                throw .disconnected(path: path)
            }
            let isWaiting = !state.outgoing.isEmpty
            guard state.outgoing.count + bytes.count <= Self.backlogMax else {
                throw .backlog(path: path)
            }
            state.outgoing += bytes
            guard !isWaiting else { return }
            try send(&state)
        }
        try sendLater()
    }

    package func discardInput() throws(SerialError) {
        try state.withLock { (state) throws(SerialError) in
            guard !state.isGone, let descriptor = state.descriptor else {
                throw .disconnected(path: path)
            }
            state.arrived.removeAll(keepingCapacity: true)
            state.mayHaveMore = true
            guard isTerminal else { return try drain(&state) }
            guard tcflush(descriptor.raw, TCIFLUSH) == 0 else { throw failure("tcflush", &state) }
        }
    }

    /// Bound: what a connection may send in a second.
    private func drain(_ state: inout State) throws(SerialError) {
        repeat {
            try receive(&state)
            state.arrived.removeAll(keepingCapacity: true)
        } while state.mayHaveMore && !state.isGone
    }

    /// Discards input until the next read: a full socket would keep the oldest lines of gpsd.
    private func ignore() {
        guard !isTerminal else { return watched.leaveUnread() }
        watched.eachReadable { [weak self] () -> MonotonicInstant? in self?.dropInDispatch() }
    }

    /// Hears again of what arrives, and of what came while nothing read.
    private func attend() throws(SerialError) {
        do throws(LinuxError) {
            if try watched.attend() { state.withLock { $0.mayHaveMore = true } }
        } catch {
            throw .disconnected(path: path)
        }
    }

    private func dropInDispatch() -> MonotonicInstant? {
        // An error is kept for the next read.
        state.withLock { state in
            state.mayHaveMore = true
            try? drain(&state)
        }
        return nil
    }

    package func close() {
        watched.close()
        let descriptor = state.withLock { state in
            state.arrived.removeAll()
            state.outgoing.removeAll()
            return state.descriptor.take()
        }
        // Where something else keeps the tty alive, exclusiveness would outlive us.
        if isTerminal, let descriptor { _ = clinux_ioctl(descriptor.raw, clinux_TIOCNXCL, nil) }
    }

    private var reader: (receiver: any SerialReceiver, wait: SerialWait)? {
        state.withLock { $0.reader }
    }

    /// Hands out what has arrived, in the dispatch of the loop.
    ///
    /// - Returns: Until when the reader's task waits; nil resumes it, also to throw what is wrong.
    private func handOutInDispatch() -> MonotonicInstant? {
        state.withLock { $0.mayHaveMore = true }
        return (try? handOut())?.deadline
    }

    /// Hands the receiver all that it waits for.
    ///
    /// - Returns: The reader's next wait; nil when it waits no longer.
    private func handOut() throws(SerialError) -> SerialWait? {
        while let wait = reader?.wait {
            if let bytes = try receive(atLeast: wait.count) {
                handOut(bytes)
            } else if try !expect(wait.count) {
                return wait
            }
        }
        return nil
    }

    /// Outside the lock: the receiver may write and discard.
    private func handOut(_ arrived: consuming [UInt8]) {
        let next = reader?.receiver.receive(arrived.span)
        state.withLock { state in
            if let next { state.reader?.wait = next } else { state.reader = nil }
            guard state.arrived.isEmpty else { return }
            // Keeps the capacity for the next read.
            arrived.removeAll(keepingCapacity: true)
            state.arrived = arrived
        }
    }

    /// Makes the kernel wait for what is missing of `count` bytes before it wakes us.
    ///
    /// - Returns: true when that has changed: what waits already then makes no new edge.
    private func expect(_ count: Int) throws(SerialError) -> Bool {
        try state.withLock { (state) throws(SerialError) in
            guard isTerminal else { return false }
            let missing = max(count - state.arrived.count, 1)
            guard missing != state.minimum, let descriptor = state.descriptor else {
                return false
            }
            guard clinux_serial_minimum(descriptor.raw, UInt8(missing)) == 0 else {
                throw failure("TCSETS2", &state)
            }
            state.minimum = missing
            state.mayHaveMore = true
            return true
        }
    }

    /// Hands out what has arrived when it is enough.
    private func receive(atLeast count: Int) throws(SerialError) -> [UInt8]? {
        try state.withLock { (state) throws(SerialError) in
            if state.mayHaveMore { try receive(&state) }
            guard state.arrived.count >= count else {
                if let failure = state.failure { throw failure }
                guard !state.isGone, state.descriptor != nil else {
                    throw .disconnected(path: path)
                }
                return nil
            }
            defer { state.arrived = [] }
            return state.arrived
        }
    }

    private func receive(_ state: inout State) throws(SerialError) {
        guard !state.isGone, let descriptor = state.descriptor else { return }
        let (room, known) = (Self.chunk, state.arrived.count)
        state.arrived.append(contentsOf: repeatElement(0, count: room))
        let received = state.arrived.withUnsafeMutableBytes { buffer in
            Glibc.read(descriptor.raw, buffer.baseAddress?.advanced(by: known), room)
        }
        state.arrived.removeLast(room - max(received, 0))
        // A raw line that is gone reads as its end.
        guard received != 0 else {
            state.isGone = true
            return
        }
        guard received > 0 else {
            guard errno == EAGAIN || errno == EINTR else { return try lose("read", &state) }
            state.mayHaveMore = errno == EINTR
            return
        }
        state.mayHaveMore = received == room
        if !isTerminal { try count(received, &state) }
    }

    private func count(_ received: Int, _ state: inout State) throws(SerialError) {
        let now = clock.now
        if now >= state.flow.since.advanced(by: .seconds(1)) { state.flow = (now, 0) }
        state.flow.byteCount += received
        guard state.flow.byteCount > Self.flood else { return }
        state.arrived.removeAll()
        (state.isGone, state.failure) = (true, .flooded(path: path))
        throw .flooded(path: path)
    }

    private func send(_ state: inout State) throws(SerialError) {
        guard !state.outgoing.isEmpty, let descriptor = state.descriptor else { return }
        let sent = transmit(descriptor.raw, state.outgoing)
        guard sent >= 0 else {
            guard errno == EAGAIN || errno == EINTR else { throw failure("write", &state) }
            return
        }
        state.outgoing.removeFirst(sent)
    }

    /// Sends the rest when the line accepts it.
    private func sendLater() throws(SerialError) {
        guard state.withLock({ !$0.outgoing.isEmpty }) else { return }
        do {
            try watched.onceWritable { [weak self] in
                guard let self else { return }
                do throws(SerialError) {
                    try state.withLock { state throws(SerialError) in try send(&state) }
                    try sendLater()
                } catch {
                    fail(with: error)
                }
            }
        } catch {
            throw .disconnected(path: path)
        }
    }

    /// Drops the unsent bytes, and a waiting read throws the reason.
    ///
    /// `epoll` would report room again at once, in an endless loop.
    private func fail(with error: SerialError) {
        state.withLock { state in
            state.outgoing.removeAll()
            state.failure = error
        }
        watched.handle(EPOLLIN.rawValue)
    }

    /// Remembers that the device is gone; what arrived before is still handed out.
    private func lose(_ call: String, _ state: inout State) throws(SerialError) {
        let error = failure(call, &state)
        guard case .disconnected = error else { throw error }
    }

    private func failure(_ call: String, _ state: inout State) -> SerialError {
        let code = errno
        guard SerialOpening.goneCodes.contains(code) else {
            return .system(call: call, errno: code, path: path)
        }
        state.isGone = true
        return .disconnected(path: path)
    }
}
