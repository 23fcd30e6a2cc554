/// The state of a detected adapter, or of a known device that is absent.
package struct FoundReport: Codable, Hashable, Sendable {
    /// `found`, `probing`, `adopted`, `ignored`, `unknown`, `absent` or `faulty`.
    package let state: String
    /// Reason for the state, as text.
    package let why: String
    /// Name of the device; nil if it was never adopted.
    package let name: String?
    /// `nova-sds011:A160`; `adapter:…` while the part behind it is unknown.
    package let identity: String
    package let profile: String?
    /// The node, while it is plugged in.
    package let node: String?
    /// Vendor and product: `1a86:7523`.
    package let usb: String?
    /// Path in sysfs.
    package let path: String?

    package init(
        state: String,
        why: String,
        name: String?,
        identity: String,
        profile: String?,
        node: String?,
        usb: String?,
        path: String?
    ) {
        self.state = state
        self.why = why
        self.name = name
        self.identity = identity
        self.profile = profile
        self.node = node
        self.usb = usb
        self.path = path
    }
}
