import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct PinDevicesTests {
    private static func station(
        _ clock: SimulatedClock,
        _ folder: TestFolder
    ) throws -> TestStation {
        let text = """
            {"name": "test", "mode": "live", "detect": false,
             "devices": [{"name": "door", "type": "pir", "line": "GPIO17", "settleSeconds": 2}],
             "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
            """
        return try TestStation(clock, text)
    }

    private static func added(
        _ name: String,
        _ type: String,
        line: String? = nil,
        lines: [String]? = nil
    ) -> ConfigureDevice {
        var question = ConfigureDevice(name)
        (question.profile, question.line, question.lines) = (type, line, lines)
        question.isNew = true
        return question
    }

    @Test func partsOnPinsComeAndGoWithoutARestart() throws {
        let folder = try TestFolder(isInMemory: true)
        let (devices, pins, gone, history) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                var lamp = Self.added("lamp", "led", line: "22")
                lamp.shows = "motion"
                _ = try await test.ask(lamp)
                _ = try await test.ask(Self.added("bell", "button", line: "GPIO27"))
                let lines = ["GPIO9", "GPIO10", "GPIO11"]
                _ = try await test.ask(Self.added("lights", "traffic-light", lines: lines))
                try await test.sleep(.seconds(5))
                let pins = try await test.ask(GetPins()).body
                let devices = try await test.ask(GetDevices()).body
                _ = try await test.ask(ConfigureDevice.moving("lamp", to: "GPIO23"))
                try await test.sleep(.seconds(5))
                test.platform.gpio.drive("GPIO17", true)
                try await test.sleep(.seconds(2))
                let isLit = test.platform.gpio.level(of: "GPIO23")
                let gone = try await test.ask(RemoveDevice("lights")).body
                _ = try await test.ask(ForgetDevice("bell"))
                try await test.sleep(.seconds(2))
                let holders = ["GPIO9", "GPIO22", "GPIO27"].map(test.platform.gpio.holder)
                return (devices, pins, gone, (isLit, holders))
            }
        }
        let states = (devices?.devices ?? []).map { "\($0.name) \($0.origin ?? "-")" }.sorted()
        #expect(states == ["bell owner", "door file", "lamp owner", "lights owner"])
        let used = (pins?.items ?? []).compactMap(\.device)
        #expect(Set(used) == ["bell", "door", "lamp", "lights"] && used.count == 6)
        #expect(gone?.devices.contains { $0.name == "lights" } == false)
        #expect(history.0, "the lamp on its new pin shows motion")
        #expect(history.1 == [nil, nil, nil])
    }

    @Test func aConflictNamesWhoHasThePin() throws {
        let folder = try TestFolder(isInMemory: true)
        let failures = try simulate { clock in
            let test = try Self.station(clock, folder)
            test.platform.gpio.hold("GPIO8", by: "spi0 CS0")
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                _ = try await test.ask(Self.added("zoo", "led", line: "GPIO22"))
                return [
                    try await test.ask(Self.added("lamp", "led", line: "GPIO17")).error,
                    try await test.ask(Self.added("lamp", "led", line: "GPIO8")).error,
                    try await test.ask(Self.added("lamp", "led", line: "GPIO22")).error,
                    try await test.ask(Self.added("lamp", "led", line: "GPIO99")).error,
                    try await test.ask(Self.added("lamp", "led")).error,
                    try await test.ask(ConfigureDevice.moving("door", to: "GPIO22")).error,
                    try await test.ask(
                        Self.added("trio", "traffic-light", lines: ["GPIO5", "GPIO6", "GPIO16"])
                    ).error,
                ]
            }
        }
        let codes = failures.map { $0?.code }
        let wanted: [RefusalCode] = [
            .badRequest, .conflict, .badRequest, .badRequest, .notFound, .conflict, .badRequest,
        ]
        #expect(codes == wanted)
        let messages = failures.map { $0?.message ?? "" }
        #expect(messages[0].contains("in use by door"))
        #expect(messages[1].hasPrefix("GPIO8 is in use by spi0 CS0; GPIO7–11 belong to SPI0"))
        #expect(messages[2].contains("in use by zoo"))
        #expect(failures[6]?.pointer == "/name")
    }

    @Test func aMachineWithoutPinsSaysSo() throws {
        let folder = try TestFolder(isInMemory: true)
        let failure = try simulate { clock in
            let test = try Self.station(clock, folder)
            test.platform.gpio.disconnect(chip: "pinctrl-bcm2711")
            return try await test.run { test in
                try await test.ask(Self.added("lamp", "led", line: "GPIO22")).error
            }
        }
        #expect(failure?.code == .conflict && failure?.message.contains("no GPIO pins") == true)
    }
}

extension ConfigureDevice {
    fileprivate static func moving(_ name: String, to line: String) -> ConfigureDevice {
        var question = ConfigureDevice(name)
        question.line = line
        return question
    }
}
