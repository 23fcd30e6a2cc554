import Configuration

/// Devices that a new configuration stops and starts.
struct ReloadDifference {
    /// In use, and not to be, or not so.
    let stopped: [DeviceConfiguration]
    /// Names that no device has any more.
    let forgotten: [String]
    let started: [DeviceConfiguration]

    init(from old: StationConfiguration, to next: StationConfiguration) {
        stopped = old.devices.filter { one in !next.devices.contains { $0.runs(as: one) } }
        started = next.devices.filter { one in !old.devices.contains { $0.runs(as: one) } }
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
    /// Whether the driver of `other` can go on: a lamp's goes on whatever it shows.
    fileprivate func runs(as other: DeviceConfiguration) -> Bool {
        guard case .led(let own) = kind, case .led(let lamp) = other.kind else {
            return self == other
        }
        return name == other.name && own.settings == lamp.settings
    }
}
