import Profiles

/// Battery levels, in per cent, at which the station warns and shuts the machine down.
package struct BatteryConfiguration: Hashable, Sendable {
    /// Levels without the key `battery`.
    package static let standard = BatteryConfiguration(lowPercent: 25, powerOffPercent: nil)

    /// Charge in per cent at which the battery counts as low and an alert is raised, 2…99.
    package let lowPercent: Int
    /// Charge at which the machine is shut down, 1…90 and below `lowPercent`; nil for never.
    package let powerOffPercent: Int?

    package init(lowPercent: Int, powerOffPercent: Int?) {
        (self.lowPercent, self.powerOffPercent) = (lowPercent, powerOffPercent)
    }

    init(_ reader: ObjectReader) {
        var reader = reader
        let low = reader.number("lowPercent", in: 2...99).map { Int($0) }
        powerOffPercent = reader.number("powerOffPercent", in: 1...90).map { Int($0) }
        let standard = max(Self.standard.lowPercent, (powerOffPercent ?? 0) + 5)
        lowPercent = low ?? standard
        if let limit = powerOffPercent, limit >= lowPercent {
            reader.problem(
                "powerOffPercent",
                "expected less than lowPercent, \(lowPercent), so that an alert comes before; "
                    + "found \(limit)"
            )
        }
        reader.finish()
    }
}
