import ControlProtocol
import Devices
import HardwareIO
import Profiles
import Readings
import Scheduling
import Supervision
import Synchronization

/// What each kind of configured device becomes in the supervision tree.
extension DeviceConfiguration {
    /// `sds011`, `pir`: as in the configuration.
    var type: String {
        switch kind {
        case .sds011: "sds011"
        case .pir: "pir"
        }
    }

    var location: String {
        switch kind {
        case .sds011(let sensor): sensor.port
        case .pir(let sensor): "\(sensor.line)" + (sensor.chip.map { " of \($0)" } ?? "")
        }
    }

    /// How old a value may be before it is stale, and its lamp unknown.
    ///
    /// One sample may be late by half a period, or in `live` by four seconds, before it is missed.
    func ageLimit(isContinuous: Bool) -> Duration {
        guard case .sds011(let sensor) = kind else { return .days(1) }
        return isContinuous ? .seconds(5) : sensor.period * 3 / 2 + .seconds(30)
    }

    /// How often it gives a sample; nil when only events come of it.
    func sampleInterval(isContinuous: Bool) -> Duration? {
        guard case .sds011(let sensor) = kind else { return nil }
        return isContinuous ? .seconds(1) : sensor.period
    }

    /// The child that keeps the device attached.
    func spec(_ context: StationContext) -> ChildSpec {
        switch kind {
        case .sds011(let sensor): sensor.spec(name, context)
        case .pir(let sensor): sensor.spec(name, context)
        }
    }
}

extension SDS011Configuration {
    /// How the sensor spends its time in a mode of the station.
    func sensorMode(in mode: StationMode) -> SensorMode {
        if mode.isContinuous { return .live }
        // A thirtieth of the period saves wake-ups, and nobody sees it.
        let cycle = DutyCycle(
            period: period,
            warmUp: warmUp,
            window: window,
            tolerance: period / 30
        )
        return .dutyCycle(cycle)
    }

    fileprivate func spec(_ name: String, _ context: StationContext) -> ChildSpec {
        let (port, sensor) = (port, self)
        let sink = context.sink(for: name, graph: .plain([.pm25, .pm10]))
        let open: @Sendable () async throws -> any SerialPort = {
            try await context.platform.openSerialPort(port, SerialSettings(baud: 9_600))
        }
        return ChildSpec(
            id: name,
            shutdownGrace: .seconds(8),
            minimumRunTime: .seconds(1),
            heartbeatLimit: .minutes(2)
        ) { heartbeat in
            let subject = Attachment.Subject(
                name: name,
                path: port,
                channels: [Quantity.pm25, .pm10].map { Channel(device: name, quantity: $0) },
                sink: sink
            )
            return Attachment(subject, station: context, heartbeat: heartbeat) { heartbeat in
                let driver = SDS011Driver(
                    name: name,
                    port: try await open(),
                    environment: DriverEnvironment(
                        clock: context.clock,
                        sink: sink,
                        heartbeat: heartbeat
                    ),
                    mode: sensor.sensorMode(in: context.modes.mode),
                    reopen: open
                )
                context.modes.observe(name) { [weak driver] mode in
                    driver?.setMode(sensor.sensorMode(in: mode))
                }
                return Attachment.Attached(driver: driver) {
                    await driver.status.account(at: context.clock.now)
                }
            }
        }
    }
}

extension SDS011Status {
    fileprivate func account(at now: MonotonicInstant) -> DeviceBoard.Account {
        var facts = facts.map { DeviceReport.Fact($0.key, $0.value) }
        if let lastMeasurementAt {
            facts.append(.init("last measurement", "\(lastMeasurementAt.age(at: now)) s ago"))
        }
        return DeviceBoard.Account(state: state, facts: facts)
    }
}

extension PIRConfiguration {
    var settings: PIRSettings {
        var settings = PIRSettings(line: line, chipLabel: chip)
        settings.settling = settle
        settings.blockTime = block
        return settings
    }

    fileprivate func spec(_ name: String, _ context: StationContext) -> ChildSpec {
        let settings = settings
        return ChildSpec(id: name, heartbeatLimit: .minutes(2)) { heartbeat in
            let subject = Attachment.Subject(name: name, path: nil, channels: [])
            return Attachment(subject, station: context, heartbeat: heartbeat) { heartbeat in
                let platform = context.platform
                let request = settings.request(consumer: "roost \(name)")
                let first = FirstLines(try await platform.requestLines(request))
                let driver = PIRDriver(
                    name: name,
                    settings: settings,
                    environment: DriverEnvironment(
                        clock: context.clock,
                        sink: context.recorder,
                        heartbeat: heartbeat
                    ),
                    open: { request in
                        if let lines = first.take() { return lines }
                        return try await platform.requestLines(request)
                    }
                )
                return Attachment.Attached(driver: driver) {
                    driver.status.account(at: context.clock.now)
                }
            }
        }
    }
}

extension PIRStatus {
    fileprivate func account(at now: MonotonicInstant) -> DeviceBoard.Account {
        let state: String
        if let fault = faults.first {
            state = fault
        } else if now < settlesAt {
            state = "settling"
        } else {
            state = isMoving ? "motion" : "still"
        }
        var facts: [DeviceReport.Fact] = [.init("motions", "\(motionCount)")]
        if let motion = lastMotion {
            facts.append(.init("last motion", "\(motion.start.age(at: now)) s ago"))
        }
        facts += [
            .init("edges", "\(edgeCount)"), .init("short pulses", "\(shortPulseCount)"),
            .init("overruns", "\(overrunCount)"), .init("mutes", "\(muteCount)"),
        ]
        return DeviceBoard.Account(state: state, facts: facts)
    }
}

/// Lines that were opened before their driver, so that a driver starts only when it can.
final class FirstLines: Sendable {
    private let lines: Mutex<(any GPIOLines)?>

    init(_ lines: any GPIOLines) { self.lines = Mutex(lines) }

    /// Hands the lines over, once.
    func take() -> (any GPIOLines)? {
        lines.withLock { lines in
            defer { lines = nil }
            return lines
        }
    }
}
