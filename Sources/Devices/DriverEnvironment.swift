import Readings
import Supervision

/// What every driver is given.
package struct DriverEnvironment: Sendable {
    let clock: any NodeClock
    let sink: any ReadingSink
    let heartbeat: Heartbeat

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
