/// One reading: a value with its quality flags, or why there is none.
package struct ReadingReport: Codable, Hashable, Sendable {
    package let channel: String
    /// Seconds since boot.
    package let instantSeconds: Double
    package let ageSeconds: Double
    /// The value; nil when there is none that counts.
    package let value: Double?
    /// How many decimals the value has.
    package let decimals: Int
    package let unit: String
    /// `ceiling`, `inconsistent`, `unchanging`; empty when nothing is wrong.
    package let quality: [String]
    /// Why there is no value.
    package let noData: String?
    /// ISO 8601 in UTC; nil while the clock was never set.
    package var time: String?
    /// Whether the time comes from a trusted clock; nil without a time.
    package var isSure: Bool?
    /// Its level by the limits in use, with hysteresis: `good`; on the live stream only, and nil
    /// without limits or a value, or while there is no mean.
    package var level: String?
    /// The mean of a quarter of an hour that the level comes from; on the live stream only, and nil
    /// where the limits are for single samples.
    package var levelMean: Double?
    /// An implausible value that the part reported; then `value` is nil.
    package var omitted: Double?

    package init(
        channel: String,
        instantSeconds: Double,
        ageSeconds: Double,
        outcome: (value: Measured?, noData: String?),
        unit: String,
        quality: [String]
    ) {
        self.channel = channel
        self.instantSeconds = instantSeconds
        self.ageSeconds = ageSeconds
        (value, decimals) = (outcome.value?.number, outcome.value?.decimals ?? 0)
        self.unit = unit
        self.quality = quality
        noData = outcome.noData
    }
}

extension ReadingReport {
    /// A value with its decimals; nil when there is none.
    package var measured: Measured? { value.map { Measured($0, decimals: decimals) } }
}

/// A number with a fixed count of decimals, valid in JSON and readable as text.
package struct Measured: Hashable, Sendable, CustomStringConvertible {
    package let number: Double
    package let decimals: Int

    package init(_ number: Double, decimals: Int) {
        (self.number, self.decimals) = (number, min(max(decimals, 0), 9))
    }

    /// From decimal text, exact: `12.30` has two decimals.
    ///
    /// - Returns: Nil when it is no number.
    package init?(_ text: String) {
        guard let number = Double(text), number.isFinite else { return nil }
        let decimals = text.split(separator: ".", maxSplits: 1).dropFirst().first?.utf8.count
        self.init(number, decimals: decimals ?? 0)
    }

    /// `12.30`.
    package var description: String {
        let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        let scaled = (abs(number) * factor).rounded()
        guard scaled < 9e15 else { return "\(number)" }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + padded }
        return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}
