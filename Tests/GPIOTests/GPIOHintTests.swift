import HardwareIO
import Testing

@Suite struct GPIOHintTests {
    @Test func namesThePinsOfSPI0() {
        #expect(
            PinHint.text(lineNames: ["GPIO9", "GPIO10", "GPIO11"])
                == "GPIO9–11 belong to SPI0; "
                + "turn SPI off with `dtparam=spi=off` in /boot/firmware/config.txt"
        )
        let withSelects = PinHint.text(lineNames: ["GPIO11", "GPIO7"])
        #expect(withSelects?.hasPrefix("GPIO7–11 belong") == true)
        #expect(PinHint.text(lineNames: ["SPI_MOSI"])?.hasPrefix("GPIO9–11") == true)
        #expect(PinHint.text(lineNames: ["GPIO17", "GPIO12", "GPIO6"]) == nil)
    }

    @Test(arguments: [
        (["GPIO2"], "I²C", "dtparam=i2c_arm=off"), (["SCL1", "GPIO17"], "I²C", "pull-ups"),
        (["GPIO14"], "serial port", "enable_uart=0"), (["ID_SDA"], "HAT", "use others"),
    ])
    func namesThePinsOfOtherBusesAndPorts(names: [String], owner: String, act: String) throws {
        let hint = try #require(PinHint.text(lineNames: names))
        #expect(hint.contains(owner) && hint.contains(act) && !hint.contains("SPI"))
        #expect(PinHint.spi(lineNames: names) == nil)
    }

    @Test func namesEveryOwnerOfAMixedRequest() throws {
        let hint = try #require(PinHint.text(lineNames: ["GPIO3", "GPIO9"]))
        #expect(hint.contains("SPI0") && hint.contains("I²C"))
    }

    @Test(arguments: [("pinctrl-rp1", true), ("raspberrypi-exp-gpio", false)])
    func countsOffsetsOfThePisOwnChip(label: String, isHinted: Bool) {
        let request = LineRequest(
            chipLabel: label,
            lines: [.offset(9), .offset(10)],
            direction: .output(initially: [false, false]),
            consumer: "roost"
        )
        #expect((request.pinHint != nil) == isHinted)
    }
}
