import Core

/// The lengths of time over which readings are summed up, finest first.
package enum RollupTier: Int, CaseIterable, Sendable {
    case minute, quarterHour, sixHours

    /// A bucket's length.
    package var seconds: Int64 {
        switch self {
        case .minute: 60
        case .quarterHour: 900
        case .sixHours: 21_600
        }
    }

    package var tenths: Int64 { seconds * 10 }
}

/// One channel's values over a length of time, exact: buckets merge in any order.
package struct RollupBucket: Hashable, Sendable {
    /// Values; attempts without one are not counted.
    package var count: Int64 = 0
    /// Mantissas at the channel's decimals; meaningless while `count` is 0.
    package var minimum: Int64 = 0
    package var maximum: Int64 = 0
    /// Sum of the mantissas; stops at ±9.2 × 10¹⁸ instead of overflowing.
    package var sum: Int64 = 0
    /// Tenths of a second that values cover, see `RollupMachine`.
    package var covered: Int64 = 0
    /// Values that no part can give, which are in none of the others.
    package var omitted: Int64 = 0

    package init() {}

    package init(value: Int64, covering covered: Int64) {
        (count, minimum, maximum, sum) = (1, value, value, value)
        self.covered = covered
    }

    package mutating func merge(_ other: RollupBucket) {
        covered += other.covered
        omitted += other.omitted
        guard other.count > 0 else { return }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = count == 0 ? other.maximum : max(maximum, other.maximum)
        let (total, overflow) = sum.addingReportingOverflow(other.sum)
        sum = overflow ? (other.sum < 0 ? .min : .max) : total
        count += other.count
    }

    /// The mean of the mantissas.
    package var mean: Double? { count > 0 ? Double(sum) / Double(count) : nil }
}

/// A bucket of a tier with its place: the `index`-th since boot.
struct PlacedBucket: Hashable, Sendable {
    var boot: UInt32
    var index: Int64
    var bucket: RollupBucket
}

/// Sums up one channel as its samples come.
///
/// **Coverage** is the measure for gaps. A value covers the time from its tick until one interval
/// later, and the time before it back to the end of what the value before it covers, when that is
/// at most half an interval: timing that is a little late is no gap. It counts whole in the bucket
/// of its tick, so sums over any length of time are exact to one interval at either end. With no
/// interval known a value covers the time back to the value before it, up to `unscheduledTenths`.
package struct RollupMachine: Sendable {
    /// Longest time between values that count as one run without a schedule: 15 min.
    package static let unscheduledTenths: Int64 = 9_000

    private let boot: UInt32
    /// The end of the time that values cover; nil before the first in this boot.
    private(set) var coveredUntil: Int64?
    private var open: [PlacedBucket?] = [nil, nil, nil]

    init(boot: UInt32, coveredUntil: Int64?) {
        self.boot = boot
        self.coveredUntil = coveredUntil
    }

    /// Adds one attempt; passes on the buckets that it closes.
    ///
    /// - Parameters:
    ///   - tick: When; never before the tick of the attempt before.
    ///   - interval: Tenths after which the next attempt was expected, or nil.
    ///   - close: Receives each bucket that is closed, with its tier.
    /// - Throws: What `close` throws.
    mutating func add<Failure: Error>(
        _ tick: Int64,
        _ outcome: Outcome,
        decimals: Int,
        interval: Int64?,
        close: (RollupTier, PlacedBucket) throws(Failure) -> Void
    ) throws(Failure) {
        let bucket = bucket(tick, outcome, decimals: decimals, interval: interval)
        for tier in RollupTier.allCases {
            let index = tick.flooredDivision(by: tier.tenths)
            if let current = open[tier.rawValue] {
                if current.index == index {
                    open[tier.rawValue]?.bucket.merge(bucket)
                    continue
                }
                try close(tier, current)
            }
            open[tier.rawValue] = PlacedBucket(boot: boot, index: index, bucket: bucket)
        }
    }

    /// Returns the bucket of one attempt.
    mutating func bucket(
        _ tick: Int64,
        _ outcome: Outcome,
        decimals: Int,
        interval: Int64?
    ) -> RollupBucket {
        var bucket = RollupBucket()
        if let value = outcome.counted?.mantissa(rounded: decimals) {
            bucket = RollupBucket(value: value, covering: cover(tick, interval))
        } else if outcome.isLeftOut {
            bucket.omitted = 1
        }
        return bucket
    }

    /// Passes on the open buckets.
    ///
    /// The same bucket may come again later: buckets merge.
    mutating func finish<Failure: Error>(
        close: (RollupTier, PlacedBucket) throws(Failure) -> Void
    ) throws(Failure) {
        for tier in RollupTier.allCases {
            if let current = open[tier.rawValue] { try close(tier, current) }
            open[tier.rawValue] = nil
        }
    }

    private mutating func cover(_ tick: Int64, _ interval: Int64?) -> Int64 {
        let before = coveredUntil ?? .min
        let slack = interval.map { $0 / 2 } ?? Self.unscheduledTenths
        let start = before >= tick - slack ? min(before, tick + (interval ?? 0)) : tick
        let end = tick + (interval ?? 0)
        coveredUntil = max(before, end)
        return end - start
    }
}

extension Int64 {
    /// The quotient towards −∞.
    func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
