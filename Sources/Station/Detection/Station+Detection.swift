import Configuration
import ControlProtocol
import Core
import Devices
import Profiles
import Runtime
import Synchronization

/// A device that was found, with the stay in a socket that it was last found on.
struct FoundDevice: Sendable {
    let name: String
    let sensor: SensorConfiguration
    let port: Int
}

extension Station {
    /// The configuration with the devices that were found behind those that it names.
    var effective: StationConfiguration {
        state.withLock { state in
            state.configuration.adding(
                state.found.map { DeviceConfiguration(name: $0.name, kind: .sensor($0.sensor)) }
            )
        }
    }

    /// Detection results of every adapter, and devices that are away.
    package var found: [FoundReport] { detection.list }

    var detectionCallbacks: DetectionTask.Callbacks {
        DetectionTask.Callbacks(
            start: { [weak self] in self?.start($0) },
            end: { [weak self] in self?.end($0) },
            drop: { [weak self] in self?.drop($0) },
            rename: { [weak self] in await self?.rename($0, to: $1) },
            hasStore: { [weak self] in
                self?.state.withLock { $0.configuration.store } != nil
            }
        )
    }

    func spec(_ device: FoundDevice) -> ChildSpec {
        let (name, sensor, detection, port) = (
            device.name, device.sensor, detection, device.port
        )
        context.devices.add(name: name, type: sensor.type, location: sensor.port)
        context.recorder.expect(name)
        let presence = DeviceSession.Presence(
            isThere: { detection.isThere(port: port) },
            broke: { detection.deviceEnded(port: port) }
        )
        return SerialSensorChild(name: name, sensor: sensor, context: context, presence: presence)
            .spec
    }

    private func start(_ adoption: DetectionMachine.Adoption) {
        let sensor = SensorConfiguration(
            found: adoption.profile,
            port: adoption.node,
            id: adoption.partID,
            baud: adoption.baud
        )
        guard let sensor else { return }
        let (device, devices) = state.withLock { state in
            let device = FoundDevice(
                name: adoption.name,
                sensor: sensor.asFound(every: state.configuration.intervals[adoption.name]),
                port: adoption.port
            )
            if let index = state.found.firstIndex(where: { $0.name == device.name }) {
                state.found[index] = device
            } else {
                state.found.append(device)
            }
            return (device, state.devices)
        }
        followFound()
        devices?.add(spec(device))
    }

    private func end(_ name: String) {
        state.withLock { $0.devices }?.remove(name)
        context.devices.remove(name)
        context.modes.observe(name, nil)
    }

    private func drop(_ name: String) {
        state.withLock { state in state.found.removeAll { $0.name == name } }
        context.recorder.forget(name)
        context.lasers.leave(name)
        followFound()
    }

    private func rename(_ old: String, to name: String) async {
        if carryPast(of: old, to: name) { await keepMutes(of: name) }
        drop(old)
    }

    /// Gives what a device has measured, its mutes and its laser's hours to its new name.
    ///
    /// - Returns: Whether anything of it is muted; `keepMutes` stores that.
    func carryPast(of old: String, to name: String) -> Bool {
        context.recorder.rename(old, to: name)
        context.lasers.rename(old, to: name)
        store.rename(old, to: name)
        alerts.askAgain()
        return context.mutes.rename(old, to: name)
    }

    /// Stores what is muted, after a device got another name.
    func keepMutes(of name: String) async {
        do { try await store.settleMutes() } catch {
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

    /// Updates lamps and store for the devices that were found.
    private func followFound() {
        let effective = effective
        lamp.configure(effective)
        context.leds.configure(effective)
        store.configure(effective)
        alerts.configure(effective)
    }
}
