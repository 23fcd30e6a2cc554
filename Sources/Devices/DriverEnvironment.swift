import Readings
import Supervision

/// What every driver is given.
package struct DriverEnvironment: Sendable {
    let clock: any NodeClock
    let sink: any ReadingSink
    let heartbeat: Heartbeat
    /// Takes the time that a laser, fan or heater was on; nil keeps no account.
    package var laser: (@Sendable (LaserTime) -> Void)?

    /// An environment.
    ///
    /// - Parameters:
    ///   - clock: The node's clock.
    ///   - sink: Takes readings and events.
    ///   - heartbeat: Told of progress.
    package init(clock: any NodeClock, sink: any ReadingSink, heartbeat: Heartbeat) {
        self.clock = clock
        self.sink = sink
        self.heartbeat = heartbeat
    }
}

/// A stretch of time that something was on which wears out.
package struct LaserTime: Hashable, Sendable {
    /// The part's own id; nil for one that never told.
    package let part: String?
    package let time: Duration
    /// What its maker gives it altogether; nil when he says nothing.
    package let life: Duration?

    package init(part: String?, time: Duration, life: Duration?) {
        (self.part, self.time, self.life) = (part, time, life)
    }
}
