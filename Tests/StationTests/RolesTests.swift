import Configuration
import ControlProtocol
import Core
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct RolesTests {
    private static let pi4 = "Raspberry Pi 4 Model B Rev 1.4"

    @Test func theStatusNamesTheBoard() throws {
        let (report, hints) = try simulate { clock in
            let test = try TestStation(
                clock,
                #"{"name": "test", "devices": [{"name": "b", "type": "button", "line": "GPIO3"}]}"#,
                model: Self.pi4
            )
            return try await test.run { test in
                try await test.sleep(.seconds(1))
                return (test.station.status.board, test.events.compactMap { $0["hint"] })
            }
        }
        let board = try #require(report)
        #expect(board.id == "raspberry-pi-4" && board.model == Self.pi4)
        #expect(board.gpioChip == "pinctrl-bcm2711" && board.watchdogSeconds == 15)
        #expect(hints.count == 1 && hints[0].contains("I²C"), "told before the first try")
    }

    @Test func motionThatIsMutedIsLeftOutFromItsStartToItsEnd() throws {
        let text = """
            {"name": "test", "devices": [
              {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 0},
              {"name": "seen", "type": "led", "line": "GPIO23", "shows": "motion"}]}
            """
        let (kinds, lamps, codes) = try simulate { clock in
            let test = try TestStation(clock, text)
            let gpio = test.platform.gpio
            return try await test.run { test in
                var (lamps, codes): ([Bool], [String?]) = ([], [])
                func move(_ isMoving: Bool) async throws {
                    gpio.drive("GPIO17", isMoving)
                    try await test.sleep(.seconds(20))
                    lamps.append(gpio.level(of: "GPIO23"))
                }
                try await test.sleep(.minutes(2))
                try await move(true)
                codes.append(try await test.ask(MuteDevice("door")).error?.code.rawValue)
                try await move(false)
                try await move(true)
                codes.append(try await test.ask(UnmuteDevice("door")).error?.code.rawValue)
                try await move(false)
                try await move(true)
                try await move(false)
                codes.append(try await test.ask(MuteDevice("seen")).error?.code.rawValue)
                return (test.events.filter { $0.source == "door" }.map(\.kind.name), lamps, codes)
            }
        }
        // Motion under way at the mute still ends; motion that begins while muted is not recorded.
        #expect(kinds == ["motion", "motion ended", "motion", "motion ended"])
        #expect(lamps == [true, false, false, false, true, false])
        #expect(codes == [nil, nil, "not-found"])
    }

    @Test func aStationTellsPressesAndItsLampsShowWhatHappens() throws {
        let text = """
            {"name": "test", "mode": "live", "devices": [
              {"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
              {"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 0},
              {"name": "bell", "type": "button", "line": "GPIO27"},
              {"name": "alive", "type": "led", "line": "GPIO22"},
              {"name": "seen", "type": "led", "line": "GPIO23", "shows": "motion"},
              {"name": "air", "type": "led", "line": "GPIO24", "shows": "level"}]}
            """
        let (log, reports, events) = try simulate { clock in
            let test = try TestStation(clock, text)
            let gpio = test.platform.gpio
            gpio.drive("GPIO27", true)
            @Sendable func lamps() -> String {
                ["GPIO22", "GPIO23", "GPIO24"].map { gpio.level(of: $0) ? "1" : "0" }.joined()
            }
            var (log, reports) = try await test.run { test in
                var log: [String] = []
                try await test.sleep(.minutes(2))
                log.append(lamps())
                gpio.drive("GPIO17", true)
                gpio.drive("GPIO27", false)
                try await test.sleep(.seconds(2))
                gpio.drive("GPIO27", true)
                log.append(lamps())
                gpio.drive("GPIO17", false)
                try await test.sleep(.seconds(20))
                log.append(lamps())
                let reports = await test.station.context.devices.reports()
                test.line.unplug()
                test.platform.removePath(TestStation.port)
                try await test.sleep(.minutes(2))
                log.append(await test.station.context.devices.reports()[3].state)
                log.append(await test.station.context.devices.reports()[5].state)
                return (log, reports)
            }
            log.append(lamps())
            reports = reports.filter { $0.name == "bell" }
            return (log, reports, test.events)
        }
        #expect(log == ["101", "111", "101", "blinking", "flashing", "000"])
        #expect(reports[0].state == "idle" && reports[0].facts["pressCount"] == .number(1))
        let bell = events.filter { $0.source == "bell" }.map(\.kind.name)
        #expect(bell == ["pressed", "long press", "released"])
    }

    @Test func aLampShowsThatTheCameraIsRead() throws {
        let text = """
            {"name": "test", "devices": [
              {"name": "eye", "type": "led", "line": "GPIO22", "shows": "camera"}]}
            """
        let (lamps, codes) = try simulate { clock in
            let test = try TestStation(clock, text)
            let gpio = test.platform.gpio
            return try await test.run { test in
                var (lamps, codes): ([Bool], [String?]) = ([], [])
                func say(_ seconds: Double, then wait: Double) async throws {
                    let answer = try await test.ask(AnnounceCamera(for: .seconds(seconds)))
                    codes.append(answer.error?.code.rawValue ?? "\(answer.body?.lampCount ?? -1)")
                    try await test.sleep(.seconds(wait))
                    lamps.append(gpio.level(of: "GPIO22"))
                }
                try await test.sleep(.minutes(2))
                lamps.append(gpio.level(of: "GPIO22"))
                try await say(30, then: 20)
                try await say(30, then: 20)
                try await say(0, then: 1)
                // The camera's process was killed before it said "off": the lamp flashes.
                try await say(30, then: 95)
                let state = await test.station.context.devices.reports()[0].state
                codes.append(state)
                try await say(0, then: 1)
                try await say(61, then: 1)
                return (lamps, codes)
            }
        }
        #expect(Array(lamps.prefix(4)) == [false, true, true, false])
        #expect(codes == ["1", "1", "1", "1", "flashing", "1", "bad-request"])
        #expect(lamps.suffix(2) == [false, false])
    }
}
