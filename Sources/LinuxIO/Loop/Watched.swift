import CLinux
import Core
import Glibc
import Runtime
import Synchronization

/// A descriptor the loop watches, edge-triggered: one registration for all its life.
///
/// Read until a call transfers less than it could or says `EAGAIN`, then wait. A wait may end
/// although there is nothing, and one task waits at a time for each direction.
package final class Watched: Sendable {
    private struct State {
        var isClosed = false
        /// Whether `epoll` reports only the end of the input, not the input.
        var isInputIgnored = false
        var onReadable: (@Sendable () -> MonotonicInstant?)?
        var onWritable: (@Sendable () -> Void)?
        var onEvents: (@Sendable (UInt32) -> Void)?
    }

    static let readEvents = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    private static let endEvents = EPOLLHUP.rawValue | EPOLLERR.rawValue | EPOLLRDHUP.rawValue

    package let descriptor: Int32
    private let loop: EventLoop
    private let input = Signal()
    private let output = Signal()
    private let state = Mutex(State())

    init(_ descriptor: Int32, on loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits until there is something to read, or the end of it.
    ///
    /// - Parameters:
    ///   - deadline: When to give up; nil waits for ever.
    ///   - tolerance: How late giving up may come.
    /// - Returns: true when it may be readable, false when time came first.
    /// - Throws: `LinuxError.closed`; `CancellationError`.
    package func readable(
        until deadline: MonotonicInstant? = nil,
        tolerance: Duration = .zero
    ) async throws -> Bool {
        try await wait(for: input, until: deadline, tolerance: tolerance)
    }

    /// Waits until there is room to write, after a call said `EAGAIN`.
    ///
    /// - Parameters:
    ///   - deadline: When to give up; nil waits for ever.
    ///   - tolerance: How late giving up may come.
    /// - Returns: true when it may be writable, false when time came first.
    /// - Throws: `LinuxError`; `CancellationError`.
    package func writable(
        until deadline: MonotonicInstant? = nil,
        tolerance: Duration = .zero
    ) async throws -> Bool {
        guard !isClosed else { throw LinuxError.closed }
        _ = output.consume()
        try watchOutput()
        return try await wait(for: output, until: deadline, tolerance: tolerance)
    }

    /// Stops watching; a waiting task is woken.
    ///
    /// That task throws `LinuxError.closed`. Safe to call twice. Call it before closing the
    /// descriptor itself.
    package func close() {
        let wasClosed = state.withLock { state in
            defer {
                state.isClosed = true
                (state.onReadable, state.onWritable, state.onEvents) = (nil, nil, nil)
            }
            return state.isClosed
        }
        guard !wasClosed else { return }
        loop.forget(descriptor)
        input.raise()
        output.raise()
    }

    /// Calls `body` once, on the loop's thread, when there is room to write.
    func onceWritable(_ body: @escaping @Sendable () -> Void) throws(LinuxError) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.onWritable = body }
            return state.isClosed
        }
        guard !isClosed else { throw .closed }
        try watchOutput()
    }

    /// Calls `body` each time that there is something to read, on the loop's thread and before any
    /// task is resumed; nil ends that.
    ///
    /// It returns until when the waiting task goes on to wait, or nil to resume it.
    func eachReadable(_ body: (@Sendable () -> MonotonicInstant?)?) {
        state.withLock { state in state.onReadable = state.isClosed ? nil : body }
    }

    /// Calls `body` with the events of each round, on the loop's thread, in place of all else.
    func eachEvent(_ body: @escaping @Sendable (UInt32) -> Void) {
        state.withLock { state in state.onEvents = state.isClosed ? nil : body }
    }

    /// Handles the events that `epoll_wait` returned.
    func handle(_ events: UInt32) {
        if let body = state.withLock({ $0.onEvents }) { return body(events) }
        if events & (EPOLLIN.rawValue | Self.endEvents) != 0 {
            if let deadline = state.withLock({ $0.onReadable })?() {
                loop.sleepers.move(input, to: deadline)
            } else {
                input.raise()
            }
        }
        guard events & (EPOLLOUT.rawValue | Self.endEvents) != 0 else { return }
        let body = state.withLock { state in
            defer { state.onWritable = nil }
            return state.onWritable
        }
        output.raise()
        body?()
    }

    /// Leaves unread what comes until `attend`: the first of it ends the wake-ups for more.
    ///
    /// An end of the input is reported all the same.
    func leaveUnread() {
        eachReadable { [weak self] () -> MonotonicInstant? in
            self?.ignoreInput()
            return nil
        }
    }

    private func ignoreInput() {
        let events = Self.readEvents & ~EPOLLIN.rawValue
        // Where this fails the process wakes more often, and loses nothing.
        guard (try? loop.control(EPOLL_CTL_MOD, descriptor, events)) != nil else { return }
        state.withLock { $0.isInputIgnored = true }
    }

    /// Reports again what comes, after `leaveUnread`.
    ///
    /// - Returns: Whether something came that was not reported.
    func attend() throws(LinuxError) -> Bool {
        let wasIgnored = state.withLock { state in
            defer { state.isInputIgnored = false }
            return state.isInputIgnored
        }
        guard wasIgnored else { return false }
        guard !isClosed else { throw .closed }
        try loop.control(EPOLL_CTL_MOD, descriptor, Self.readEvents)
        return true
    }

    /// Asks for one edge of room; asking again reports room that is there already.
    private func watchOutput() throws(LinuxError) {
        try loop.control(EPOLL_CTL_MOD, descriptor, Self.readEvents | EPOLLOUT.rawValue)
    }

    private func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        guard !isClosed else { throw LinuxError.closed }
        let isRaised = try await loop.clock.wait(
            for: signal,
            until: deadline,
            tolerance: tolerance
        )
        guard !isClosed else { throw LinuxError.closed }
        return isRaised
    }
}
