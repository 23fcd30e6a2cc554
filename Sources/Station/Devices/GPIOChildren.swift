import ControlProtocol
import Core
import Devices
import HardwareIO
import Supervision

extension StationContext {
    /// Logs before the first try what else uses these lines: a busy line alone does not show why.
    func tellPins(of request: LineRequest, for name: String) {
        guard let hint = request.pinHint else { return }
        recorder.note(
            Event(
                at: clock.now,
                source: name,
                kind: "pins shared",
                severity: .notice,
                ["hint": hint]
            )
        )
    }

    /// The child that keeps something on one line attached.
    fileprivate func lineSpec(
        _ name: String,
        _ request: LineRequest,
        _ attached:
            @escaping @Sendable (
                DriverEnvironment, @escaping @Sendable (LineRequest) async throws -> any GPIOLines
            ) -> DeviceSession.Attached
    ) -> ChildSpec {
        tellPins(of: request, for: name)
        return ChildSpec(id: name, heartbeatLimit: .minutes(2)) { heartbeat in
            let subject = DeviceSession.Subject(name: name, path: nil, channels: [])
            return DeviceSession(subject, station: self, heartbeat: heartbeat) { heartbeat in
                let first = FirstLines(try await platform.requestLines(request))
                let environment = DriverEnvironment(
                    clock: clock,
                    sink: recorder,
                    heartbeat: heartbeat
                )
                return attached(environment) { request in
                    if let lines = first.take() { return lines }
                    return try await platform.requestLines(request)
                }
            }
        }
    }
}

extension ButtonSettings {
    func spec(_ name: String, _ context: StationContext) -> ChildSpec {
        context.lineSpec(name, request(consumer: "roost \(name)")) { environment, open in
            let driver = ButtonDriver(
                name: name,
                settings: self,
                environment: environment,
                open: open
            )
            return DeviceSession.Attached(driver: driver) {
                driver.status.account(at: context.clock.now)
            }
        }
    }
}

extension LEDConfiguration {
    func spec(_ name: String, _ context: StationContext) -> ChildSpec {
        context.lineSpec(name, settings.request(consumer: "roost \(name)")) { environment, open in
            let light = context.leds.light(name)
            let driver = LEDDriver(
                name: name,
                light: light,
                settings: settings,
                environment: environment,
                open: open
            )
            return DeviceSession.Attached(driver: driver) {
                DeviceList.Account(
                    state: light.pattern.rawValue,
                    facts: [
                        .init("shows", shows.rawValue), .init("changes", "\(light.changeCount)"),
                    ]
                )
            }
        }
    }
}

extension ButtonStatus {
    fileprivate func account(at now: MonotonicInstant) -> DeviceList.Account {
        var facts: [Event.Detail] = [.init("presses", "\(pressCount)")]
        if let lastPress { facts.append(.init("last press", "\(lastPress.age(at: now)) s ago")) }
        let state =
            if mutedUntil != nil { "muted" } else if isStuck { "stuck" } else {
                isPressed ? "pressed" : "idle"
            }
        return DeviceList.Account(state: state, facts: facts)
    }
}
