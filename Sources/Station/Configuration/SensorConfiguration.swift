import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Scheduling
import Supervision

/// One sensor on a serial line, of any kind that there is a driver for.
package struct SensorConfiguration: Hashable, Sendable {
    /// As in the configuration: a profile's id or a driver's name.
    package let type: String
    package let profile: Profile
    /// Path of the tty: `/dev/ttyUSB0` or a stable link.
    package let port: String
    /// The id that the part must report; nil accepts any part.
    package let id: String?
    /// 60…86 400 s between samples in `normal`; the default is the profile's.
    package let period: Duration
    /// 0…600 s of fan, laser or heater before a value counts; the default is the profile's.
    package let warmUp: Duration
    /// 1…60 s of values that one sample is made of; the default is the profile's.
    package let window: Duration
    /// Its quantities, in the order of its measurements.
    let quantities: [Quantity]
    /// From one sample to the next in `live`.
    let liveInterval: Duration
    /// The rate at which it was found; nil is the profile's first.
    var baud: Int?
}

extension SensorConfiguration {
    /// A detected sensor, run as its profile says; nil when no driver can run it.
    init?(_ adoption: DetectionMachine.Adoption) {
        let profile = adoption.profile
        guard let kind = profile.driver.flatMap(DeviceCatalog.kind),
            let dialect = try? kind.dialect(profile)
        else { return nil }
        let duty = profile.dutyCycle
        (type, self.profile, port) = (profile.id, profile, adoption.node)
        (id, baud) = (adoption.partID, adoption.baud)
        (period, warmUp, window) = (duty.period, duty.warmUp, duty.window)
        quantities = profile.shown(of: dialect.quantities).map { dialect.quantities[$0] }
        liveInterval = profile.liveInterval(of: dialect)
    }
}

extension SensorConfiguration {
    /// Reads the configuration of a sensor.
    ///
    /// - Parameters:
    ///   - reader: At the device's object.
    ///   - type: As it stands there.
    ///   - profile: The profile of its type.
    init?(_ reader: inout ObjectReader, type: String, profile: Profile) {
        if reader.value("port") == nil { reader.problem("port", "is missing") }
        let port = reader.absolutePath("port")
        let duty = profile.dutyCycle
        id = reader.string("id")
        period = reader.seconds("periodSeconds", in: 60...86_400) ?? duty.period
        warmUp = reader.seconds("warmUpSeconds", in: 0...600) ?? duty.warmUp
        window = reader.seconds("windowSeconds", in: 1...60) ?? duty.window
        if warmUp + window > period {
            reader.problem("periodSeconds", "is shorter than warmUpSeconds and windowSeconds")
        }
        guard let kind = profile.driver.flatMap(DeviceCatalog.kind) else {
            reader.problem("type", "\(type) has no driver for a serial line")
            return nil
        }
        let dialect: any SensorDialect
        do throws(DialectError) {
            dialect = try kind.dialect(profile)
        } catch {
            for problem in error.problems { reader.problem("type", "\(type): \(problem)") }
            return nil
        }
        guard let port else { return nil }
        (self.type, self.profile, self.port) = (type, profile, port)
        quantities = profile.shown(of: dialect.quantities).map { dialect.quantities[$0] }
        liveInterval = profile.liveInterval(of: dialect)
    }

    /// How the sensor spends its time in a mode of the station.
    func sensorMode(in mode: StationMode) -> SensorMode {
        if mode.isContinuous { return .live }
        // A tolerance of a thirtieth of the period saves wake-ups and does not show.
        let cycle = DutyCycle(
            period: period,
            warmUp: warmUp,
            window: window,
            tolerance: period / 30
        )
        return .dutyCycle(cycle)
    }

    /// The child that keeps the sensor attached.
    ///
    /// - Parameters:
    ///   - name: Under which it reads.
    ///   - context: The station's.
    ///   - presence: How long it is there; nil when its port is configured.
    /// - Returns: The child; for a found device one that is not restarted when it ends in order.
    func spec(
        _ name: String,
        _ context: StationContext,
        presence: DeviceSession.Presence? = nil
    ) -> ChildSpec {
        let sink = context.sink(for: name, graph: profile.description(of: quantities))
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
                path: port,
                channels: quantities.map { Channel(device: name, quantity: $0) },
                sink: sink,
                presence: presence
            )
            return DeviceSession(subject, station: context, heartbeat: heartbeat) { heartbeat in
                var environment = DriverEnvironment(
                    clock: context.clock,
                    sink: sink,
                    heartbeat: heartbeat
                )
                environment.laser = { [kind = profile.id] time in
                    context.note(time, kind: kind, device: name)
                }
                environment.stoodStill = { context.standstills.report($0, name) }
                return try await attach(name, context, environment, presence)
            }
        }
    }

    private func attach(
        _ name: String,
        _ context: StationContext,
        _ environment: DriverEnvironment,
        _ presence: DeviceSession.Presence?
    ) async throws -> DeviceSession.Attached {
        let settings = SerialSettings(baud: baud ?? profile.probe?.bauds.first ?? 9_600)
        let open: SensorSetup.Reopen = { [port] in
            // Another may have its node by now.
            if let presence, !presence.isThere() { throw SerialError.absent(path: port) }
            return try await context.platform.openSerialPort(port, settings)
        }
        guard let kind = profile.driver.flatMap(DeviceCatalog.kind) else {
            preconditionFailure("checked when it was read")
        }
        var setup = SensorSetup(
            name: name,
            port: try await open(),
            environment: environment,
            profile: profile,
            mode: sensorMode(in: context.modes.mode)
        )
        setup.id = id
        setup.warmUp = warmUp
        setup.yieldsToAnother = presence != nil
        setup.reopen = open
        let driver = try kind.makeDriver(setup)
        context.modes.observe(name) { [weak driver] mode in
            driver?.setMode(sensorMode(in: mode))
        }
        return DeviceSession.Attached(driver: driver) {
            await driver.report.account(at: context.clock.now)
        }
    }
}

extension Profile {
    /// From one sample to the next in `live`.
    fileprivate func liveInterval(of dialect: any SensorDialect) -> Duration {
        switch dialect.rhythm {
        case .streams(let every): every
        case .answers(let least): max(least, duty?.liveInterval ?? .seconds(1))
        }
    }

    /// Its graph, as it was checked when the profile was read.
    func description(of quantities: [Quantity]) -> GraphDescription {
        let graph = graph.flatMap {
            GraphReader.read($0, channels: channels, at: "graph", ProblemList())
        }
        return graph ?? .plain(quantities)
    }
}

extension SensorReport {
    fileprivate func account(at now: MonotonicInstant) -> DeviceList.Account {
        var facts = facts
        if let lastMeasurementAt {
            facts.append(.init("last measurement", "\(lastMeasurementAt.age(at: now)) s ago"))
        }
        return DeviceList.Account(state: state, facts: facts)
    }
}
