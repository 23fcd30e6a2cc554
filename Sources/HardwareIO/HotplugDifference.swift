/// Keeps the list of devices, and turns events of the monitor into changes of the list.
///
/// A snapshot is compared with what was known, so one after an overrun costs nothing but the
/// differences. Saying a thing twice changes nothing. Pure: holds no descriptor and no time.
package struct HotplugDifference: Hashable, Sendable {
    /// A difference from what was known before.
    package enum Change: Hashable, Sendable {
        case appeared(HotplugDevice)
        case vanished(HotplugDevice)
        case changed(HotplugDevice, from: HotplugDevice)
    }

    /// Devices remembered at most; more are refused and counted.
    ///
    /// A desktop has about 100 in the subsystems that we ask for.
    package static let capacity = 2_048

    private var known: [String: HotplugDevice] = [:]
    /// How many devices were refused at the bound since the start.
    package private(set) var refusedCount = 0

    package init() {}

    /// All known devices in order of devpath.
    package var devices: [HotplugDevice] { known.values.sorted { $0.devpath < $1.devpath } }

    /// Applies an event; returns the changes, devices that left before devices that came.
    package mutating func apply(_ event: HotplugEvent) -> [Change] {
        switch event {
        case .snapshot(let devices): compare(with: devices)
        case .added(let device), .changed(let device): put(device)
        case .removed(let device):
            known.removeValue(forKey: device.devpath).map { [.vanished($0)] } ?? []
        }
    }

    private mutating func compare(with devices: [HotplugDevice]) -> [Change] {
        let present = Set(devices.map(\.devpath))
        let gone = self.devices.filter { !present.contains($0.devpath) }
        for device in gone { known[device.devpath] = nil }
        let news = devices.sorted { $0.devpath < $1.devpath }.flatMap { put($0) }
        return gone.map(Change.vanished) + news.filter(\.isVanished)
            + news.filter { !$0.isVanished }
    }

    private mutating func put(_ device: HotplugDevice) -> [Change] {
        guard let old = known[device.devpath] else {
            guard known.count < Self.capacity else {
                refusedCount += 1
                return []
            }
            known[device.devpath] = device
            return [.appeared(device)]
        }
        guard old != device else { return [] }
        known[device.devpath] = device
        return device.isSameOccurrence(as: old)
            ? [.changed(device, from: old)] : [.vanished(old), .appeared(device)]
    }
}

extension HotplugDifference.Change {
    fileprivate var isVanished: Bool {
        if case .vanished = self { true } else { false }
    }
}

extension HotplugDevice {
    /// Properties that change when a device is plugged in again, or another one at the same place.
    ///
    /// udev stamps a device when it first sees it, so a new stamp is a new arrival.
    private static let occurrenceKeys = [
        "USEC_INITIALIZED", "ID_VENDOR_ID", "ID_MODEL_ID", "ID_SERIAL", "DEVNUM",
    ]

    /// Whether both describe one stay in the socket.
    ///
    /// A property that one of them lacks says nothing: before udev has looked there is none.
    func isSameOccurrence(as other: HotplugDevice) -> Bool {
        devpath == other.devpath
            && Self.occurrenceKeys.allSatisfy { key in
                guard let mine = properties[key], let theirs = other.properties[key] else {
                    return true
                }
                return mine == theirs
            }
    }
}
