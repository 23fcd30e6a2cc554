import Core

/// Computations of the nodes that keep no state.
enum GraphArithmetic {
    /// The sum of powers, by Horner's rule; each step is rounded to 10⁻¹⁸.
    static func polynomial(_ coefficients: [Int128], at x: Int64) -> Int128? {
        var sum = Int128(0)
        for coefficient in coefficients.reversed() {
            guard let product = GraphNumber.product(sum, Int128(x), over: 1_000_000_000) else {
                return nil
            }
            let (next, overflow) = product.addingReportingOverflow(coefficient)
            guard !overflow else { return nil }
            sum = next
        }
        return GraphNumber.quotient(sum, 1_000_000_000)
    }

    /// Interpolates in a table; the flag is false beyond its ends, where it may also return nil.
    static func table(_ points: [GraphPoint], at x: Int64, holdsEnds: Bool) -> (Int64, Bool)? {
        guard let first = points.first, let last = points.last else { return nil }
        guard x >= first.x else { return holdsEnds ? (first.y, false) : nil }
        guard x <= last.x else { return holdsEnds ? (last.y, false) : nil }
        let end = points.firstIndex { x <= $0.x } ?? 0
        guard end > 0 else { return (first.y, true) }
        let (low, high) = (points[end - 1], points[end])
        let rise = (Int128(x) - Int128(low.x)) * (Int128(high.y) - Int128(low.y))
        let step = GraphNumber.quotient(rise, Int128(high.x) - Int128(low.x))
        return (Int64(Int128(low.y) + step), true)
    }

    /// The counts that a tube would have counted without its dead time.
    ///
    /// - Parameters:
    ///   - counts: Per minute, as counted.
    ///   - deadTime: After each count, in nanoseconds.
    /// - Returns: nil from a lost share of 30 %, where the tube is near its end.
    /// - Source: G. F. Knoll, *Radiation Detection and Measurement*, chapter 4, *Dead Time*: the
    ///   nonparalyzable model n = m / (1 − m τ), and that it is for losses below 30 to 40 %.
    static func counts(_ counts: Int64, deadTime: Int64) -> Int128? {
        // One, as a product of a value and nanoseconds of a minute.
        let whole = 60_000_000_000 * Int128(GraphNumber.one)
        let lost = Int128(counts) * Int128(deadTime)
        guard lost * 10 < whole * 3 else { return nil }
        let share = GraphNumber.quotient(whole - lost, 60)
        return GraphNumber.product(Int128(counts), GraphNumber.constantOne, over: share)
    }

    static func combine(_ combination: GraphCombination, _ values: [Int64]) -> Int128? {
        guard let first = values.first else { return nil }
        let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
        switch combination {
        case .sum: return sum
        case .difference: return 2 * Int128(first) - sum
        case .mean: return GraphNumber.quotient(sum, Int128(values.count))
        case .min: return values.min().map { Int128($0) }
        case .max: return values.max().map { Int128($0) }
        case .ratio:
            guard let second = values.last, second != 0 else { return nil }
            let numerator = Int128(first) * Int128(GraphNumber.one)
            return second > 0
                ? GraphNumber.quotient(numerator, Int128(second))
                : GraphNumber.quotient(-numerator, -Int128(second))
        }
    }
}

extension HumidityFit {
    /// Relative humidity that sensors really report: some say a little more than all.
    static let believable = Int64(0)...105 * GraphNumber.one

    /// The mass without its water, at a humidity in percent.
    func dry(_ value: Int64, humidity: Int64) -> Int128? {
        switch self {
        case .hackairPM25: Self.fit(value, humidity, 487_560_000, exponent: 8_600_680_000)
        case .hackairPM10: Self.fit(value, humidity, 815_590_000, exponent: 5_834_110_000)
        case .kappaKohler(let kappa): Self.kohler(value, humidity, kappa)
        }
    }

    /// `value / (1 + scale · (humidity / 100)^exponent)`.
    private static func fit(
        _ value: Int64,
        _ humidity: Int64,
        _ scale: Int64,
        exponent: Int64
    ) -> Int128? {
        let base = GraphNumber.quotient(Int128(humidity) << 62, 100_000_000_000)
        let power = GraphPower.power(base, exponent)
        let growth = GraphPower.one + GraphNumber.quotient(power * Int128(scale), 1_000_000_000)
        return GraphNumber.product(Int128(value), GraphPower.one, over: growth)
    }

    /// `value / (1 + (κ / 1.65) / (100 / humidity − 1))`, with one division.
    private static func kohler(_ value: Int64, _ humidity: Int64, _ kappa: Int64) -> Int128? {
        // 1.65 as hundredths; both sides of the division in units of 10⁻²⁰.
        let dry = 165 * Int128(100 * GraphNumber.one - humidity) * 1_000_000_000
        let growth = dry + 100 * Int128(kappa) * Int128(humidity)
        return GraphNumber.product(Int128(value), dry, over: growth)
    }
}
