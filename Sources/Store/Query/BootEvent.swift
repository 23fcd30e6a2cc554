import Core

/// An event with the boot it happened in.
package struct BootEvent: Hashable, Sendable {
    package let boot: BootID
    package let event: Event

    package init(boot: BootID, event: Event) {
        self.boot = boot
        self.event = event
    }
}
