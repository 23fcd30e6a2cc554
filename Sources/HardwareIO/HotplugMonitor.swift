import Core

/// A device node as udev describes it, at one moment.
package struct HotplugDevice: Hashable, Sendable {
    /// Path in sysfs, which names the socket it is plugged into.
    package let devpath: String
    /// Node such as `/dev/ttyUSB0`, when it has one.
    package let node: String?
    package let subsystem: String
    /// udev properties such as `ID_VENDOR_ID`.
    package let properties: [String: String]

    package init(
        devpath: String,
        node: String?,
        subsystem: String,
        properties: [String: String]
    ) {
        self.devpath = devpath
        self.node = node
        self.subsystem = subsystem
        self.properties = properties
    }
}

/// Events of the hotplug monitor.
///
/// The first is always a snapshot; another follows every overrun.
package enum HotplugEvent: Hashable, Sendable {
    /// All devices that are present; forget all others.
    case snapshot([HotplugDevice])
    case added(HotplugDevice)
    case changed(HotplugDevice)
    case removed(HotplugDevice)
}

/// Reports devices that come and go, without a gap between the snapshot and the events.
package protocol HotplugMonitor: Sendable {
    /// Waits for the next events.
    ///
    /// - Throws: `HotplugError`; `CancellationError`.
    func next() async throws -> [HotplugEvent]

    func close()
}

package enum HotplugError: Error, Hashable, Sendable {
    case unavailable(call: String, errno: Int32)
}

extension HotplugError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let call, let errno):
            "no hotplug events here: \(call) failed with errno \(errno)"
        }
    }
}
