import Configuration
import Core
import Devices
import Profiles
import Runtime
import Synchronization

/// The branch `devices` of the tree: starts and stops its children as the configuration, the owner
/// and detection want.
struct DeviceBranch: Sendable {
    let station: StationState

    private var context: StationContext { station.context }

    /// The supervisor of the devices that are there now; it replaces the one before.
    func supervisor() -> Supervisor {
        station.values.withLock { values in
            let devices = Supervisor(
                id: "devices",
                policy: RestartPolicy(
                    stopsTogether: true,
                    // A broken driver slows down by itself; this ends the branch for a swarm.
                    intensity: RestartIntensity(limit: 10, within: .minutes(1))
                ),
                context: station.supervision,
                children: values.configuration.devices.map(spec)
                    + values.found.filter { station.detection.isThere(port: $0.port) }.map(spec)
            )
            values.devices = devices
            return devices
        }
    }

    func spec(_ device: DeviceConfiguration) -> ChildSpec {
        context.devices.add(name: device.name, type: device.type, location: device.location)
        context.recorder.expect(device.name)
        return switch device.kind {
        case .sensor(let sensor):
            SerialSensorChild(name: device.name, sensor: sensor, context: context).spec
        case .http(let asked):
            HTTPDeviceChild(name: device.name, device: asked, context: context).spec
        case .pir(let settings): LineChild(name: device.name, context: context).spec(settings)
        case .button(let settings): LineChild(name: device.name, context: context).spec(settings)
        case .led(let led): LineChild(name: device.name, context: context).spec(led)
        }
    }

    private func spec(_ device: FoundDevice) -> ChildSpec {
        let (name, sensor) = (device.name, device.sensor)
        context.devices.add(name: name, type: sensor.type, location: sensor.port)
        context.recorder.expect(name)
        let presence = DeviceSession.Presence(detection: station.detection, port: device.port)
        return SerialSensorChild(name: name, sensor: sensor, context: context, presence: presence)
            .spec
    }

    // MARK: Found devices

    func start(_ adoption: DetectionMachine.Adoption) {
        let sensor = SensorConfiguration(
            found: adoption.profile,
            port: adoption.node,
            id: adoption.partID,
            baud: adoption.baud
        )
        guard let sensor else { return }
        let (device, devices) = station.values.withLock { values in
            let interval = values.configuration.intervals[adoption.name]
            let device = FoundDevice(
                name: adoption.name,
                sensor: sensor.asFound(every: interval),
                port: adoption.port
            )
            if let index = values.found.firstIndex(where: { $0.name == device.name }) {
                values.found[index] = device
            } else {
                values.found.append(device)
            }
            return (device, values.devices)
        }
        station.configureFound()
        devices?.add(spec(device))
    }

    /// Ends a device that is away; what is known of it stays.
    func end(_ name: String) {
        end(name, in: station.values.withLock { $0.devices })
    }

    /// Forgets a device that was found.
    func drop(_ name: String) {
        station.values.withLock { values in values.found.removeAll { $0.name == name } }
        context.recorder.forget(name)
        context.lasers.leave(name)
        station.configureFound()
    }

    func rename(_ old: String, to name: String) async {
        if carryPast(of: old, to: name) { await keepMutes(of: name) }
        drop(old)
    }

    /// Gives what a device has measured, its mutes and its laser's hours to its new name.
    ///
    /// - Returns: Whether anything of it is muted; `keepMutes` stores that.
    @discardableResult
    func carryPast(of old: String, to name: String) -> Bool {
        context.recorder.rename(old, to: name)
        context.levels.rename(old, to: name)
        context.lasers.rename(old, to: name)
        station.store.rename(old, to: name)
        station.alerts.askAgain()
        return context.mutes.rename(old, to: name)
    }

    /// Stores what is muted, after a device got another name.
    func keepMutes(of name: String) async {
        do { try await station.store.settleMutes() } catch {
            let why = "its mute is forgotten at a restart; the store: \(error)"
            context.recorder.recordSoon(
                Event(
                    at: context.clock.now,
                    source: name,
                    kind: .plain(.deviceNotRemembered),
                    severity: .warning,
                    details: [Event.Detail("why", why)]
                )
            )
        }
    }

    // MARK: Changes

    /// Puts the owner's settings in use, over the present file; only what differs is stopped and
    /// started.
    ///
    /// - Parameters:
    ///   - catalog: The profiles, if they were read again.
    func follow(_ overlay: StationOverlay, catalog: ProfileCatalog? = nil) {
        guard !station.values.withLock({ $0.isStopping }) else { return }
        let (old, overlaid, devices) = station.values.withLock { values in
            let overlaid = OverlaidConfiguration(values.file, overlay, catalog: values.catalog)
            defer { values.configuration = overlaid.configuration }
            return (values.configuration, overlaid, values.devices)
        }
        let next = overlaid.configuration
        context.faults.set(leftOutSettings: overlaid.problems)
        context.recording.set(next.unrecorded, at: context.clock.now)
        let difference = ReloadDifference(from: old, to: next)
        for device in difference.stopped {
            end(device.name, in: devices)
            context.faults.forget(device.name)
        }
        for name in difference.forgotten {
            context.recorder.forget(name)
            context.lasers.leave(name)
        }
        let paced = pace(next)
        station.configureParts(catalog)
        if old.lights != next.lights {
            station.root.remove("lights")
            context.devices.remove("lights")
            if let lights = next.lights { station.root.add(station.lamp.spec(lights)) }
        }
        for device in difference.started { devices?.add(spec(device)) }
        for device in paced where station.detection.isThere(port: device.port) {
            end(device.name, in: devices)
            devices?.add(spec(device))
        }
    }

    private func end(_ name: String, in devices: Supervisor?) {
        devices?.remove(name)
        context.devices.remove(name)
        context.modes.observe(name, nil)
    }

    /// Gives detected devices the intervals that the owner set.
    ///
    /// - Returns: Those that have another one now.
    private func pace(_ next: StationConfiguration) -> [FoundDevice] {
        station.values.withLock { values in
            values.found.indices.compactMap { index in
                let device = values.found[index]
                let sensor = device.sensor.asFound(every: next.intervals[device.name])
                guard sensor != device.sensor else { return nil }
                values.found[index] = FoundDevice(
                    name: device.name,
                    sensor: sensor,
                    port: device.port
                )
                return values.found[index]
            }
        }
    }
}
