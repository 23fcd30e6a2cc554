import Configuration

/// A device's name, and the one that it gets.
struct DeviceRenaming: Hashable, Sendable {
    let old: String
    let name: String
}

/// Devices that a new configuration stops and starts.
struct ReloadDifference {
    /// In use, and not to be, or not so.
    let stopped: [DeviceConfiguration]
    /// Names that no device has any more.
    let forgotten: [String]
    let started: [DeviceConfiguration]
    /// Whether the device that got another name goes on; false without one.
    let goesOn: Bool

    /// - Parameter renaming: A device that has another name in `next`.
    init(
        from old: StationConfiguration,
        to next: StationConfiguration,
        renaming: DeviceRenaming? = nil
    ) {
        func goesOn(_ one: DeviceConfiguration, _ other: DeviceConfiguration) -> Bool {
            one.name == renaming?.old && other.name == renaming?.name && other.canGoOn(from: one)
        }
        func runs(_ one: DeviceConfiguration, as other: DeviceConfiguration) -> Bool {
            other.runs(as: one) || goesOn(one, other)
        }
        stopped = old.devices.filter { one in !next.devices.contains { runs(one, as: $0) } }
        started = next.devices.filter { other in !old.devices.contains { runs($0, as: other) } }
        self.goesOn = old.devices.contains { one in next.devices.contains { goesOn(one, $0) } }
        let kept = Set(next.devices.map(\.name))
        forgotten = stopped.map(\.name).filter { !kept.contains($0) }
    }

    /// Whether a part of the configuration has changed that is read only at the start.
    static func needsRestart(
        from start: StationConfiguration,
        to next: StationConfiguration
    ) -> Bool {
        (start.name, start.socket) != (next.name, next.socket) || start.watchdog != next.watchdog
            || start.store != next.store
    }
}

extension DeviceConfiguration {
    /// Whether the driver of `other` can go on under this name: a lamp's shows what its name says.
    fileprivate func canGoOn(from other: DeviceConfiguration) -> Bool {
        if case .led = kind { return false }
        return kind == other.kind
    }

    /// Whether the driver of `other` can go on: a lamp's goes on whatever it shows.
    fileprivate func runs(as other: DeviceConfiguration) -> Bool {
        guard case .led(let own) = kind, case .led(let lamp) = other.kind else {
            return self == other
        }
        return name == other.name && own.settings == lamp.settings
    }
}
