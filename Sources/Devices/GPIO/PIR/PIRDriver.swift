import Core
import HardwareIO
import Runtime
import Synchronization

/// Reports motion seen by one PIR sensor; interrupts only, nothing is polled.
///
/// Events carry the instant it happened by the kernel's clock, not when it was decided: `motion`
/// is sent `minimumPulse` after its rising edge, `motion ended` a retrigger window after its last
/// falling edge. Other events: `stuck high`, `line muted`, each followed by `recovered` once.
/// An idle sensor wakes the processor once an hour.
package actor PIRDriver: Child {
    /// Time between two heartbeats of an idle sensor; the level is read anew at each.
    static let beatPeriod = Duration.hours(1)
    private static let beatTolerance = Duration.minutes(15)

    /// The device's name.
    package nonisolated let name: String
    private nonisolated let snapshot: Mutex<PIRStatus>
    private let settings: PIRSettings
    private let clock: any NodeClock
    private let sink: any ReadingSink
    private let heartbeat: Heartbeat
    private let open: @Sendable (LineRequest) async throws -> any GPIOLines
    private var machine: PIRMachine

    /// A driver that has not started.
    ///
    /// - Parameters:
    ///   - name: The device's name, the source of its events.
    ///   - settings: Within its bounds, or it traps.
    ///   - open: Requests the line; asked again after each mute.
    package init(
        name: String,
        settings: PIRSettings,
        environment: DriverEnvironment,
        open: @escaping @Sendable (LineRequest) async throws -> any GPIOLines
    ) {
        self.name = name
        self.settings = settings
        clock = environment.clock
        sink = environment.sink
        heartbeat = environment.heartbeat
        self.open = open
        machine = PIRMachine(settings: settings, at: clock.now)
        snapshot = Mutex(machine.status)
    }

    /// Present state of the sensor, readable from any task.
    package nonisolated var status: PIRStatus { snapshot.withLock { $0 } }

    /// Runs until cancelled.
    ///
    /// - Throws: `GPIOError` when the line cannot be had or is lost.
    package func run() async throws {
        machine = PIRMachine(settings: settings, at: clock.now)
        do {
            while !Task.isCancelled {
                try await listen()
                guard let end = machine.status.mutedUntil else { continue }
                let sleep = clock.now.duration(to: end)
                heartbeat.beat(nextWithin: max(sleep, .zero) + Self.beatTolerance * 2)
                try await clock.sleep(until: end, tolerance: Self.beatTolerance)
            }
            throw CancellationError()
        } catch {
            await report(machine.stop(at: clock.now, cause: .stopped))
            throw error
        }
    }

    /// Holds the line until it is muted, lost or no longer wanted.
    private func listen() async throws {
        let lines = try await open(settings.request(consumer: "roost \(name)"))
        defer { lines.release() }
        await report(machine.opened(isHigh: try lines.values()[0], at: clock.now))
        var nextBeat = beat()
        while machine.status.mutedUntil == nil {
            let (deadline, tolerance) = window(before: nextBeat)
            let edges = try await lines.edges(until: deadline, tolerance: tolerance)
            await report(try apply(edges ?? [], from: lines))
            if clock.now >= nextBeat { nextBeat = beat() }
        }
    }

    /// The next time to look, if no edge comes first.
    private func window(
        before nextBeat: MonotonicInstant
    ) -> (deadline: MonotonicInstant, tolerance: Duration) {
        guard let wake = machine.wake else { return (nextBeat, Self.beatTolerance) }
        let deadline = wake.deadline.advanced(by: settings.debounce)
        let closes = deadline.advanced(by: wake.tolerance)
        return closes < nextBeat.advanced(by: Self.beatTolerance)
            ? (deadline, wake.tolerance) : (nextBeat, Self.beatTolerance)
    }

    private func apply(
        _ edges: [EdgeEvent],
        from lines: any GPIOLines
    ) throws(GPIOError) -> [PIRMachine.Notice] {
        var notices: [PIRMachine.Notice] = []
        for edge in edges {
            notices += machine.edge(
                isRising: edge.isRising,
                at: edge.instant,
                sequence: edge.sequence
            )
        }
        // Asking for the level mends what a full queue may have lost: it held 16 edges.
        guard edges.isEmpty || edges.count >= 16 else { return notices }
        // An edge may come as much later than its instant as the debounce takes.
        let now = clock.now
        notices += machine.advance(to: now.advanced(by: .zero - settings.debounce))
        let isHigh = try lines.values()[0]
        return isHigh == machine.isHigh ? notices : notices + machine.level(isHigh, at: now)
    }

    private func beat() -> MonotonicInstant {
        heartbeat.beat(nextWithin: Self.beatPeriod + Self.beatTolerance * 2)
        return clock.now.advanced(by: Self.beatPeriod)
    }

    private func report(_ notices: [PIRMachine.Notice]) async {
        let status = machine.status
        snapshot.withLock { $0 = status }
        for notice in notices { sink.record(Event(notice, source: name)) }
    }
}

extension Event {
    /// A notice of a PIR sensor as the node records it.
    fileprivate init(_ notice: PIRMachine.Notice, source: String) {
        switch notice {
        case .motionBegan(let instant):
            self.init(at: instant, source: source, kind: .motion)
        case .motionEnded(let motion, let cause):
            let end = motion.end ?? motion.start
            self.init(
                at: end,
                source: source,
                kind: .motionEnded,
                [
                    "seconds": Self.seconds(motion.start.duration(to: end)),
                    "pulses": "\(motion.pulseCount)", "cause": cause.rawValue,
                ]
            )
        case .stuck(let since, let instant):
            self.init(
                at: instant,
                source: source,
                kind: .lineFault(.stuckHigh),
                severity: .warning,
                ["seconds": Self.seconds(since.duration(to: instant))]
            )
        case .unstuck(let instant, let duration):
            self.init(
                at: instant,
                source: source,
                kind: .recovered(.stuckHigh),
                severity: .notice,
                ["seconds": Self.seconds(duration)]
            )
        case .stormBegan(let instant, let edgeCount):
            self.init(
                at: instant,
                source: source,
                kind: .lineFault(.edgeStorm),
                severity: .warning,
                ["edges": "\(edgeCount)"]
            )
        case .stormEnded(let instant, let muteCount):
            self.init(
                at: instant,
                source: source,
                kind: .recovered(.edgeStorm),
                severity: .notice,
                ["mutes": "\(muteCount)"]
            )
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        MonotonicInstant.boot.advanced(by: duration).description
    }
}
