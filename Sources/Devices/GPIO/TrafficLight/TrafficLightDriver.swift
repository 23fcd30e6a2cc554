import Core
import HardwareIO
import Runtime

/// Holds the three lines of a traffic light, ends levels that are stale, and makes the flashes.
///
/// Every way out of `run()` leaves the lamps off and the lines free. One event `lamp changed` for
/// each change of state. A steady lamp wakes the processor only to see whether its level is stale.
package actor TrafficLightDriver: Child {
    /// Time between two heartbeats while the lamp is steady.
    static let beatPeriod = Duration.hours(1)
    private static let beatTolerance = Duration.minutes(15)

    /// The device's name.
    package nonisolated let name: String
    /// State of the light; outlives this driver.
    package nonisolated let light: TrafficLight
    private let settings: TrafficLightSettings
    private let clock: any NodeClock
    private let sink: any ReadingSink
    private let heartbeat: Heartbeat
    private let open: @Sendable (LineRequest) async throws -> any GPIOLines

    /// A driver that has not started.
    ///
    /// - Parameters:
    ///   - name: The device's name, the source of its events.
    ///   - settings: Without complaint, or it traps.
    package init(
        name: String = "lights",
        light: TrafficLight,
        settings: TrafficLightSettings,
        environment: DriverEnvironment,
        open: @escaping @Sendable (LineRequest) async throws -> any GPIOLines
    ) {
        precondition(settings.complaint == nil, settings.complaint ?? "")
        self.name = name
        self.light = light
        self.settings = settings
        clock = environment.clock
        sink = environment.sink
        heartbeat = environment.heartbeat
        self.open = open
    }

    /// Runs until cancelled.
    ///
    /// - Throws: `GPIOError` when the lines cannot be had or are lost.
    package func run() async throws {
        let lines = try await open(settings.request(consumer: "roost \(name)"))
        light.attach(lines)
        defer { light.detach() }
        var nextBeat = beat()
        while !Task.isCancelled {
            let errand = try light.advance(to: clock.now)
            for change in errand.changes { sink.record(Event(change, source: name)) }
            if clock.now >= nextBeat { nextBeat = beat() }
            var (deadline, tolerance) = (nextBeat, Self.beatTolerance)
            let wake = errand.wake
            if wake.deadline.advanced(by: wake.tolerance) < deadline.advanced(by: tolerance) {
                (deadline, tolerance) = wake
            }
            _ = try await clock.wait(
                for: light.attention,
                until: deadline,
                tolerance: tolerance
            )
        }
        throw CancellationError()
    }

    private func beat() -> MonotonicInstant {
        heartbeat.beat(nextWithin: Self.beatPeriod + Self.beatTolerance * 2)
        return clock.now.advanced(by: Self.beatPeriod)
    }
}

extension Event {
    fileprivate init(_ change: LampChange, source: String) {
        self.init(
            at: change.instant,
            source: source,
            kind: .plain(.lampChanged),
            severity: change.state.isFlashing ? .notice : .info,
            ["lamp": change.state.name, "was": change.previous.name]
        )
    }
}
