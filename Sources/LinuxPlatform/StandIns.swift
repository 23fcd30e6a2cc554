/// What a test bench puts in the place of parts of the machine.
package struct StandIns: Sendable {
    /// A file that lists adapters in place of udev; nil asks udev.
    package let adapters: String?
    /// A folder with `sys`, `dev`, `run` and `var` of I²C buses; empty for those of the machine.
    package let buses: String

    package init(adapters: String? = nil, buses: String? = nil) {
        (self.adapters, self.buses) = (adapters, buses ?? "")
    }
}
