import Configuration
import Core
import Profiles
import Runtime
import Synchronization

/// Devices that a new configuration stops and starts.
struct ReloadDifference {
    /// In use, and not to be, or not so.
    let stopped: [DeviceConfiguration]
    /// Names that no device has any more.
    let forgotten: [String]
    let started: [DeviceConfiguration]
    init(from old: StationConfiguration, to next: StationConfiguration) {
        stopped = old.devices.filter { !next.devices.contains($0) }
        started = next.devices.filter { !old.devices.contains($0) }
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

// MARK: Reload

extension Station {
    /// Applies a new configuration file: only what differs is stopped and started.
    ///
    /// Name, socket, store and watchdog change at a restart only. The owner's settings stay above
    /// it.
    package func reload(_ next: StationConfiguration, catalog: ProfileCatalog? = nil) {
        guard !state.withLock({ $0.isStopping }) else { return }
        context.platform.notify(.reloading)
        let leftOut = state.withLock { state in
            defer {
                state.file = next
                if let catalog { state.catalog = catalog }
            }
            return state.catalog.problems
        }
        if !ReloadDifference.needsRestart(from: startFile, to: next) {
            context.faults.clear(.restartNeeded)
        } else {
            let what = "another name, socket, store or watchdog"
            context.record(.restartNeeded, .warning, ["why": what])
            let reason = what + " is configured, and not in use yet"
            context.faults.raise(.restartNeeded, reason, isTold: true)
        }
        context.faults.clear(.configurationRejected)
        if let catalog { setFaults(leftOut: catalog.problems, before: leftOut) }
        follow(settings.overlay, catalog: catalog)
        context.modes.configure(StationMode(kind: next.mode))
        context.record(.configurationReloaded, .notice, ["devices": "\(next.devices.count)"])
        context.platform.notify(.ready)
    }

    /// Returns the entries of the owner's settings that would be ignored, and why.
    func problems(of overlay: StationOverlay) -> [ConfigurationProblem] {
        let (file, catalog) = state.withLock { ($0.file, $0.catalog) }
        return OverlaidConfiguration(file, overlay, catalog: catalog).problems
    }

    /// Puts the owner's settings in use, over the present file.
    ///
    /// - Parameters:
    ///   - catalog: The profiles, if they were read again.
    func follow(_ overlay: StationOverlay, catalog: ProfileCatalog? = nil) {
        guard !state.withLock({ $0.isStopping }) else { return }
        let (old, overlaid, devices) = state.withLock { state in
            let overlaid = OverlaidConfiguration(state.file, overlay, catalog: state.catalog)
            defer { state.configuration = overlaid.configuration }
            return (state.configuration, overlaid, state.devices)
        }
        let next = overlaid.configuration
        report(leftOut: overlaid.problems)
        context.recording.set(next.unrecorded, at: context.clock.now)
        let difference = ReloadDifference(from: old, to: next)
        for device in difference.stopped {
            devices?.remove(device.name)
            context.devices.remove(device.name)
            context.faults.forget(device.name)
            context.modes.observe(device.name, nil)
        }
        for name in difference.forgotten {
            context.recorder.forget(name)
            context.lasers.leave(name)
        }
        let paced = pace(next)
        lamp.configure(effective)
        context.leds.configure(effective)
        context.claims.configure(followsPowerOn: next.claimsAfterPowerOn)
        context.sameAir.configure(next.sameAir)
        store.configure(effective)
        alerts.configure(effective)
        context.battery.configure(next.battery)
        detection.configure(next, catalog: catalog)
        if old.lights != next.lights {
            root.remove("lights")
            context.devices.remove("lights")
            if let lights = next.lights { root.add(lamp.spec(lights)) }
        }
        for device in difference.started { devices?.add(spec(device)) }
        for device in paced where detection.isThere(port: device.port) {
            devices?.remove(device.name)
            context.devices.remove(device.name)
            context.modes.observe(device.name, nil)
            devices?.add(spec(device))
        }
    }

    /// Gives detected devices the intervals that the owner set.
    ///
    /// - Returns: Those that have another one now.
    private func pace(_ next: StationConfiguration) -> [FoundDevice] {
        state.withLock { state in
            state.found.indices.compactMap { index in
                let device = state.found[index]
                let sensor = device.sensor.asFound(every: next.intervals[device.name])
                guard sensor != device.sensor else { return nil }
                state.found[index] = FoundDevice(
                    name: device.name,
                    sensor: sensor,
                    port: device.port
                )
                return state.found[index]
            }
        }
    }

    /// Names what of the owner's settings does not count now.
    func report(leftOut problems: [ConfigurationProblem]) {
        guard let first = problems.first else { return context.faults.clear(.settingsLeftOut) }
        let more = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
        context.faults.raise(.settingsLeftOut, "a setting does not count: \(first)\(more)")
    }
}
