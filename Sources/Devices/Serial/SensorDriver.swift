import Core
import HardwareIO
import Supervision
import Synchronization

/// Measures with one sensor of any kind that has a dialect: carries out what its session decides.
///
/// Whatever can wear out rests on every way out of `run()`: after an orderly stop acknowledged,
/// after cancellation or a failure without a wait for its answer.
package actor SensorDriver: SensorChild {
    /// The longest wait on the line, so that a stop is noticed within its grace.
    private static let readSlice: Duration = .seconds(2)

    private let environment: DriverEnvironment
    private let clock: any NodeClock
    private let reopen: SensorSetup.Reopen?
    private var port: any SerialPort
    private var session: SensorSession
    /// What the session wants done; empty between its calls.
    private var actions: [SensorAction] = []

    private let requested: Mutex<RequestedMode>
    private let change = Signal()
    /// Ends the one wait that `change` does not: for a port that does not open.
    private let stop = Signal()
    private let isStopRequested = Atomic(false)
    /// Whether a stop or a mode was requested that the session does not know yet.
    private let hasRequest = Atomic(false)

    /// A driver that has not touched the port yet.
    package init(_ setup: SensorSetup, speaking dialect: any SensorDialect) {
        (port, reopen) = (setup.port, setup.reopen)
        (environment, clock) = (setup.environment, setup.environment.clock)
        session = SensorSession(setup, speaking: dialect)
        requested = Mutex(RequestedMode(setup.mode))
        actions.reserveCapacity(8)
    }

    /// Runs until asked to stop or cancelled.
    ///
    /// - Throws: `SerialError.disconnected` when the port is gone; a fresh driver follows a fresh
    ///   port. `AnotherPart` when another part has the line.
    package func run() async throws {
        defer { leaveAtRest() }
        try await handle(.start)
        try await passRequests()
        while !Task.isCancelled {
            switch session.wait {
            case .bytes(let count, let deadline): try await listen(for: count, until: deadline)
            case .time(let deadline, let tolerance):
                try await pause(until: deadline, tolerance: tolerance)
            case .line: try await openAnew()
            case .end(let replacement):
                if let replacement { throw replacement }
                return
            }
        }
    }

    nonisolated package func requestStop() {
        isStopRequested.store(true, ordering: .sequentiallyConsistent)
        hasRequest.store(true, ordering: .sequentiallyConsistent)
        change.raise()
        stop.raise()
    }

    nonisolated package func setMode(_ mode: SensorMode) {
        let now = clock.now
        guard requested.withLock({ $0.change(to: mode, at: now) }) else { return }
        hasRequest.store(true, ordering: .sequentiallyConsistent)
        change.raise()
    }

    package var report: SensorReport { session.report(at: clock.now) }

    // MARK: Events

    private func handle(_ event: SensorEvent) async throws {
        session.handle(event, at: clock.now, into: &actions)
        try await carryOut()
    }

    private func passRequests() async throws {
        guard hasRequest.exchange(false, ordering: .sequentiallyConsistent) else { return }
        let wanted = requested.withLock { $0 }
        if let since = wanted.since { try await handle(.mode(wanted.mode, since: since)) }
        guard isStopRequested.load(ordering: .sequentiallyConsistent) else { return }
        try await handle(.stop)
    }

    private func listen(for count: Int, until deadline: MonotonicInstant) async throws {
        let start = clock.now
        let slice = min(deadline, start.advanced(by: Self.readSlice))
        let bytes = try await port.read(atLeast: count, until: slice)
        if let stretch = Standstill.found(since: start, deadline: slice, now: clock.now) {
            try await handle(.stoodStill(stretch))
            environment.stoodStill?(stretch)
            return try await passRequests()
        }
        guard let bytes else {
            // A stop that came meanwhile is no failure of the part.
            try await passRequests()
            return try await handle(.time)
        }
        session.receive(bytes.span, at: clock.now, into: &actions)
        try await carryOut()
        try await passRequests()
    }

    private func pause(until deadline: MonotonicInstant, tolerance: Duration) async throws {
        if clock.now < deadline {
            let isRaised = try await clock.wait(
                for: change,
                until: deadline,
                tolerance: tolerance
            )
            try await passRequests()
            guard !isRaised else { return }
        }
        try await handle(.time)
    }

    private func openAnew() async throws {
        guard let reopen else { return try await handle(.opened) }
        port.close()
        guard let opened = try await clock.run(unless: stop, reopen) else {
            try await handle(.notOpened)
            return try await passRequests()
        }
        port = opened
        // A stop meanwhile is known before anything is said to the part.
        try await passRequests()
        try await handle(.opened)
    }

    // MARK: Actions

    private func carryOut() async throws {
        defer { actions.removeAll(keepingCapacity: true) }
        // By index: nothing else touches them while one waits.
        var index = 0
        while index < actions.count {
            switch actions[index] {
            case .write(let bytes): try port.write(bytes)
            case .discardInput: try port.discardInput()
            case .accept(let readings): await environment.sink.accept(readings)
            case .miss(let reason, let missed):
                for instant in missed.instants {
                    await environment.sink.accept(session.absence(reason, at: instant))
                }
            case .record(let event): await environment.sink.record(event)
            case .beat(let promise): environment.heartbeat.beat(nextWithin: promise)
            case .laser(let time): environment.laser?(time)
            }
            index += 1
        }
    }

    /// Sent and not waited for: there may be no time left to wait in.
    private func leaveAtRest() {
        actions.removeAll()
        session.leave(at: clock.now, into: &actions)
        for action in actions {
            switch action {
            case .write(let bytes): try? port.write(bytes)
            case .laser(let time): environment.laser?(time)
            case .discardInput, .accept, .miss, .record, .beat: break
            }
        }
        port.close()
    }
}
