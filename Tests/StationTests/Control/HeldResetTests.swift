import ControlProtocol
import Core
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
}
