import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Runtime
import Synchronization

/// A part on one GPIO line, as a child of the tree.
struct LineChild {
    private typealias Open = @Sendable (LineRequest) async throws -> any GPIOLines

    let name: String
    let context: StationContext

    func spec(_ settings: PIRSettings) -> ChildSpec {
        spec(settings.request(consumer: "roost \(name)")) { environment, open in
            let driver = PIRDriver(
                name: name,
                settings: settings,
                environment: environment,
                open: open
            )
            return DeviceSession.Attached(driver: driver) {
                driver.status.account(at: context.clock.now)
            }
        }
    }

    func spec(_ settings: ButtonSettings) -> ChildSpec {
        spec(settings.request(consumer: "roost \(name)")) { environment, open in
            let driver = ButtonDriver(
                name: name,
                settings: settings,
                environment: environment,
                onHeld: { await context.held($0, by: name) },
                open: open
            )
            return DeviceSession.Attached(driver: driver) {
                driver.status.account(at: context.clock.now)
            }
        }
    }

    func spec(_ led: LEDConfiguration) -> ChildSpec {
        spec(led.settings.request(consumer: "roost \(name)")) { environment, open in
            let light = context.leds.light(name)
            let driver = LEDDriver(
                name: name,
                light: light,
                settings: led.settings,
                environment: environment,
                open: open
            )
            return DeviceSession.Attached(driver: driver) {
                DeviceList.Account(
                    state: light.pattern.rawValue,
                    facts: [
                        Fact("shows", (context.leds.shows(name) ?? led.shows).rawValue),
                        Fact("changeCount", light.changeCount),
                    ]
                )
            }
        }
    }

    /// The child that keeps the part attached.
    private func spec(
        _ request: LineRequest,
        _ attached:
            @escaping @Sendable (DriverEnvironment, @escaping Open) -> DeviceSession.Attached
    ) -> ChildSpec {
        let (name, context, platform) = (name, context, context.platform)
        context.reportPins(of: request, for: name)
        return ChildSpec(id: name, heartbeatLimit: .minutes(2)) { heartbeat in
            let subject = DeviceSession.Subject(name: name, path: nil, channels: [])
            return DeviceSession(subject, station: context, heartbeat: heartbeat) { heartbeat in
                let first = FirstLines(
                    context.taps.tapping(
                        try await platform.requestLines(request),
                        request,
                        of: name
                    )
                )
                let environment = DriverEnvironment(
                    clock: context.clock,
                    sink: context.recorder,
                    heartbeat: heartbeat
                )
                return attached(environment) { request in
                    if let lines = first.release() { return lines }
                    return context.taps.tapping(
                        try await platform.requestLines(request),
                        request,
                        of: name
                    )
                }
            }
        }
    }
}

extension StationContext {
    /// A person holds a button for something, or has let it go.
    fileprivate func held(_ hold: ButtonHold, by device: String) async {
        if hold == .claim {
            claims.open(by: device)
        } else {
            await reset.apply(hold, by: device)
            leds.refresh()
        }
    }

    /// Logs other possible users of these lines before the first try: a busy line shows none.
    func reportPins(of request: LineRequest, for name: String) {
        guard let hint = request.pinHint else { return }
        recorder.recordSoon(
            Event(
                at: clock.now,
                source: name,
                kind: .plain(.pinsShared),
                severity: .notice,
                ["hint": hint]
            )
        )
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
        var facts = [Fact("motionCount", motionCount)]
        if let motion = lastMotion {
            facts.append(Fact("lastMotionAgeSeconds", motion.start.age(at: now)))
        }
        facts += [
            Fact("edgeCount", edgeCount), Fact("shortPulseCount", shortPulseCount),
            Fact("overrunCount", overrunCount), Fact("muteCount", muteCount),
        ]
        return DeviceList.Account(state: state, facts: facts)
    }
}

extension ButtonStatus {
    fileprivate func account(at now: MonotonicInstant) -> DeviceList.Account {
        var facts = [Fact("pressCount", pressCount)]
        if let lastPress { facts.append(Fact("lastPressAgeSeconds", lastPress.age(at: now))) }
        let state =
            if mutedUntil != nil { "muted" } else if isStuck { "stuck" } else {
                isPressed ? "pressed" : "idle"
            }
        return DeviceList.Account(state: state, facts: facts)
    }
}

/// Lines that were opened before their driver, so that a driver starts only when it can.
final class FirstLines: Sendable {
    private let lines: Mutex<(any GPIOLines)?>

    init(_ lines: any GPIOLines) { self.lines = Mutex(lines) }

    /// Hands the lines over, once.
    func release() -> (any GPIOLines)? {
        lines.withLock { lines in
            defer { lines = nil }
            return lines
        }
    }
}
