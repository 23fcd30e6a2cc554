/// Warnings about pins that SPI, I²C, the serial port or a HAT of a Pi may use as well.
package enum PinHint {
    /// Describes which other functions of a Pi use the pins of these lines.
    ///
    /// With SPI on, the Pi's kernel keeps the pins of SPI0, and a request fails; the default lamps
    /// are on three of them. A request for pins of I²C or of the serial port succeeds, and then
    /// both functions drive the same pins.
    ///
    /// The names are those of the Pi's device trees, downstream and upstream.
    ///
    /// - Source: Raspberry Pi, *BCM2711 ARM Peripherals*, 5.3, alternate functions of
    ///   GPIO 0…3, 7…11, 14, 15; *Device Trees, overlays, and parameters*, `spi`, `i2c_arm`,
    ///   `i2c_vc`, `uart0`.
    ///
    /// - Returns: One line of text, or nil when nothing else uses any of them.
    package static func text(lineNames: [String]) -> String? {
        let pins = Set(lineNames.compactMap { knownPins[$0] })
        let hints = [spi(pins), i2c(pins), serial(pins), hat(pins)].compactMap(\.self)
        return hints.isEmpty ? nil : hints.joined(separator: "; ")
    }

    /// Returns only the hint about SPI0; nil when no line is one of its pins.
    package static func spi(lineNames: [String]) -> String? {
        spi(Set(lineNames.compactMap { knownPins[$0] }))
    }

    private static let place = "in /boot/firmware/config.txt"

    private static func spi(_ pins: Set<Int>) -> String? {
        guard let lowest = pins.filter((7...11).contains).min() else { return nil }
        let range = lowest < 9 ? "GPIO7–11" : "GPIO9–11"
        return "\(range) belong to SPI0; turn SPI off with `dtparam=spi=off` \(place)"
    }

    private static func i2c(_ pins: Set<Int>) -> String? {
        guard pins.contains(where: (2...3).contains) else { return nil }
        return "GPIO2 and GPIO3 belong to I²C and have pull-ups on the board; while I²C is on, use "
            + "others, or turn it off with `dtparam=i2c_arm=off` \(place)"
    }

    private static func serial(_ pins: Set<Int>) -> String? {
        guard pins.contains(where: (14...15).contains) else { return nil }
        return "GPIO14 and GPIO15 belong to the serial port and its console; use others, or turn "
            + "it off with `enable_uart=0` \(place)"
    }

    private static func hat(_ pins: Set<Int>) -> String? {
        guard pins.contains(where: (0...1).contains) else { return nil }
        return "GPIO0 and GPIO1 are for the memory of a HAT and are read at boot; use others"
    }

    static let knownPins: [String: Int] = [
        "ID_SDA": 0, "ID_SCL": 1, "ID_SD": 0, "ID_SC": 1, "SDA1": 2, "SCL1": 3, "SPI_CE1_N": 7,
        "SPI_CE0_N": 8, "SPI_MISO": 9, "SPI_MOSI": 10, "SPI_SCLK": 11, "TXD0": 14, "RXD0": 15,
        "TXD1": 14, "RXD1": 15,
    ].merging(
        ([0, 1, 2, 3, 14, 15] + Array(7...11)).map { ("GPIO\($0)", $0) },
        uniquingKeysWith: { first, _ in first }
    )
}

extension LineRequest {
    /// Hints about all lines of this request, offsets of a Pi's own chip included.
    package var pinHint: String? {
        let isPinController = chipLabel?.hasPrefix("pinctrl-") ?? false
        let names = lines.compactMap { line -> String? in
            switch line {
            case .name(let name): name
            case .offset(let offset): isPinController ? "GPIO\(offset)" : nil
            }
        }
        return PinHint.text(lineNames: names)
    }
}
