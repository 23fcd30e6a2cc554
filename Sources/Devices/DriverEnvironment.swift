import Core
import Runtime

/// Services that the station hands to every driver.
package struct DriverEnvironment: Sendable {
    let clock: any NodeClock
    let sink: any ReadingSink
    let heartbeat: Heartbeat
    /// Records the time that a laser, fan or heater was on; nil records nothing.
    package var laser: (@Sendable (LaserTime) -> Void)?
    /// Receives the present wall time from a part that has one; nil ignores it.
    package var time: (@Sendable (WallTime) -> Void)?
    /// Called with a stretch in which the process did not run: nothing of the line was heard.
    package var stoodStill: (@Sendable (Range<MonotonicInstant>) -> Void)?

    /// An environment.
    package init(clock: any NodeClock, sink: any ReadingSink, heartbeat: Heartbeat) {
        self.clock = clock
        self.sink = sink
        self.heartbeat = heartbeat
    }
}

/// Finds out that the process did not run: it was stopped, or the machine suspended.
///
/// What waits in a line then was said some time in between, at an unknown moment.
enum Standstill {
    /// A wait that ends later than its deadline by more than this was held up.
    static let delayMax: Duration = .seconds(1)

    /// The stretch from the beginning of a wait to now, when it ended much later than it could.
    static func found(
        since start: MonotonicInstant,
        deadline: MonotonicInstant,
        now: MonotonicInstant
    ) -> Range<MonotonicInstant>? {
        deadline.advanced(by: delayMax) < now ? start..<now : nil
    }
}

/// A stretch of time that something was on which wears out.
package struct LaserTime: Hashable, Sendable {
    /// The part's own id; nil for one that never gave it.
    package let part: String?
    package let time: Duration
    /// Rated life of the part from its maker; nil when the maker states none.
    package let life: Duration?

    package init(part: String?, time: Duration, life: Duration?) {
        (self.part, self.time, self.life) = (part, time, life)
    }
}
