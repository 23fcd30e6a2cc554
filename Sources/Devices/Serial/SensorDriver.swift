import Core
import HardwareIO
import Runtime
import Synchronization

/// Measures with one sensor of any kind that has a dialect: carries out what its session decides.
///
/// Its task waits, opens the line anew and passes on requests; `SensorLine` does what follows from
/// bytes. Whatever can wear out rests on every way out of `run()`: after an orderly stop
/// acknowledged, after cancellation or a failure without a wait for its answer.
actor SensorDriver: AnySensorDriver {
    private let clock: any NodeClock
    private let reopen: SensorDependencies.Reopen?
    private let line: SensorLine

    private let requested: Mutex<RequestedMode>
    private let change = Signal()
    /// Ends the one wait that `change` does not: for a port that does not open.
    private let stop = Signal()
    private let isStopRequested = Atomic(false)

    /// A driver that has not touched the port yet.
    init(_ setup: SensorDependencies, speaking dialect: any SensorDialect) {
        (clock, reopen) = (setup.environment.clock, setup.reopen)
        line = SensorLine(setup, speaking: dialect)
        requested = Mutex(RequestedMode(setup.mode))
    }

    /// Runs until asked to stop or cancelled.
    ///
    /// - Throws: `SerialError.disconnected` when the port is gone; a fresh driver follows a fresh
    ///   port. `AnotherPart` when another part has the line.
    func run() async throws {
        defer { line.leaveAtRest() }
        try line.handle(.start)
        try passRequests()
        while !Task.isCancelled {
            switch line.wait {
            case .bytes:
                try await line.listen()
                try passRequests()
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
        line.recordRequest()
        change.raise()
        stop.raise()
    }

    nonisolated package func setMode(_ mode: SensorMode) {
        let now = clock.now
        guard requested.withLock({ $0.change(to: mode, at: now) }) else { return }
        line.recordRequest()
        change.raise()
    }

    var report: SensorReport { line.report }

    private func passRequests() throws {
        guard line.takeRequest() else { return }
        let wanted = requested.withLock { $0 }
        if let since = wanted.since { try line.handle(.mode(wanted.mode, since: since)) }
        guard isStopRequested.load(ordering: .sequentiallyConsistent) else { return }
        try line.handle(.stop)
    }

    private func pause(until deadline: MonotonicInstant, tolerance: Duration) async throws {
        if clock.now < deadline {
            let isRaised = try await clock.wait(
                for: change,
                until: deadline,
                tolerance: tolerance
            )
            try passRequests()
            guard !isRaised else { return }
        }
        try line.handle(.time)
    }

    private func openAnew() async throws {
        guard let reopen else { return try line.handle(.opened(poweredAt: nil)) }
        line.close()
        guard let opened = try await clock.run(unless: stop, reopen) else {
            try line.handle(.notOpened)
            return try passRequests()
        }
        line.use(opened.port)
        // A stop meanwhile is known before anything is said to the part.
        try passRequests()
        try line.handle(.opened(poweredAt: opened.poweredAt))
    }
}
