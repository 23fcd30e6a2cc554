import HardwareIO

/// The 40-pin header of the station's computer, and what uses each pin now.
package struct PinsReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// The lines of the header are known.
        case seen
        /// The machine has no GPIO chip.
        case noChip
        /// A chip is there and cannot be opened.
        case noAccess
        /// No chip has the lines of such a header.
        case noHeader
    }

    package let state: State
    /// Why the lines cannot be seen; nil while they can be.
    package let why: String?
    /// What to do about that.
    package let nextStep: String?
    /// Label of the chip with the header's lines: `pinctrl-bcm2711`.
    package let chip: String?
    /// The computer's profile: `raspberry-pi-4`.
    package let board: String?
    /// Whether a held button can give this station away: it is an image; nil from older stations.
    package var canReset: Bool?
    /// Pins in the order of their numbers, 40 or none.
    package let items: [PinReport]

    /// A header whose lines are known.
    package init(chip: String, board: String?, items: [PinReport]) {
        (state, why, nextStep) = (.seen, nil, nil)
        (self.chip, self.board, self.items) = (chip, board, items)
    }

    /// No header, or one that cannot be seen.
    package init(_ state: State, why: String, nextStep: String, board: String?) {
        (self.state, self.why, self.nextStep) = (state, why, nextStep)
        (chip, self.board, items) = (nil, board, [])
    }
}

/// One pin of the header.
package struct PinReport: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case line, power3V3, power5V, ground
    }

    package enum State: String, Codable, Sendable, CaseIterable {
        case free
        /// A device of the station is configured there.
        case device
        /// Another program or the kernel holds it.
        case program
        /// The chip does not have it.
        case absent
    }

    /// 1…40.
    package let number: Int
    package let kind: Kind
    /// Name of the line: `GPIO17`; nil for power and ground.
    package var line: String?
    /// Its use now; nil for power and ground.
    package var state: State?
    /// The station's device, or `lights`.
    package var device: String?
    /// Whether that is a button which gives the station away when it is held for 15 s.
    package var resets: Bool?
    /// Name that the holder of the line gave; nil when it is free or its holder unnamed.
    package var holder: String?
    /// Whether it is driven now; nil while it is not known.
    package var isOutput: Bool?
    /// What makes its use risky, whether or not it is free.
    package var risk: HeaderPin.Risk?
    /// That risk, and what to do about it.
    package var sentence: String?

    package init(_ pin: HeaderPin) {
        number = pin.number
        kind =
            switch pin.role {
            case .line: .line
            case .power3V3: .power3V3
            case .power5V: .power5V
            case .ground: .ground
            }
        (line, risk, sentence) = (pin.name, pin.risk, pin.hint)
    }
}
