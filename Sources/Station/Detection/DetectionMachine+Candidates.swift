import Core
import HardwareIO
import Profiles

// Sensors that may be behind an adapter.
extension DetectionMachine {
    /// Profiles that fit an adapter, the most specific first.
    func candidates(for port: Port) -> [RankedProfile] {
        let found = catalog.candidates(for: port.device).compactMap { profile in
            profile.rank(for: port.device).map { RankedProfile(profile, rank: $0) }
        }
        guard let chosen = chosen(at: port) else { return found }
        guard found.contains(where: { $0.profile.driver == chosen.driver }) else {
            return found + [RankedProfile(chosen, rank: 0)]
        }
        return found.map {
            $0.profile.driver == chosen.driver ? RankedProfile(chosen, rank: $0.rank) : $0
        }
    }

    /// The profile that a person chose for this adapter, which fits no other.
    ///
    /// Such a part looks like another of its driver, whose profile it replaces here.
    private func chosen(at port: Port) -> Profile? {
        let here = registry.records.values.filter {
            $0.port == port.key.description && $0.name != nil && !$0.isIgnored
        }
        return here.compactMap { $0.profile.flatMap(catalog.profile) }
            .filter { $0.kind == .usbSerial && $0.matches.isEmpty }
            .min { $0.id < $1.id }
    }

    /// The profile last used here: in this run, else in the only record of this adapter.
    ///
    /// If that profile does not fit any more, another of the same driver: it wakes in the same way.
    func expected(at port: Port, among candidates: [RankedProfile]) -> String? {
        let profiles = registry.records.values.filter { $0.port == port.key.description }
            .compactMap(\.profile)
        let known = Set(profiles).count == 1 ? profiles.first : nil
        guard let last = port.lastProfile ?? known else { return nil }
        if candidates.contains(where: { $0.profile.id == last }) { return last }
        let driver = catalog.profile(last)?.driver
        return candidates.first { $0.profile.driver == driver }?.profile.id
    }

    /// Ignored identity at this adapter: the adapter's own, or that of its only known part.
    ///
    /// It is asked nothing, as long as the adapter has the same USB number, and the same serial
    /// number or socket. An earlier version stored no USB number: then its profile fits.
    func ignoredIdentity(at port: Port) -> String? {
        let own = adapterIdentity(port)
        if registry[own]?.isIgnored == true { return own }
        let here = registry.records.filter { $0.value.port == port.key.description }
        let isIgnored = here.values.allSatisfy { record in
            guard record.isIgnored else { return false }
            return record.usb.map { $0 == port.usb }
                ?? candidates(for: port).contains { $0.profile.id == record.profile }
        }
        return isIgnored ? here.keys.min() : nil
    }

    /// A part that a driver of the kernel shows; of hwmon and 1-wire only those that a profile
    /// knows, as most of them are parts of the computer itself, or its buses.
    func isSensor(_ device: HotplugDevice) -> Bool {
        guard device.sensorName != nil else { return false }
        // A trigger of IIO has a name, too.
        let isPart = device.devpath.split(separator: "/").last?.hasPrefix("iio:device") == true
        return isPart || (device.subsystem != "iio" && !catalog.candidates(for: device).isEmpty)
    }

    /// Sensors of the kernel and adapters have room of their own, so that neither crowds out the
    /// other.
    func hasRoom(for device: HotplugDevice) -> Bool {
        let isSensor = device.sensorName != nil
        let count = ports.values.count { ($0.device.sensorName != nil) == isSensor }
        return count < Self.portLimit
    }

    /// Shows detection the devices that the ledger has and that no port was made for, such as
    /// those that only a new profile knows.
    mutating func lookAgain(
        at devices: [HotplugDevice],
        at now: MonotonicInstant
    ) -> [Action] {
        let left = devices.filter { ports[$0.devpath] == nil && isSensor($0) }
        return apply(left.map(HotplugDifference.Change.appeared), at: now)
    }
}
