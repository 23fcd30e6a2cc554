import ControlProtocol
import Core
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

/// A button on a simulated pin that gives the station away.
@Suite struct HeldResetTests {
    private static let text = """
        {"name": "test", "devices": [
          {"name": "bell", "type": "button", "line": "GPIO27", "resets": true},
          {"name": "alive", "type": "led", "line": "GPIO22"}]}
        """

    private struct Seen {
        var patterns: [String] = []
        var counts: [Int] = []
        var events: [Event] = []
    }

    /// Holds the button as long as each of these, in seconds, and looks before and after its end.
    private static func hold(
        _ lengths: [Double],
        refusal: ResetError? = nil,
        text: String = text
    ) throws -> Seen {
        try simulate { clock in
            let test = try TestStation(clock, text)
            let gpio = test.platform.gpio
            gpio.drive("GPIO27", true)
            test.platform.refuseReset(with: refusal)
            return try await test.run { test in
                var seen = Seen()
                func look() async {
                    seen.patterns.append(await test.station.context.devices.reports()[1].state)
                    seen.counts.append(test.platform.resetCount)
                }
                try await test.sleep(.minutes(2))
                for length in lengths {
                    gpio.drive("GPIO27", false)
                    try await test.sleep(.milliseconds(Int64(length * 1_000)))
                    await look()
                    gpio.drive("GPIO27", true)
                    try await test.sleep(.seconds(1))
                    await look()
                }
                seen.events = test.events.filter { $0.source == "control" }
                return seen
            }
        }
    }

    @Test func heldForFifteenSecondsItAsksOnce() throws {
        let seen = try Self.hold([2, 14, 30])
        #expect(seen.counts == [0, 0, 0, 0, 1, 1])
        #expect(seen.patterns == ["on", "on", "blinking", "on", "on", "on"])
        #expect(seen.events.map(\.kind.name) == ["reset asked for"])
        #expect(seen.events.first?["device"] == "bell")
    }

    @Test func whereItCannotBeDoneItSaysSo() throws {
        let seen = try Self.hold([16], refusal: ResetError("this is no image"))
        #expect(seen.patterns == ["on", "on"])
        #expect(seen.events.map(\.kind.name) == ["reset refused"])
        #expect(seen.events.first?["reason"] == "this is no image")
    }

    @Test func otherButtonsGiveNothingAway() throws {
        let text = Self.text.replacing(#""resets": true"#, with: #""claims": true"#)
        #expect(try Self.hold([30], text: text).counts == [0, 0])
    }

    /// What an owner asks of a button while the station runs, and what the pins say then.
    private static func asked(
        _ questions: [ConfigureDevice],
        refusal: ResetError? = nil
    ) throws -> (errors: [ControlFailure?], pins: PinsReport?, devices: [DeviceReport]) {
        let folder = try TestFolder(isInMemory: true)
        let text = """
            {"name": "test", "detect": false, "devices": [
              {"name": "door", "type": "button", "line": "GPIO17"}],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        return try simulate { clock in
            let test = try TestStation(clock, text)
            test.platform.refuseReset(with: refusal)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                var errors: [ControlFailure?] = []
                for question in questions {
                    let answer = try await test.ask(question)
                    errors.append(answer.error)
                }
                try await test.sleep(.seconds(2))
                let pins = try await test.ask(GetPins()).body
                return (errors, pins, try await test.ask(GetDevices()).body?.devices ?? [])
            }
        }
    }

    private static func part(_ name: String, _ type: String, _ line: String) -> ConfigureDevice {
        var question = ConfigureDevice(name)
        (question.profile, question.line) = (type, line)
        return question
    }

    private static func resetting(_ question: ConfigureDevice, _ isOn: Bool) -> ConfigureDevice {
        var question = question
        question.resets = isOn
        return question
    }

    @Test func anOwnerChoosesTheButton() throws {
        let bell = Self.part("bell", "button", "GPIO27")
        let on = try Self.asked([Self.resetting(bell, true)])
        #expect(on.errors == [nil])
        #expect(on.pins?.canReset == true)
        #expect(on.pins?.items.filter { $0.resets == true }.map(\.device) == ["bell"])
        #expect(on.devices.map(\.resets) == [false, true])
        let off = try Self.asked([
            Self.resetting(bell, true), Self.resetting(ConfigureDevice("bell"), false),
        ])
        #expect(off.errors == [nil, nil])
        #expect(off.devices.map(\.resets) == [false, false])
    }

    @Test func itIsRefusedWhereItWouldDoNothing() throws {
        let bell = Self.part("bell", "button", "GPIO27")
        let none = try Self.asked(
            [Self.resetting(bell, true), bell, Self.resetting(ConfigureDevice("bell"), true)],
            refusal: ResetError("this is no image")
        )
        #expect(none.errors.map { $0?.code } == [.conflict, nil, .conflict])
        #expect(none.errors.map { $0?.pointer } == ["/resets", nil, "/resets"])
        #expect(none.pins?.canReset == false)
        #expect(none.devices.map(\.resets) == [false, false])
        let others = try Self.asked([
            Self.resetting(Self.part("lamp", "led", "GPIO22"), true),
            Self.resetting(ConfigureDevice("door"), true),
            Self.resetting(ConfigureDevice("none"), true),
        ])
        #expect(others.errors.map { $0?.code } == [.badRequest, .conflict, .badRequest])
        #expect(others.errors.map { $0?.pointer } == ["/resets", "/resets", "/resets"])
    }
}
