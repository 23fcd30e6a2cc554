import Core
import HardwareIO
import Runtime
import Synchronization

/// Pattern shown by one LED; any task may set it, and it outlives the driver that holds the line.
package final class LEDLight: Sendable {
    private let machine: Mutex<LEDMachine>
    fileprivate let attention = Signal()

    package init(at now: MonotonicInstant) { machine = Mutex(LEDMachine(at: now)) }

    /// Shows a pattern, until it is too old if that can be.
    package func show(
        _ pattern: LEDPattern,
        at now: MonotonicInstant,
        until end: MonotonicInstant? = nil
    ) {
        let isUrgent = machine.withLock { $0.show(pattern, at: now, until: end) }
        if isUrgent { attention.raise() }
    }

    package var pattern: LEDPattern { machine.withLock { $0.pattern } }
    package var changeCount: Int { machine.withLock { $0.changeCount } }

    fileprivate func advance(
        to now: MonotonicInstant
    ) -> (isLit: Bool, wake: (deadline: MonotonicInstant, tolerance: Duration)?) {
        machine.withLock { machine in
            machine.advance(to: now)
            return (machine.isLit, machine.wake)
        }
    }
}

/// Holds the line of one lamp; every way out of `run()` leaves it dark and the line free.
package actor LEDDriver: Child {
    private static let beatPeriod = Duration.hours(1)
    private static let beatTolerance = Duration.minutes(15)

    package nonisolated let light: LEDLight
    private let name: String
    private let settings: LEDSettings
    private let clock: any NodeClock
    private let heartbeat: Heartbeat
    private let open: @Sendable (LineRequest) async throws -> any GPIOLines

    /// A driver that has not started.
    package init(
        name: String,
        light: LEDLight,
        settings: LEDSettings,
        environment: DriverEnvironment,
        open: @escaping @Sendable (LineRequest) async throws -> any GPIOLines
    ) {
        self.name = name
        self.light = light
        self.settings = settings
        clock = environment.clock
        heartbeat = environment.heartbeat
        self.open = open
    }

    /// Runs until cancelled.
    ///
    /// - Throws: `GPIOError` when the line cannot be had or is lost.
    package func run() async throws {
        let lines = try await open(settings.request(consumer: "roost \(name)"))
        defer {
            try? lines.set([false])
            lines.release()
        }
        var (shown, nextBeat) = (false, beat())
        while !Task.isCancelled {
            let now = clock.now
            let (isLit, wake) = light.advance(to: now)
            if isLit != shown { try lines.set([isLit]) }
            shown = isLit
            if now >= nextBeat { nextBeat = beat() }
            var (deadline, tolerance) = (nextBeat, Self.beatTolerance)
            if let wake, wake.deadline < nextBeat { (deadline, tolerance) = wake }
            _ = try await clock.wait(for: light.attention, until: deadline, tolerance: tolerance)
        }
        throw CancellationError()
    }

    private func beat() -> MonotonicInstant {
        heartbeat.beat(nextWithin: Self.beatPeriod + Self.beatTolerance * 2)
        return clock.now.advanced(by: Self.beatPeriod)
    }
}
