import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Runtime

/// A sensor on a serial line, as a child of the tree.
struct SerialSensorChild {
    /// Under which it reads.
    let name: String
    let sensor: SensorConfiguration
    let context: StationContext
    /// How long it is there; nil when its port is configured.
    var presence: DeviceSession.Presence?

    /// The child that keeps the sensor attached.
    ///
    /// That of a found device is not restarted when it ends in order.
    var spec: ChildSpec {
        let profile = sensor.profile
        let sink = context.sink(for: name, graph: profile.graph(of: sensor.quantities))
        return ChildSpec(
            id: name,
            // An unplugged device has ended in order.
            restart: presence == nil ? .permanent : .transient,
            shutdownGrace: .seconds(8),
            minimumRunTime: .seconds(1),
            heartbeatLimit: .minutes(2)
        ) { heartbeat in
            let subject = DeviceSession.Subject(
                name: name,
                path: sensor.port,
                channels: sensor.quantities.map { Channel(device: name, quantity: $0) },
                sink: sink,
                presence: presence
            )
            return DeviceSession(subject, station: context, heartbeat: heartbeat) { heartbeat in
                var environment = DriverEnvironment(
                    clock: context.clock,
                    sink: sink,
                    heartbeat: heartbeat
                )
                environment.laser = { [kind = profile.partProfileID] time in
                    context.record(time, kind: kind, device: name)
                }
                environment.time = { context.hear($0, from: name) }
                environment.stoodStill = { context.standstills.report($0, name) }
                return try await attach(environment)
            }
        }
    }

    private func attach(
        _ environment: DriverEnvironment
    ) async throws -> DeviceSession.Attached {
        let (name, sensor, profile) = (name, sensor, sensor.profile)
        let settings = SerialSettings(baud: sensor.rate)
        let open: SensorDependencies.Reopen = {
            // Another may have its node by now.
            if let presence, !presence.isThere { throw SerialError.absent(path: sensor.port) }
            let port = try await context.platform.openSerialPort(sensor.port, settings)
            // At the start of the machine at the latest, if nothing is known of its adapter.
            let poweredAt = try await context.platform.poweredAt(sensor.port) ?? .boot
            return SensorDependencies.Line(port, poweredAt: poweredAt)
        }
        guard let kind = profile.driver.flatMap(DeviceCatalog.kind) else {
            preconditionFailure("checked when it was read")
        }
        let line = try await open()
        var setup = SensorDependencies(
            name: name,
            port: line.port,
            environment: environment,
            profile: profile,
            mode: sensor.sensorMode(in: context.modes.mode)
        )
        setup.id = sensor.id
        setup.warmUp = sensor.warmUp
        setup.preheat = sensor.preheat
        setup.poweredAt = line.poweredAt
        setup.yieldsToAnother = presence != nil
        setup.reopen = open
        let driver = try kind.makeDriver(setup)
        context.modes.observe(name) { [weak driver] mode in
            driver?.setMode(sensor.sensorMode(in: mode))
        }
        return DeviceSession.Attached(driver: driver) {
            await driver.report.account(at: context.clock.now)
        }
    }
}

extension SensorReport {
    fileprivate func account(at now: MonotonicInstant) -> DeviceList.Account {
        var facts = facts
        if let lastMeasurementAt {
            facts.append(Fact("lastMeasurementAgeSeconds", lastMeasurementAt.age(at: now)))
        }
        var account = DeviceList.Account(state: state, facts: facts)
        account.progress = progress
        return account
    }
}
