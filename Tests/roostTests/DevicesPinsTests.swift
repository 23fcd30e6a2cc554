import ControlProtocol
import HardwareIO
import Testing

@testable import roost

@Suite struct DevicesPinsTests {
    @Test func drawsTheHeaderInTwoColumns() {
        var items = HeaderPin.all.map(PinReport.init)
        for index in items.indices where items[index].kind == .line { items[index].state = .free }
        (items[10].state, items[10].device) = (.device, "door")
        (items[23].state, items[23].holder) = (.program, "spi0 CS0")
        let report = PinsReport(chip: "pinctrl-rp1", board: "raspberry-pi-5", items: items)
        let lines = DevicesPinsCommand.lines(report)
        #expect(lines[0] == "3.3 V                              1 |  2  5 V")
        #expect(lines[5] == "GPIO17 door                       11 | 12  GPIO18 free")
        #expect(lines[11] == "GPIO11! free                      23 | 24  GPIO8! held by spi0 CS0")
        #expect(lines.count == 34 && lines[20].hasPrefix("! pin 3: GPIO2 and GPIO3"))
    }

    @Test func namesTheButtonThatGivesTheStationAway() {
        var items = HeaderPin.all.map(PinReport.init)
        (items[12].state, items[12].device, items[12].resets) = (.device, "bell", true)
        var report = PinsReport(chip: "pinctrl-rp1", board: nil, items: items)
        #expect(
            DevicesPinsCommand.lines(report).last
                == "bell on pin 13: held for 15 s it gives this station away"
        )
        report.canReset = false
        #expect(DevicesPinsCommand.lines(report).last?.hasSuffix("this is none") == true)
    }

    @Test func saysTheNextStepWithoutAHeader() {
        let report = PinsReport(.noChip, why: "no pins", nextStep: "buy a Pi", board: nil)
        #expect(DevicesPinsCommand.lines(report) == ["no pins", "next: buy a Pi"])
    }
}
