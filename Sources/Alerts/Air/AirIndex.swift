import Core

/// A public index of air quality: concentrations to numbers and bands.
///
/// Concentrations are in µg/m³. The tables are data with their source, and the one place for them:
/// rules and pages read them here.
package struct AirIndex: Hashable, Sendable {
    /// How the concentration is averaged before it is looked up.
    enum Averaging: Hashable, Sendable {
        /// The mean of the last whole hour.
        case hour
        /// The mean of the last 24 hours.
        case day
        /// `NowCast`, once an hour.
        case nowCast
    }

    /// One band of one quantity.
    package struct Band: Hashable, Sendable {
        /// A word of the index: `poor`.
        package let name: String
        /// The band begins here.
        package let from: Double
        /// Upper bound; values above the last band's bound still belong to it.
        package let to: Double
        /// The numbers at both ends; nil where the index has only bands.
        package let numbers: ClosedRange<Int>?
    }

    /// The bands of one quantity, from the lowest.
    package struct Scale: Hashable, Sendable {
        package let quantity: String
        let averaging: Averaging
        /// Digits that a concentration keeps before it is looked up; nil: all of them.
        package let decimals: Int?
        package let bands: [Band]
    }

    /// Name in a configuration: `us-nowcast`.
    package let id: String
    /// Source of the figures.
    package let source: String
    /// Whether a band begins above its limit, and not at it.
    package let beginsAbove: Bool
    package let scales: [Scale]

    /// The scale of a quantity; nil when the index does not know it.
    package func scale(of quantity: String) -> Scale? {
        scales.first { $0.quantity == quantity }
    }

    /// The names of its bands, from the best.
    package var bandNames: [String] { scales[0].bands.map(\.name) }

    /// Lower bound of a band of a quantity, in µg/m³.
    package func start(of band: String, for quantity: String) -> Double? {
        scale(of: quantity)?.bands.first { $0.name == band }?.from
    }

    /// Band of a concentration, which must be averaged over the scale's time.
    package func band(of concentration: Double, for quantity: String) -> Band? {
        guard let scale = scale(of: quantity) else { return nil }
        let value = scale.decimals.map { NowCast.truncated(concentration, decimals: $0) }
        let looked = value ?? concentration
        let band = scale.bands.last { beginsAbove ? looked > $0.from : looked >= $0.from }
        return band ?? scale.bands[0]
    }

    /// The number of a concentration; nil where the index has only bands.
    ///
    /// Above the last band its line goes on.
    package func number(of concentration: Double, for quantity: String) -> Int? {
        guard let band = band(of: concentration, for: quantity), let numbers = band.numbers else {
            return nil
        }
        let decimals = scale(of: quantity)?.decimals
        let value = decimals.map { NowCast.truncated(concentration, decimals: $0) } ?? concentration
        let steps = Double(numbers.upperBound - numbers.lowerBound)
        let share = (value - band.from) / (band.to - band.from)
        return Int((Double(numbers.lowerBound) + steps * share).rounded())
    }
}
