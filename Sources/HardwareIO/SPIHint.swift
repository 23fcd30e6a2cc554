extension LineRequest {
    /// What to say of lines that SPI0 may hold, before the first try or once a line is busy.
    ///
    /// With SPI on, the Pi's kernel keeps the pins of SPI0; the default lamps are on three of them.
    /// Names are those of the Pi's device trees: `GPIO9` downstream, `SPI_MISO` upstream.
    ///
    /// - Source: Raspberry Pi, *BCM2711 ARM Peripherals*, 5.3, alternate function 0 of GPIO 7…11;
    ///   *Device Trees, overlays, and parameters*, `dtparam=spi`.
    ///
    /// - Parameter lineNames: The lines that are wanted.
    /// - Returns: One line of words, or nil when SPI0 has none of them.
    package static func spiHint(lineNames: [String]) -> String? {
        let owned = lineNames.compactMap { spi0Pins[$0] }
        guard let lowest = owned.min() else { return nil }
        let range = lowest < 9 ? "GPIO7–11" : "GPIO9–11"
        return "\(range) belong to SPI0; "
            + "turn SPI off with `dtparam=spi=off` in /boot/firmware/config.txt"
    }

    /// The same for the lines of this request, offsets of a Pi's own chip included.
    package var spiHint: String? {
        let isPinController = chipLabel?.hasPrefix("pinctrl-") ?? false
        let names = lines.compactMap { line -> String? in
            switch line {
            case .name(let name): name
            case .offset(let offset): isPinController ? "GPIO\(offset)" : nil
            }
        }
        return Self.spiHint(lineNames: names)
    }

    private static let spi0Pins = [
        "GPIO7": 7, "GPIO8": 8, "GPIO9": 9, "GPIO10": 10, "GPIO11": 11,
        "SPI_CE1_N": 7, "SPI_CE0_N": 8, "SPI_MISO": 9, "SPI_MOSI": 10, "SPI_SCLK": 11,
    ]
}
