import Configuration
import ControlProtocol
import Devices
import HardwareIO
import Testing

@testable import Profiles
@testable import SimulationKit
@testable import Station

@Suite struct PinTableTests {
    private static func pin(_ name: String, of report: PinsReport?) -> PinReport? {
        report?.items.first { $0.line == name }
    }

    @Test func saysWhoHasEachPin() throws {
        let answer = try simulate { clock in
            let test = try TestStation(clock)
            test.platform.gpio.hold("GPIO8", by: "spi0 CS0")
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                return try await test.ask(GetPins())
            }
        }
        let report = try #require(answer.body)
        #expect(report.state == .seen && report.chip == "pinctrl-bcm2711")
        #expect(report.items.map(\.number) == Array(1...40))
        let door = try #require(Self.pin("GPIO17", of: report))
        #expect(door.state == .device && door.device == "door" && door.holder == nil)
        #expect(door.isOutput == false && door.risk == nil)
        let lamp = try #require(Self.pin("GPIO9", of: report))
        #expect(lamp.device == "lights" && lamp.isOutput == true && lamp.risk == .spi)
        let bus = try #require(Self.pin("GPIO8", of: report))
        #expect(bus.state == .program && bus.holder == "spi0 CS0")
        #expect(Self.pin("GPIO27", of: report)?.state == .free)
        #expect(report.items[5].kind == .ground && report.items[5].state == nil)
    }

    @Test func namesTheHolderOfAPinThatADeviceWants() throws {
        let answer = try simulate { clock in
            let test = try TestStation(clock)
            test.platform.gpio.hold("GPIO17", by: "pigpio")
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                return try await test.ask(GetPins())
            }
        }
        let door = try #require(Self.pin("GPIO17", of: answer.body))
        #expect(door.state == .device && door.device == "door" && door.holder == "pigpio")
    }

    /// A chip as a Pi 5 has it: the header is not the first chip, and is found by its label.
    @Test func findsTheHeaderOfAPi5ByItsLabel() throws {
        let board = try #require(ProfileCatalog.shipped.profile("raspberry-pi-5"))
        let lines = (0..<54).map { offset in
            GPIOLineReport(
                offset: offset,
                name: offset < 28 ? "GPIO\(offset)" : nil,
                consumer: nil,
                isUsed: false,
                isOutput: false,
                isActiveLow: false
            )
        }
        let others = GPIOChipReport(
            path: "/dev/gpiochip0",
            label: "gpio-brcmstb@107d508500",
            lines: lines,
            problem: nil
        )
        let header = GPIOChipReport(
            path: "/dev/gpiochip4",
            label: "pinctrl-rp1",
            lines: lines,
            problem: nil
        )
        let table = PinTable(chips: [others, header], board: board, used: [])
        #expect(table.report.chip == "pinctrl-rp1" && table.report.board == "raspberry-pi-5")
        #expect(table.report.items.count { $0.state == .free } == 28)
    }

    @Test func saysWhyThereIsNoHeader() throws {
        let board = try #require(ProfileCatalog.shipped.profile("raspberry-pi-4"))
        let none = PinTable(chips: [], board: nil, used: []).report
        #expect(none.state == .noChip && none.items.isEmpty && none.nextStep != nil)
        let kernel = PinTable(chips: [], board: board, used: []).report
        #expect(kernel.why?.contains("Raspberry Pi 4") == true)
        let expander = GPIOChipReport(path: "/dev/gpiochip0", label: "x", lines: [], problem: nil)
        let other = PinTable(chips: [expander], board: nil, used: []).report
        #expect(other.state == .noHeader && other.why?.hasSuffix("there is x") == true)
    }

    @Test func saysWhenTheChipMayNotBeOpened() throws {
        let answer = try simulate { clock in
            let test = try TestStation(clock)
            test.platform.gpio.setPermitted(false)
            return try await test.run { try await $0.ask(GetPins()) }
        }
        #expect(answer.body?.state == .noAccess)
        #expect(answer.body?.why?.contains("/dev/gpiochip0") == true)
    }
}
