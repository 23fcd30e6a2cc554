import Core
import HardwareIO
import Runtime
import Synchronization

/// Counts and present state of a button.
package struct ButtonStatus: Hashable, Sendable {
    package var pressCount = 0
    package var lastPress: MonotonicInstant?
    package var isPressed = false
    package var isStuck = false
    package var mutedUntil: MonotonicInstant?
}

/// Reports presses of one button; interrupts only, nothing is polled.
///
/// Events: `pressed`, `released` with its length, `long press`, `double press`, `stuck pressed`,
/// `line muted`, `recovered`. Every way out of `run()` gives the line back. An idle button wakes
/// the processor once an hour.
package actor ButtonDriver: Child {
    static let beatPeriod = Duration.hours(1)
    private static let beatTolerance = Duration.minutes(15)
    /// How late a long press may be reported.
    private static let tolerance = Duration.milliseconds(100)
    /// Edges that the kernel keeps for a line; so many at once may have lost some.
    private static let queueLimit = 16

    package nonisolated let name: String
    private nonisolated let snapshot = Mutex(ButtonStatus())
    private let settings: ButtonSettings
    private let clock: any NodeClock
    private let sink: any ReadingSink
    private let heartbeat: Heartbeat
    private let onHeld: @Sendable (ButtonHold) async -> Void
    private let open: @Sendable (LineRequest) async throws -> any GPIOLines
    private var machine: ButtonMachine

    /// A driver that has not started.
    ///
    /// - Parameters:
    ///   - name: The device's name, the source of its events.
    ///   - onHeld: Called with what a person asks for by holding it.
    ///   - open: Requests the line; asked again after each mute.
    package init(
        name: String,
        settings: ButtonSettings,
        environment: DriverEnvironment,
        onHeld: @escaping @Sendable (ButtonHold) async -> Void = { _ in },
        open: @escaping @Sendable (LineRequest) async throws -> any GPIOLines
    ) {
        self.name = name
        self.settings = settings
        clock = environment.clock
        sink = environment.sink
        heartbeat = environment.heartbeat
        self.onHeld = onHeld
        self.open = open
        machine = ButtonMachine(settings: settings)
    }

    /// Present state of the button, readable from any task.
    package nonisolated var status: ButtonStatus { snapshot.withLock { $0 } }

    /// Runs until cancelled.
    ///
    /// - Throws: `GPIOError` when the line cannot be had or is lost.
    package func run() async throws {
        while !Task.isCancelled {
            do { try await listen() } catch {
                await letGo()
                throw error
            }
            await letGo()
            guard let end = machine.mutedUntil else { continue }
            heartbeat.beat(nextWithin: ButtonSettings.mute + Self.beatTolerance * 2)
            try await clock.sleep(until: end, tolerance: .minutes(1))
            await record(.recovered(.edgeStorm), at: clock.now, .notice)
        }
        throw CancellationError()
    }

    /// A line that is let go ends a hold that has shown itself.
    private func letGo() async {
        if machine.isResetNear { await onHeld(.resetLeft) }
    }

    /// Holds the line until it is muted, lost or no longer wanted.
    private func listen() async throws {
        let lines = try await open(settings.request(consumer: "roost \(name)"))
        defer { lines.release() }
        machine.opened(isPressed: try lines.values()[0])
        var nextBeat = beat()
        while machine.mutedUntil == nil {
            // An edge may come as much later than its instant as the debounce takes.
            let wake = machine.wake?.advanced(by: settings.debounce)
            let isSoon = wake.map { $0 < nextBeat } ?? false
            let edges = try await lines.edges(
                until: isSoon ? wake : nextBeat,
                tolerance: isSoon ? Self.tolerance : Self.beatTolerance
            )
            await report(try apply(edges ?? [], from: lines))
            if clock.now >= nextBeat { nextBeat = beat() }
        }
    }

    private func apply(
        _ edges: [EdgeEvent],
        from lines: any GPIOLines
    ) throws(GPIOError) -> [ButtonMachine.Notice] {
        var notices: [ButtonMachine.Notice] = []
        for edge in edges { notices += machine.level(edge.isRising, at: edge.instant) }
        guard edges.isEmpty || edges.count >= Self.queueLimit else { return notices }
        let now = clock.now
        let isPressed = try lines.values()[0]
        notices += machine.advance(
            to: now.advanced(by: .zero - settings.debounce),
            isStillPressed: isPressed
        )
        return notices + machine.level(isPressed, at: now)
    }

    private func beat() -> MonotonicInstant {
        heartbeat.beat(nextWithin: Self.beatPeriod + Self.beatTolerance * 2)
        return clock.now.advanced(by: Self.beatPeriod)
    }

    private func report(_ notices: [ButtonMachine.Notice]) async {
        let status = ButtonStatus(
            pressCount: machine.pressCount,
            lastPress: machine.lastPress,
            isPressed: machine.isPressed,
            isStuck: machine.isStuck,
            mutedUntil: machine.mutedUntil
        )
        snapshot.withLock { $0 = status }
        for notice in notices { await report(notice) }
    }

    private func report(_ notice: ButtonMachine.Notice) async {
        switch notice {
        case .pressed(let instant): await record(.plain(.pressed), at: instant)
        case .longPress(let instant): await record(.plain(.longPress), at: instant)
        case .doublePress(let instant): await record(.plain(.doublePress), at: instant)
        case .held(let hold, _): await onHeld(hold)
        case .released(let instant, let duration, let isLong):
            let details: KeyValuePairs = [
                "seconds": Self.seconds(duration), "long": isLong ? "yes" : "no",
            ]
            await record(.plain(.released), at: instant, .info, details)
        case .stuck(let since, let instant):
            let seconds = Self.seconds(since.duration(to: instant))
            await record(
                .lineFault(.stuckPressed),
                at: instant,
                .warning,
                ["seconds": seconds]
            )
        case .unstuck(let instant, let duration):
            let seconds = Self.seconds(duration)
            await record(
                .recovered(.stuckPressed),
                at: instant,
                .notice,
                ["seconds": seconds]
            )
        case .storm(let instant, _):
            await record(.lineFault(.edgeStorm), at: instant, .warning)
        }
    }

    private func record(
        _ kind: EventKind,
        at instant: MonotonicInstant,
        _ severity: Event.Severity = .info,
        _ details: KeyValuePairs<String, String> = [:]
    ) async {
        sink.record(
            Event(at: instant, source: name, kind: kind, severity: severity, details)
        )
    }

    private static func seconds(_ duration: Duration) -> String {
        MonotonicInstant.boot.advanced(by: duration).description
    }
}
