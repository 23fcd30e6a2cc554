import ControlProtocol
import Core
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct ClaimWindowTests {
    private static let text = """
        {"name": "test", "devices": [
          {"name": "bell", "type": "button", "line": "GPIO27", "claims": true},
          {"name": "alive", "type": "led", "line": "GPIO22"}]}
        """

    @Test func aHeldButtonOpensTheWindowForFiveMinutes() throws {
        let (reports, patterns, events) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            let gpio = test.platform.gpio
            gpio.drive("GPIO27", true)
            return try await test.run { test in
                var (reports, patterns): ([ClaimWindowReport], [String]) = ([], [])
                func look() async throws {
                    reports.append(try await Self.window(test))
                    patterns.append(await test.station.context.devices.reports()[1].state)
                }
                func press(for length: Duration) async throws {
                    gpio.drive("GPIO27", false)
                    try await test.sleep(length)
                    gpio.drive("GPIO27", true)
                    try await test.sleep(.seconds(1))
                    try await look()
                }
                try await test.sleep(.minutes(2))
                try await press(for: .seconds(4))
                try await press(for: .seconds(6))
                try await test.sleep(.minutes(4))
                try await look()
                try await test.sleep(.minutes(1))
                try await look()
                return (reports, patterns, test.events.filter { $0.source == "control" })
            }
        }
        #expect(reports.map(\.cause) == [nil, .button, .button, nil])
        #expect(reports.map(\.device) == [nil, "bell", "bell", nil])
        #expect((290...300).contains(reports[1].leftSeconds ?? 0))
        #expect(patterns == ["on", "calling", "calling", "on"])
        #expect(events.map(\.kind.name) == ["claim window opened", "claim window closed"])
        #expect(events[0]["device"] == "bell" && events[0]["seconds"] == "300")
        #expect(events[1]["cause"] == "time")
        let length = events[0].instant.duration(to: events[1].instant)
        #expect(length >= .minutes(5) && length < .seconds(302))
    }

    @Test func theFirstClaimClosesItAndNoRequestOpensIt() throws {
        let (reports, refusal, events) = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            let gpio = test.platform.gpio
            gpio.drive("GPIO27", true)
            return try await test.run { test in
                try await test.sleep(.minutes(2))
                var question = UseClaimWindow()
                question.seconds = 300
                let refusal = try await test.ask(question).error?.code
                gpio.drive("GPIO27", false)
                try await test.sleep(.seconds(6))
                var reports = [try await Self.window(test)]
                _ = try await test.ask(UseClaimWindow(closing: true), for: "Anna")
                reports.append(try await Self.window(test))
                // Held on: one press opens it once.
                try await test.sleep(.seconds(20))
                reports.append(try await Self.window(test))
                return (reports, refusal, test.events.filter { $0.source == "control" })
            }
        }
        #expect(refusal == .badRequest)
        #expect(reports.map(\.cause) == [.button, nil, nil])
        #expect(events.map(\.kind.name) == ["claim window opened", "claim window closed"])
        #expect(events[1]["cause"] == "claimed" && events[1]["actor"] == "Anna")
    }

    /// A press that began before the station listens does not count, nor do presses by others.
    @Test func otherPressesOpenNothing() throws {
        let causes = try simulate { clock in
            let plain = Self.text.replacing(#", "claims": true"#, with: "")
            let test = try TestStation(clock, plain)
            let gpio = test.platform.gpio
            gpio.drive("GPIO27", true)
            return try await test.run { test in
                try await test.sleep(.minutes(2))
                gpio.drive("GPIO27", false)
                try await test.sleep(.seconds(20))
                return try await Self.window(test).cause
            }
        }
        #expect(causes == nil)
        let early = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            test.platform.gpio.drive("GPIO27", false)
            return try await test.run { test in
                try await test.sleep(.seconds(20))
                return try await Self.window(test).cause
            }
        }
        #expect(early == nil)
    }

    private static func window(_ test: TestStation) async throws -> ClaimWindowReport {
        let answer = try await test.ask(UseClaimWindow())
        return try #require(answer.body)
    }

    @Test func aRestartIsNotAPowerOn() throws {
        let said = try simulate { clock in
            let test = try TestStation(clock, Self.text)
            return try await test.run { test in
                let claims = test.station.context.claims
                let boot = BootID(bytes: [UInt8](repeating: 7, count: 16))
                let other = BootID(bytes: [UInt8](repeating: 8, count: 16))
                let made = {
                    ClaimWindow(test.station.context.recorder, clock: clock, changed: Signal())
                }
                return [
                    made().isFirst(in: boot, noted: nil),
                    made().isFirst(in: boot, noted: "\(other)"),
                    made().isFirst(in: boot, noted: "\(boot)"), claims.isOpen,
                ]
            }
        }
        #expect(said == [true, true, false, false])
    }
}
