import Core

/// A sample with the boot it was measured in.
package struct BootSample: Hashable, Sendable {
    package let boot: BootID
    package let tick: Tick
    package let outcomes: [Outcome]

    package init(boot: BootID, tick: Tick, outcomes: [Outcome]) {
        self.boot = boot
        self.tick = tick
        self.outcomes = outcomes
    }
}
