/// The NowCast of fine dust: a mean of 12 hours that weighs new hours more as values vary more.
///
/// - Source: EPA-454/B-24-002, *Technical Assistance Document for the Reporting of Daily Air
///   Quality*, May 2024, section IV.
enum NowCast {
    /// Hours it looks at.
    static let hourCount = 12

    /// The concentration, in the unit of the hours, truncated.
    ///
    /// - Parameters:
    ///   - hours: Means of the last 12 hours, the newest first; nil where an hour has too few
    ///     values.
    ///   - decimals: Digits that are kept: 1 for PM2.5, 0 for PM10.
    /// - Returns: nil unless two of the newest three hours are there.
    static func concentration(of hours: [Double?], decimals: Int) -> Double? {
        let used = hours.prefix(hourCount)
        guard used.prefix(3).compactMap(\.self).count >= 2 else { return nil }
        let present = used.compactMap(\.self)
        guard let low = present.min(), let high = present.max() else { return nil }
        // All hours zero: any weight gives zero.
        let weight = high > 0 ? max(low / high, 0.5) : 1
        var (sum, weights, power) = (0.0, 0.0, 1.0)
        for hour in used {
            if let hour {
                sum += hour * power
                weights += power
            }
            power *= weight
        }
        return truncated(sum / weights, decimals: decimals)
    }

    /// Truncates a concentration to the digits that the index tables use.
    ///
    /// - Parameter decimals: Digits after the point: 0, or 1 for any other number.
    static func truncated(_ value: Double, decimals: Int) -> Double {
        let factor: Double = decimals == 0 ? 1 : 10
        // A sum of doubles may lie just below the exact number.
        return (value * factor + 1e-9).rounded(.down) / factor
    }
}
