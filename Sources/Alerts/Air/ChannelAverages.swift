import Core

/// The newest values of one channel, as far as rules ask for them.
///
/// About 5 KiB for means up to a day, 10 KiB more for `unusual`, 23 KiB more for means up to a
/// year.
struct ChannelAverages: Sendable {
    /// Averages that the rules of a channel need.
    struct Wants: Hashable, Sendable {
        /// The longest mean under five minutes, up to a day, and beyond; 0 for none.
        var shortMean = 0
        var mean = 0
        var longMean = 0
        /// Days of quarters of an hour; 0 for none.
        var days = 0

        mutating func add(_ condition: AlertRule.Condition) {
            switch condition {
            case .mean(let over, _): add(mean: over)
            case .index(let scale, _, _):
                add(mean: scale.averaging == .day ? 86_400 : 43_200 + 7_200)
            case .rise(let over, _, _): add(mean: over + 3_600)
            case .unusual(_, _, let days):
                add(mean: 900)
                self.days = max(self.days, days)
            default: break
            }
        }

        private mutating func add(mean over: Int) {
            switch over {
            case ..<300: shortMean = max(shortMean, over)
            case ...90_000: mean = max(mean, over)
            default: longMean = max(longMean, over)
            }
        }
    }

    /// Digits of the mantissas.
    let decimals: Int
    private var short: SumRing?
    private var five: SumRing?
    private var long: SumRing?
    /// Means of quarters of an hour, by their number; the newest `quarters.count` of them.
    private var quarters: [Int32]
    private var lastQuarter: Int?
    private static let none = Int32.min
    private static let quartersOfADay = 96

    init(_ wants: Wants, decimals: Int) {
        self.decimals = decimals
        if wants.shortMean > 0 { short = SumRing(slot: 10, over: wants.shortMean) }
        if wants.mean > 0 { five = SumRing(slot: 300, over: wants.mean) }
        if wants.longMean > 0 { long = SumRing(slot: 21_600, over: wants.longMean) }
        let count = wants.days > 0 ? (wants.days + 1) * Self.quartersOfADay : 0
        quarters = Array(repeating: Self.none, count: count)
    }

    /// Adds a value that holds from one second to another.
    mutating func add(_ value: FixedPoint, from: Int, to: Int) {
        let exact = value.mantissa(atDecimals: decimals)
        let mantissa = exact ?? Int64(clamping: rounded(value.doubleValue * power))
        short?.add(mantissa, from: from, to: to)
        five?.add(mantissa, from: from, to: to)
        long?.add(mantissa, from: from, to: to)
    }

    /// Counts values that are left out.
    mutating func omit(_ count: Int, at second: Int) {
        short?.omit(count, at: second)
        five?.omit(count, at: second)
        long?.omit(count, at: second)
    }

    /// How many values of the time before `second` are left out.
    func omitted(before second: Int, over length: Int) -> Int {
        let ring = length < 300 ? short : length <= 90_000 ? five : long
        return ring?.omitted(endingAt: second, over: length) ?? 0
    }

    /// The mean of the time before `second`.
    ///
    /// - Returns: nil when less than `AlertRule.coverage` of it has values.
    func mean(before second: Int, over length: Int) -> Double? {
        let ring = length < 300 ? short : length <= 90_000 ? five : long
        guard let (value, share) = ring?.mean(endingAt: second, over: length),
            share >= AlertRule.coverage - 1e-9
        else { return nil }
        return value / power
    }

    /// Share of the time before `second` that has values, 0…1.
    func share(before second: Int, over length: Int) -> Double {
        let ring = length < 300 ? short : length <= 90_000 ? five : long
        return ring?.mean(endingAt: second, over: length)?.share ?? 0
    }

    /// The means of hours that end at `second`, the newest first.
    func hours(before second: Int, _ count: Int) -> [Double?] {
        (0..<count).map { mean(before: second - $0 * 3_600, over: 3_600) }
    }

    // MARK: Quarters of an hour

    /// Completes the quarter that ends at `second`, a multiple of 900.
    mutating func closeQuarter(at second: Int) {
        guard !quarters.isEmpty else { return }
        let number = second / 900 - 1
        if let lastQuarter, lastQuarter < number {
            let skipped = max(lastQuarter + 1, number - quarters.count + 1)
            for other in skipped..<max(skipped, number) { set(other, nil) }
        }
        set(number, mean(before: second, over: 900))
        lastQuarter = number
    }

    /// Sets a quarter from a stored mean.
    mutating func restore(quarter number: Int, _ mean: Double) {
        guard !quarters.isEmpty else { return }
        if let lastQuarter, lastQuarter < number {
            let skipped = max(lastQuarter + 1, number - quarters.count + 1)
            for other in skipped..<max(skipped, number) { set(other, nil) }
        }
        set(number, mean)
        lastQuarter = max(number, lastQuarter ?? number)
    }

    /// How unusual the newest quarter is.
    ///
    /// - Parameters:
    ///   - days: Days before it that count.
    ///   - hours: Which quarters of those days are the same by the clock.
    /// - Returns: Its mean, what is usual, and the distance in spreads; nil without the quarter, or
    ///   with fewer than 7 days to compare.
    func unusual(
        _ number: Int,
        days: Int,
        _ hours: AlertHours
    ) -> (mean: Double, usual: Double, score: Double)? {
        guard lastQuarter == number, let mean = quarter(number) else { return nil }
        var past: [Double] = []
        past.reserveCapacity(days * 9)
        for day in 1...days {
            let same = hours.same(as: number * 900, daysBefore: day).slot(900)
            for other in (same - 4)...(same + 4) {
                if let value = quarter(other) { past.append(value) }
            }
        }
        guard past.count >= 7 * 9 * 3 / 4 else { return nil }
        let usual = Self.median(&past)
        var distances = past.map { abs($0 - usual) }
        let spread = 1.4826 * Self.median(&distances)
        let least = AlertRule.spreadLeast + AlertRule.spreadShare * usual
        return (mean, usual, (mean - usual) / max(spread, least))
    }

    private static func median(_ values: inout [Double]) -> Double {
        values.sort()
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }

    private func quarter(_ number: Int) -> Double? {
        guard let lastQuarter, number <= lastQuarter, number > lastQuarter - quarters.count,
            number >= 0
        else { return nil }
        let value = quarters[number % quarters.count]
        return value == Self.none ? nil : Double(value) / (power * 10)
    }

    private mutating func set(_ number: Int, _ mean: Double?) {
        guard number >= 0 else { return }
        let value = mean.map { Int32(clamping: rounded($0 * power * 10)) }
        quarters[number % quarters.count] = value ?? Self.none
    }

    private func rounded(_ value: Double) -> Int64 {
        guard value.magnitude < 9e18 else { return value < 0 ? .min : .max }
        return Int64(value.rounded())
    }

    private var power: Double { Double(Self.powers[decimals]) }
    private static let powers = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]
}
