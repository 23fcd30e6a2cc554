import Core

/// Values at which each level begins, and below which it ends.
///
/// A level is reached at once, at its limit. It is left only below a second, lower value
/// (hysteresis): air at the limit would flicker otherwise. The limits of an index and those of an
/// owner are compared with a short mean, so that a cigarette does not turn the lamp.
package struct LevelRule: Hashable, Sendable {
    /// One level of one quantity.
    package struct Limit: Hashable, Sendable {
        package let level: AirLevel
        /// The level begins here, this value included.
        package let reachedAt: FixedPoint
        /// The level ends below this value; `reachedAt` at most.
        package let leftBelow: FixedPoint

        package init(_ level: AirLevel, reachedAt: FixedPoint, leftBelow: FixedPoint) {
            precondition(leftBelow <= reachedAt, "a level cannot end above where it begins")
            self.level = level
            self.reachedAt = reachedAt
            self.leftBelow = leftBelow
        }

        /// An owner's limit: a decimal above 0, at most 1 000 000.
        fileprivate init?(_ level: AirLevel, own text: some StringProtocol) {
            guard let value = Double(text), value > 0, value <= 1_000_000,
                let from = FixedPoint(decimal: text),
                let below = FixedPoint(decimal: "\(value * 0.9)"), below < from, below > 0
            else { return nil }
            self.init(level, reachedAt: from, leftBelow: below)
        }
    }

    /// The limits of one quantity.
    package struct Scale: Hashable, Sendable {
        /// The name of the quantity: `pm25`.
        package let quantity: String
        /// By rising level, 1…2; below the first the level is good.
        package let limits: [Limit]

        package init(quantity: String, limits: [Limit]) {
            precondition((1...2).contains(limits.count), "there are two levels above good")
            precondition(limits[0].level > .good && limits.last.map(\.level) != .good)
            for (lower, upper) in zip(limits, limits.dropFirst()) {
                precondition(lower.level < upper.level && lower.reachedAt < upper.leftBelow)
            }
            self.quantity = quantity
            self.limits = limits
        }

        /// The level of `value`, which may be kept up by the level before.
        package func level(of value: FixedPoint, after previous: AirLevel?) -> AirLevel {
            let isHeld = { (limit: Limit) in
                previous.map { $0 >= limit.level } ?? false
            }
            let limit = limits.last { value >= (isHeld($0) ? $0.leftBelow : $0.reachedAt) }
            return limit?.level ?? .good
        }
    }

    /// Its name in a configuration: `eaqi`.
    package let name: String
    /// Source of the limits.
    package let source: String
    /// One for each quantity that counts, at most 8; others are ignored.
    package let scales: [Scale]

    package init(name: String, source: String, scales: [Scale]) {
        precondition((1...8).contains(scales.count), "a rule has 1 to 8 scales")
        (self.name, self.source, self.scales) = (name, source, scales)
    }

    /// Whether it judges the mean of `ShortMean.span`, and not each sample by itself.
    package var judgesMean: Bool { name != Self.sampleLevels.name }

    /// The limits of two bands of an index, for the mean of a quarter of an hour.
    ///
    /// A level begins at the band's edge itself, and ends a tenth below it.
    private init(_ index: AirIndex, moderateFrom: String, poorFrom: String) {
        let scales = ["pm25", "pm10"].map { quantity in
            let limits = [(AirLevel.moderate, moderateFrom), (.poor, poorFrom)].map { level, band in
                guard let edge = index.start(of: band, for: quantity),
                    let from = FixedPoint(decimal: "\(edge)"),
                    let below = FixedPoint(decimal: "\((edge * 9).rounded() / 10)")
                else { preconditionFailure("\(index.id) has no band \(band) of \(quantity)") }
                return Limit(level, reachedAt: from, leftBelow: below)
            }
            return Scale(quantity: quantity, limits: limits)
        }
        self.init(name: index.id, source: index.source, scales: scales)
    }

    /// The rules that an owner can choose from; the first is the default.
    package static let all = [
        sampleLevels,
        LevelRule(AirIndexTables.european, moderateFrom: "moderate", poorFrom: "poor"),
        LevelRule(AirIndexTables.usNowCast, moderateFrom: "moderate", poorFrom: "sensitive"),
        LevelRule(
            AirIndexTables.who,
            moderateFrom: "above-guideline",
            poorFrom: "above-target-3"
        ),
    ]

    /// Finds a rule by its name; an owner's limits are named by themselves.
    package static func named(_ name: String) -> LevelRule? {
        all.first { $0.name == name } ?? LevelRule(own: name)
    }

    /// The quantities that an owner can set limits of.
    package static let ownQuantities = ["pm25", "pm10", "pm1", "pm4", "co2"]

    /// The form of an owner's limits, as text.
    package static let ownForm =
        "own limits such as \"pm25 10 20, pm10 20 40\": where yellow and red begin, red by more "
        + "than a ninth above yellow, of " + ownQuantities.joined(separator: ", ")

    /// Reads an owner's limits in `ownForm`: each quantity once, limits above 0, up to 1 000 000.
    ///
    /// A level ends a tenth below its limit.
    private init?(own text: String) {
        guard text.utf8.count <= 120 else { return nil }
        var scales: [Scale] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let fields = part.split(separator: " ")
            guard fields.count == 3, Self.ownQuantities.contains(String(fields[0])),
                !scales.contains(where: { $0.quantity == fields[0] }),
                let moderate = Limit(.moderate, own: fields[1]),
                let poor = Limit(.poor, own: fields[2]), moderate.reachedAt < poor.leftBelow
            else { return nil }
            scales.append(Scale(quantity: String(fields[0]), limits: [moderate, poor]))
        }
        let name = scales.map { scale in
            ([scale.quantity] + scale.limits.map { "\($0.reachedAt)" }).joined(separator: " ")
        }
        self.init(name: name.joined(separator: ", "), source: "the owner", scales: scales)
    }

    /// The traffic light of single samples: red from 5 and 15, yellow from 3 and 10 µg/m³.
    ///
    /// The margins are ours: a tenth of the limit for red, 0.5 and 1.5 µg/m³. That is five and
    /// fifteen steps of the SDS011's resolution, and less than a third of the yellow band, so each
    /// colour can be reached from both sides.
    ///
    /// - Source: the limits of the first systems, for a single sample of a classroom light.
    package static let sampleLevels = LevelRule(
        name: "sample-levels",
        source: "the first systems, for a single sample of a classroom light",
        scales: [
            Scale(
                quantity: Quantity.pm25.name,
                limits: [
                    Limit(.moderate, reachedAt: 3, leftBelow: 2.5),
                    Limit(.poor, reachedAt: 5, leftBelow: 4.5),
                ]
            ),
            Scale(
                quantity: Quantity.pm10.name,
                limits: [
                    Limit(.moderate, reachedAt: 10, leftBelow: 8.5),
                    Limit(.poor, reachedAt: 15, leftBelow: 13.5),
                ]
            ),
        ]
    )
}
