import Core
import Synchronization

/// Present names of devices whose drivers go on under the name that they began with.
///
/// A driver has one name for its whole life: what it accepts, records and reports is passed on
/// under the present one. No device has a name under which another's driver goes on; see
/// `DeviceBranch.free`. Bound: one entry for each device.
package final class DriverNames: Sendable {
    private let names = Mutex<[String: String]>([:])

    package init() {}

    /// The name under which people know the device of a driver.
    func present(_ driver: String) -> String {
        names.withLock { names in names.isEmpty ? driver : names[driver] ?? driver }
    }

    /// The name that the driver of a device began with.
    func driver(of device: String) -> String {
        names.withLock { names in names.first { $0.value == device }?.key ?? device }
    }

    /// The device whose driver goes on under this name, which is not its own any more; nil without.
    func guest(of name: String) -> String? { names.withLock { $0[name] } }

    func rename(_ device: String, to name: String) {
        names.withLock { names in
            let driver = names.first { $0.value == device }?.key ?? device
            names[driver] = driver == name ? nil : name
        }
    }

    /// The driver of a device has ended.
    func forget(_ device: String) {
        names.withLock { names in
            if let driver = names.first(where: { $0.value == device })?.key { names[driver] = nil }
        }
    }

    /// All drivers have ended.
    func forgetAll() { names.withLock { $0 = [:] } }

    /// What a driver measured, under the present name of its device.
    func named(_ readings: [Reading]) -> [Reading] {
        let names = names.withLock { $0 }
        guard !names.isEmpty else { return readings }
        return readings.map { reading in
            names[reading.channel.device].map(reading.renamed) ?? reading
        }
    }

    /// What a driver recorded, under the present name of its device.
    func named(_ event: Event) -> Event {
        let name = present(event.source)
        return name == event.source ? event : event.renamed(name)
    }
}

extension Reading {
    /// The same of a device with another name.
    func renamed(_ device: String) -> Reading {
        Reading(Channel(device: device, quantity: channel.quantity), at: instant, outcome)
    }
}
