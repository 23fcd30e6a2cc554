import CGPIOD
import Core
import Glibc
import HardwareIO
import Synchronization

/// Lines held by one request of libgpiod, 1.6 or 2.x.
final class LinuxGPIOLines: GPIOLines {
    private struct State: ~Copyable {
        var handle: OpaquePointer?
        var debouncer: GPIODebouncer?
        /// Whether the queue was left before it was known to be empty.
        var mayHaveMore = false
    }

    /// Calls that read edges before they are handed on: 8 × 16, a storm in one wake-up.
    private static let readsMax = 8

    private let chip: String
    private let lineCount: Int
    private let state: Mutex<State>
    private let watched: Watched?

    /// Owns a request.
    ///
    /// - Throws: `GPIOError`; the lines are released then.
    init(
        _ handle: sending OpaquePointer,
        request: LineRequest,
        chip: String,
        on loop: EventLoop
    ) throws(GPIOError) {
        self.chip = chip
        lineCount = request.lines.count
        let debouncer: GPIODebouncer?
        do throws(GPIOError) {
            debouncer = try Self.makeDebouncer(for: request, handle, chip: chip)
            let descriptor = roost_gpio_fd(handle)
            watched = descriptor < 0 ? nil : try Self.watch(descriptor, chip: chip, on: loop)
        } catch {
            roost_gpio_release(handle)
            throw error
        }
        state = Mutex(State(handle: handle, debouncer: debouncer))
    }

    deinit { release() }

    func values() throws(GPIOError) -> [Bool] {
        try state.withLock { (state) throws(GPIOError) -> [Bool] in
            guard let handle = state.handle else { throw .disconnected(chip: chip) }
            return try Self.values(of: handle, count: lineCount, chip: chip)
        }
    }

    func set(_ values: [Bool]) throws(GPIOError) {
        precondition(values.count == lineCount, "a value for each line")
        let bytes = values.map { UInt8($0 ? 1 : 0) }
        try state.withLock { (state) throws(GPIOError) in
            guard let handle = state.handle else { throw .disconnected(chip: chip) }
            let code = roost_gpio_set(handle, bytes)
            guard code == 0 else {
                throw .because(-code, of: "GPIO_LINE_SET_VALUES", path: chip, chip: chip)
            }
        }
    }

    func edges(
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> [EdgeEvent]? {
        guard let watched else { preconditionFailure("the request has no edges") }
        while !Task.isCancelled {
            let edges = try read()
            if !edges.isEmpty { return edges }
            if let deadline, deadline <= .now() { return nil }
            let due = state.withLock { $0.debouncer?.nextDue }
            let isDueFirst = due.map { due in deadline.map { due < $0 } ?? true } ?? false
            do {
                let isReadable = try await watched.readable(
                    until: isDueFirst ? due : deadline,
                    tolerance: isDueFirst ? .zero : tolerance
                )
                if isReadable { state.withLock { $0.mayHaveMore = true } }
            } catch LinuxError.closed {
                throw GPIOError.disconnected(chip: chip)
            }
        }
        throw CancellationError()
    }

    func release() {
        watched?.close()
        state.withLock { state in
            if let handle = state.handle { roost_gpio_release(handle) }
            state.handle = nil
        }
    }

    /// Reads what waits, and lets it settle.
    private func read() throws(GPIOError) -> [EdgeEvent] {
        try state.withLock { (state) throws(GPIOError) -> [EdgeEvent] in
            guard let handle = state.handle else { throw .disconnected(chip: chip) }
            var (edges, readCount) = ([EdgeEvent](), 0)
            while state.mayHaveMore, readCount < Self.readsMax {
                let more = try Self.read(handle, chip: chip)
                edges += more
                readCount += 1
                state.mayHaveMore = !more.isEmpty
            }
            // With 1.6 each line has a queue of its own, so only one read is in order by itself.
            if edges.count > Int(ROOST_GPIO_MAX_EVENTS) { edges.sort { $0.instant < $1.instant } }
            guard state.debouncer != nil else { return edges }
            let counted = state.debouncer?.apply(edges) ?? []
            if !edges.isEmpty, !state.mayHaveMore {
                let values = try Self.values(of: handle, count: lineCount, chip: chip)
                state.debouncer?.correct(values, at: .now())
            }
            return counted + (state.debouncer?.settle(before: .now()) ?? [])
        }
    }

    /// One read; empty when no edge waits.
    private static func read(
        _ handle: OpaquePointer,
        chip: String
    ) throws(GPIOError) -> [EdgeEvent] {
        let blank = roost_gpio_event()
        var events = [roost_gpio_event](repeating: blank, count: Int(ROOST_GPIO_MAX_EVENTS))
        let count = roost_gpio_read(handle, &events)
        guard count >= 0 || count == -EAGAIN || count == -EINTR else {
            throw .because(-count, of: "read", path: chip, chip: chip)
        }
        return events.prefix(Int(max(count, 0))).map { event in
            EdgeEvent(
                line: Int(event.line),
                isRising: event.is_rising,
                instant: MonotonicInstant(nanoseconds: event.instant_ns),
                sequence: event.sequence
            )
        }
    }

    private static func values(
        of handle: OpaquePointer,
        count: Int,
        chip: String
    ) throws(GPIOError) -> [Bool] {
        var found = [UInt8](repeating: 0, count: count)
        let code = roost_gpio_get(handle, &found)
        guard code == 0 else {
            throw .because(-code, of: "GPIO_LINE_GET_VALUES", path: chip, chip: chip)
        }
        return found.map { $0 != 0 }
    }

    private static func makeDebouncer(
        for request: LineRequest,
        _ handle: OpaquePointer,
        chip: String
    ) throws(GPIOError) -> GPIODebouncer? {
        guard case .input(let detection, _, let period) = request.direction,
            period > .zero, !roost_gpio_has_debounce()
        else { return nil }
        let values = try values(of: handle, count: request.lines.count, chip: chip)
        return GPIODebouncer(period: period, detection: detection, values: values)
    }

    private static func watch(
        _ descriptor: Int32,
        chip: String,
        on loop: EventLoop
    ) throws(GPIOError) -> Watched {
        do throws(LinuxError) { return try loop.register(descriptor) } catch {
            guard case .system(let call, let code, _) = error else {
                throw .disconnected(chip: chip)
            }
            throw .system(call: call, errno: code, chip: chip)
        }
    }
}
