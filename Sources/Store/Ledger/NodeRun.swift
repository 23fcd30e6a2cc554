import Core

/// One run of the node within one boot, from its start to the last that is known of it.
///
/// A boot has several when the daemon was restarted. Runs are given in the order they happened.
package struct NodeRun: Hashable, Sendable {
    /// How a run ended.
    package enum End: Hashable, Sendable {
        /// The stop was recorded.
        case stopped
        /// No stop was recorded: power went, or the process died; the next run's boot shows which.
        case lost
        /// The run goes on; `ended` is now.
        case running
    }

    /// Ticks of a monotonic instant, up to 292 years; ticks beyond are set to the nearest limit.
    private static let ticks = Tick(tenths: 0)...Tick(tenths: .max / 100_000_000)

    package let boot: BootID
    package let started: Tick
    /// The stop, or the last tick known of a run without a recorded stop; ≥ `started`.
    package let ended: Tick
    package let end: End

    package init(boot: BootID, started: Tick, ended: Tick, end: End) {
        self.boot = boot
        self.started = min(max(started, Self.ticks.lowerBound), Self.ticks.upperBound)
        self.ended = min(max(ended, self.started), Self.ticks.upperBound)
        self.end = end
    }
}
