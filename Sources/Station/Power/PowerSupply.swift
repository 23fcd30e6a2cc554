/// One power supply of the machine, as the kernel describes it.
package struct PowerSupply: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// A battery, or a UPS with one.
        case battery
        /// External power that charges the battery: mains, PoE, USB.
        case mains
    }

    /// Whether a battery loses or gains charge; `unknown` where its gauge does not say.
    package enum Flow: String, Hashable, Sendable {
        case charging, discharging, idle, full, unknown
    }

    package let name: String
    package let kind: Kind
    /// Charge that is left, 0…100; nil where the gauge does not say.
    package var percent: Int?
    package var flow = Flow.unknown
    /// Whether power comes in; nil where the supply does not say.
    package var isOnline: Bool?

    package init(
        _ name: String,
        _ kind: Kind,
        percent: Int? = nil,
        flow: Flow = .unknown,
        isOnline: Bool? = nil
    ) {
        (self.name, self.kind) = (name, kind)
        (self.percent, self.flow, self.isOnline) = (percent, flow, isOnline)
    }
}

/// Combined state of all batteries of a machine.
package struct Battery: Hashable, Sendable {
    /// Charge of the fullest battery: the machine runs for as long as that one lasts.
    package let percent: Int?
    /// Whether the machine runs on the battery; nil where no gauge reports it.
    let isDischarging: Bool?

    package init(percent: Int?, isDischarging: Bool?) {
        (self.percent, self.isDischarging) = (percent, isDischarging)
    }

    /// Combines the batteries among the supplies; nil without a battery.
    package init?(_ supplies: [PowerSupply]) {
        let batteries = supplies.filter { $0.kind == .battery }
        guard !batteries.isEmpty else { return nil }
        percent = batteries.compactMap(\.percent).max()
        let flows = batteries.map(\.flow)
        let isFed = supplies.contains { $0.isOnline == true }
        if flows.contains(.charging) || flows.allSatisfy({ $0 == .full }) {
            isDischarging = false
        } else if flows.contains(.discharging) {
            isDischarging = true
        } else {
            // A plain gauge, such as a MAX17040, reports no direction of its charge.
            isDischarging = isFed || flows.contains(.idle) ? false : nil
        }
    }
}
