/// One pin of the 40-pin header of a Raspberry Pi: what it is, and what makes its use risky.
///
/// All models with 40 pins share the header. Pulls are those after a reset; the station's inputs
/// set their own, but only once it runs.
///
/// - Source: Raspberry Pi, *Raspberry Pi hardware: GPIO and the 40-pin header*: numbers, power,
///   fixed pull-ups of GPIO2 and GPIO3, pins 27 and 28 for the memory of a HAT; Raspberry Pi,
///   *HAT design guide*, ID EEPROM: read at boot; Broadcom, *BCM2835 ARM Peripherals*, table 6-31:
///   pulls at reset, GPIO0…8 up and GPIO9…27 down, functions of GPIO7…11, 14 and 15; Raspberry Pi,
///   *RP1 Peripherals*, chapter 3: the same of a Raspberry Pi 5.
package struct HeaderPin: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        case power3V3, power5V, ground
        /// GPIO line 0…27.
        case line(Int)
    }

    /// Why a part on a line may be disturbed, or disturb the computer.
    package enum Risk: String, Codable, Hashable, Sendable, CaseIterable {
        /// The firmware reads the memory of a HAT there at each boot.
        case hatMemory
        /// The bus I²C, with pull-ups of 1.8 kΩ on the board.
        case i2c
        /// The serial console writes and reads there while it is on.
        case console
        /// The bus SPI0 while it is on.
        case spi
        /// Pulled up from the reset until the station starts.
        case pulledUp
    }

    /// 1…40.
    package let number: Int
    package let role: Role

    /// Number of its line, 0…27; nil for power and ground.
    package var line: Int? { if case .line(let line) = role { line } else { nil } }

    /// Name of its line, as `GPIO17`; nil for power and ground.
    package var name: String? { line.map { "GPIO\($0)" } }

    package var risk: Risk? {
        switch line {
        case 0?, 1?: .hatMemory
        case 2?, 3?: .i2c
        case 14?, 15?: .console
        case .some(7...11): .spi
        case .some(4...6): .pulledUp
        default: nil
        }
    }

    /// The risk and what to do, as one line of text; nil without a risk.
    package var hint: String? {
        guard let risk, let name else { return nil }
        guard risk == .pulledUp else { return PinHint.text(lineNames: [name]) }
        return "\(name) is pulled up until the station starts, so a lamp or relay there may be on "
            + "meanwhile; GPIO16 to GPIO27 are not"
    }

    /// The pins in the order of their numbers.
    package static let all: [HeaderPin] = {
        let lines = [
            3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24,
            19: 10, 21: 9, 22: 25, 23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12,
            33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
        ]
        return (1...40).map { number in
            let role: Role =
                switch number {
                case 1, 17: .power3V3
                case 2, 4: .power5V
                default: lines[number].map(Role.line) ?? .ground
                }
            return HeaderPin(number: number, role: role)
        }
    }()

    /// The pin of a line, by number, name or an older name of it: `GPIO17`, `ID_SDA`, `TXD1`.
    ///
    /// - Parameters:
    ///   - line: An offset counts where its chip is that of the header.
    ///   - chip: Label of the line's chip; nil where it was not named.
    package static func of(_ line: LineRequest.Line, chip: String?) -> HeaderPin? {
        let isOfHeader = chip?.hasPrefix("pinctrl-") ?? true
        let wanted: Int? =
            switch line {
            case .offset(let offset): isOfHeader ? offset : nil
            case .name(let name):
                PinHint.knownPins[name]
                    ?? (name.hasPrefix("GPIO") ? Int(name.dropFirst(4)) : nil)
            }
        return wanted.flatMap { wanted in all.first { $0.line == wanted } }
    }
}
