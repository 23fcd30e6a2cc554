import ControlProtocol
import Core
import Devices
import HardwareIO
import Profiles
import Scheduling
import Supervision
import Synchronization

/// What each kind of configured device becomes in the supervision tree.
extension DeviceConfiguration {
    /// `sds011`, `pir`: as in the configuration.
    var type: String {
        switch kind {
        case .sensor(let sensor): sensor.type
        case .http(let board): board.type
        case .pir: "pir"
        case .button: "button"
        case .led: "led"
        }
    }

    var location: String {
        switch kind {
        case .sensor(let sensor): sensor.port
        case .http(let board): board.target.description
        case .pir(let sensor): Self.place(sensor.line, sensor.chip)
        case .button(let button): Self.place(button.line, button.chipLabel)
        case .led(let lamp): Self.place(lamp.settings.line, lamp.settings.chipLabel)
        }
    }

    private static func place(_ line: LineRequest.Line, _ chip: String?) -> String {
        "\(line)" + (chip.map { " of \($0)" } ?? "")
    }

    var seesMotion: Bool { if case .pir = kind { true } else { false } }

    /// Whether the lamp may follow it.
    var measuresDust: Bool {
        let quantities =
            switch kind {
            case .sensor(let sensor): sensor.quantities
            case .http(let board): board.format.quantities
            case .pir, .button, .led: [Quantity]()
            }
        return quantities.contains { $0.name == Quantity.pm25.name }
    }

    /// How old a value may be before it is stale, and its lamp unknown.
    ///
    /// One sample may be late by half a period, or in `live` by two intervals and two seconds,
    /// before it is missed.
    func ageLimit(isContinuous: Bool) -> Duration {
        switch kind {
        case .sensor(let sensor):
            isContinuous
                ? sensor.liveInterval * 3 + .seconds(2) : sensor.period * 3 / 2 + .seconds(30)
        // An answer may need ten seconds.
        case .http(let board): board.interval * 3 + .seconds(12)
        case .pir, .button, .led: .days(1)
        }
    }

    /// Whether one missed sample is tolerated: the last value is valid until a second is missed.
    func outlastsMiss(isContinuous: Bool) -> Bool {
        switch kind {
        case .sensor: isContinuous
        case .http: true
        case .pir, .button, .led: false
        }
    }

    /// How often it gives a sample; nil when only events come of it.
    func sampleInterval(isContinuous: Bool) -> Duration? {
        switch kind {
        case .sensor(let sensor): isContinuous ? sensor.liveInterval : sensor.period
        // Requests do not wear the device, so the mode changes nothing.
        case .http(let board): board.interval
        case .pir, .button, .led: nil
        }
    }

    /// The child that keeps the device attached.
    func spec(_ context: StationContext) -> ChildSpec {
        switch kind {
        case .sensor(let sensor): sensor.spec(name, context)
        case .http(let board): board.spec(name, context)
        case .pir(let sensor): sensor.spec(name, context)
        case .button(let button): button.spec(name, context)
        case .led(let lamp): lamp.spec(name, context)
        }
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
        context.tellPins(of: settings.request(consumer: "roost"), for: name)
        return ChildSpec(id: name, heartbeatLimit: .minutes(2)) { heartbeat in
            let subject = DeviceSession.Subject(name: name, path: nil, channels: [])
            return DeviceSession(subject, station: context, heartbeat: heartbeat) { heartbeat in
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
                return DeviceSession.Attached(driver: driver) {
                    driver.status.account(at: context.clock.now)
                }
            }
        }
    }
}

extension PIRStatus {
    fileprivate func account(at now: MonotonicInstant) -> DeviceList.Account {
        let state: String
        if let fault = faults.first {
            state = fault
        } else if now < settlesAt {
            state = "settling"
        } else {
            state = isMoving ? "motion" : "still"
        }
        var facts: [Event.Detail] = [.init("motions", "\(motionCount)")]
        if let motion = lastMotion {
            facts.append(.init("last motion", "\(motion.start.age(at: now)) s ago"))
        }
        facts += [
            .init("edges", "\(edgeCount)"), .init("short pulses", "\(shortPulseCount)"),
            .init("overruns", "\(overrunCount)"), .init("mutes", "\(muteCount)"),
        ]
        return DeviceList.Account(state: state, facts: facts)
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
