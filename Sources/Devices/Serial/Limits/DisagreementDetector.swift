import Core

/// Notices that two devices in the same air say different things of one quantity.
///
/// Pure. The detector cannot know which of the two is wrong.
package struct DisagreementDetector: Hashable, Sendable {
    package struct Limits: Hashable, Sendable {
        /// Differences up to this are never a disagreement, in the quantity's unit.
        package let floor: Double
        /// Nor differences up to this share of the larger value.
        package let share: Double
        /// Pairs in a row that it takes to begin or to end, ≥ 1.
        package let count: Int
        /// How far apart in time two values of a pair may be.
        let pairing: Duration
        /// Time from the first to the last of these pairs, at least.
        let time: Duration

        package init(
            floor: Double,
            share: Double,
            count: Int,
            pairing: Duration,
            time: Duration = .zero
        ) {
            precondition(floor >= 0 && share >= 0 && count >= 1)
            precondition(pairing >= .zero && time >= .zero)
            (self.floor, self.share, self.count) = (floor, share, count)
            (self.pairing, self.time) = (pairing, time)
        }

        /// Two dust sensors, each within 15 % or 10 µg/m³ of the truth.
        ///
        /// - Source: Nova Fitness, *SDS011 datasheet V1.3*, relative error.
        package static let dust = Limits(floor: 20, share: 0.3, count: 3, pairing: .minutes(10))

        /// Two thermometers in one air, each within 1 °C of the truth; an hour ends what passes.
        package static let temperature = Limits(
            floor: 3,
            share: 0,
            count: 3,
            pairing: .minutes(10),
            time: .hours(1)
        )
    }

    package enum Side: Hashable, Sendable { case first, second }

    package enum Change: Hashable, Sendable { case begun, ended }

    private struct Sample: Hashable {
        let value: Double
        let instant: MonotonicInstant
    }

    private let limits: Limits
    private var waiting: [Side: Sample] = [:]  // At most one of each side.
    private var runLength = 0  // Pairs in a row that contradict what holds.
    private var runStart = MonotonicInstant.boot  // The first of them.
    private var runEnd = MonotonicInstant.boot  // The last of them.
    /// The side that said more in the last pair; nil before it, and of equal ones.
    package private(set) var larger: Side?
    package private(set) var isDisagreeing = false

    package init(_ limits: Limits) { self.limits = limits }

    /// Adds a value and pairs it with one of the other side that is near enough in time.
    ///
    /// Each value is in one pair at most; a newer one of the same side takes its place.
    ///
    /// - Returns: What has changed by it, if anything.
    package mutating func append(
        _ value: Double,
        from side: Side,
        at instant: MonotonicInstant
    ) -> Change? {
        let sample = Sample(value: value, instant: instant)
        let other: Side = side == .first ? .second : .first
        guard let partner = waiting[other],
            partner.instant.duration(to: instant) <= limits.pairing,
            instant.duration(to: partner.instant) <= limits.pairing
        else {
            waiting[side] = sample
            return nil
        }
        waiting = [:]
        let difference = abs(value - partner.value)
        let magnitude = max(abs(value), abs(partner.value))
        larger = value == partner.value ? nil : value > partner.value ? side : other
        let isApart = difference > max(limits.floor, limits.share * magnitude)
        guard isApart != isDisagreeing else {
            runLength = 0
            return nil
        }
        // Over a silence that is longer than the run must be, nothing is known.
        if limits.time > .zero, runEnd.duration(to: instant) > limits.time { runLength = 0 }
        if runLength == 0 { runStart = instant }
        runEnd = instant
        runLength += 1
        guard runLength >= limits.count, runStart.duration(to: instant) >= limits.time else {
            return nil
        }
        runLength = 0
        isDisagreeing.toggle()
        return isDisagreeing ? .begun : .ended
    }
}
