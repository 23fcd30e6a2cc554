import Core

/// Values of one device, named and written as the firmware airrohr does.
///
/// Several samples become their mean, as the firmware does it between two uploads: numbers with two
/// decimals, rounded half away from zero. Doubtful values do not count.
struct CommunityValues: Hashable, Sendable {
    /// A value with the service's name for it.
    struct Item: Hashable, Sendable {
        let type: String
        let value: FixedPoint
    }

    /// Doubts that keep a value back; users of the services themselves correct for humid air.
    static let doubts: Quality = [
        .unchanging, .zero, .inconsistent, .disagrees, .ceiling,
    ]

    /// A quantity's name at the service, and the units that it may have: with the power of ten that
    /// makes them the service's.
    private struct Kind {
        let quantity: String
        let type: String
        let units: [String: Int]
    }

    private static let dust = ["µg/m³": 0, "mg/m³": 3]

    /// In the order in which they are sent.
    ///
    /// - Source: opendata-stuttgart/sensors-software, `airrohr-firmware.ino`: a BME280, BMP280 or
    ///   BMP180 says its pressure in Pa; an SCD30 `co2_ppm`.
    private static let kinds = [
        Kind(quantity: "pm10", type: "P1", units: dust),
        Kind(quantity: "pm25", type: "P2", units: dust),
        Kind(quantity: "pm1", type: "P0", units: dust),
        Kind(quantity: "pm4", type: "P4", units: dust),
        Kind(quantity: "temperature", type: "temperature", units: ["°C": 0]),
        Kind(quantity: "humidity", type: "humidity", units: ["%": 0]),
        Kind(quantity: "pressure", type: "pressure", units: ["Pa": 0, "hPa": 2, "kPa": 3]),
        Kind(quantity: "co2", type: "co2_ppm", units: ["ppm": 0]),
    ]

    /// Whether a device measures particulate matter.
    static func hasParticles(_ quantities: [Quantity]) -> Bool {
        quantities.contains { ["pm1", "pm25", "pm4", "pm10"].contains($0.name) }
    }

    /// Whether a device has a quantity for the service.
    static func takes(_ quantities: [Quantity]) -> Bool {
        quantities.contains { quantity in
            kinds.contains { $0.quantity == quantity.name && $0.units[quantity.unit] != nil }
        }
    }

    let items: [Item]

    /// Computes the means of samples of one device.
    init(_ samples: [OutboxSample]) {
        items = Self.kinds.compactMap { kind in
            let values = samples.compactMap { Self.value(of: kind, in: $0) }
            return Self.mean(values).map { Item(type: kind.type, value: $0) }
        }
    }

    /// Returns why a sample has no value to send; nil where it has one.
    static func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        if kinds.contains(where: { value(of: $0, in: sample) != nil }) { return nil }
        let outcomes = kinds.compactMap { sample[$0.quantity] }
        return outcomes.contains { $0.value != nil } ? .flagged : .noValue
    }

    /// Makes the members `"software_version"` and `"sensordatavalues"` of the body.
    func body(version: String, prefix: String = "") -> String {
        let values = items.map { item in
            WireJSON.object([
                ("value_type", WireJSON.string(prefix + item.type)),
                ("value", WireJSON.string(item.value.description)),
            ])
        }
        return WireJSON.object([
            ("software_version", WireJSON.string("roost-\(version)")),
            ("sensordatavalues", WireJSON.array(values)),
        ])
    }

    /// Returns a value in the service's unit; nil without one, or where it is too doubtful.
    private static func value(of kind: Kind, in sample: OutboxSample) -> FixedPoint? {
        guard let index = sample.quantities.firstIndex(where: { $0.name == kind.quantity }),
            case .value(let value, let quality) = sample.outcomes[index],
            quality.isDisjoint(with: doubts),
            let power = kind.units[sample.quantities[index].unit]
        else { return nil }
        // The firmware sends CO₂ of a sensor of CO₂ alone.
        guard kind.quantity != "co2" || !hasParticles(sample.quantities) else { return nil }
        return value.scaled(byPowerOfTen: power)
    }

    /// Returns the mean with two decimals; nil without values or beyond what 63 bits hold.
    private static func mean(_ values: [FixedPoint]) -> FixedPoint? {
        guard !values.isEmpty, let decimals = values.map(\.decimals).max() else { return nil }
        var sum: Int64 = 0
        for value in values {
            guard let mantissa = value.mantissa(atDecimals: decimals) else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(mantissa)
            guard !overflow else { return nil }
            sum = next
        }
        var (above, below) = (sum, Int64(values.count))
        for _ in 0..<abs(decimals - 2) {
            let isLarger = decimals > 2
            let (next, overflow) = (isLarger ? below : above).multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            if isLarger { below = next } else { above = next }
        }
        let half = above < 0 ? -(below / 2) : below / 2
        return FixedPoint((above + half) / below, decimals: 2)
    }
}
