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

    /// Names at the service, in the order in which they are sent.
    private static let types: [(quantity: String, type: String)] = [
        ("pm10", "P1"), ("pm25", "P2"), ("pm1", "P0"), ("pm4", "P4"),
        ("temperature", "temperature"), ("humidity", "humidity"), ("pressure", "pressure"),
    ]

    /// Whether a device measures particulate matter.
    static func hasParticles(_ quantities: [Quantity]) -> Bool {
        quantities.contains { ["pm1", "pm25", "pm4", "pm10"].contains($0.name) }
    }

    /// Whether a device has a quantity for the service.
    static func takes(_ quantities: [Quantity]) -> Bool {
        quantities.contains { quantity in types.contains { $0.quantity == quantity.name } }
    }

    let items: [Item]

    /// Computes the means of samples of one device.
    init(_ samples: [OutboxSample]) {
        items = Self.types.compactMap { name, type in
            let values = samples.compactMap { Self.value($0[name]) }
            return Self.mean(values).map { Item(type: type, value: $0) }
        }
    }

    /// Returns why a sample has no value to send; nil where it has one.
    static func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        let outcomes = types.compactMap { sample[$0.quantity] }
        if outcomes.contains(where: { value($0) != nil }) { return nil }
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

    private static func value(_ outcome: Outcome?) -> FixedPoint? {
        guard case .value(let value, let quality)? = outcome, quality.isDisjoint(with: doubts)
        else { return nil }
        return value
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
