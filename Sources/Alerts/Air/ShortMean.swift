import Core

/// The mean of the last quarter of an hour of one quantity, for levels by an index or own limits.
///
/// Pure. A value stands for the time to the next one, a minute at most, so a minute of live mode
/// weighs as much as one sample of a device that measures every few minutes. It begins anew after a
/// gap, and says nothing while it has less than `minimum`. Bound: 15 slots of a minute.
package struct ShortMean: Hashable, Sendable {
    /// The time that the mean is of.
    package static let span = Duration.minutes(15)
    /// From the first value to the first mean; a device that measures more rarely has one at once.
    package static let minimum = Duration.minutes(3)
    private static let slot = Duration.minutes(1)
    private static let slotCount = span.wholeNanoseconds / slot.wholeNanoseconds

    private struct Slot: Hashable, Sendable {
        /// Minutes since boot.
        let number: Int64
        /// Thousandths of the unit times milliseconds.
        var sum: Int64 = 0
        /// Milliseconds that its values stand for.
        var weight: Int64 = 0
    }

    // Oldest first; those of the span.
    private var slots: [Slot] = []
    // First value since the start or a gap, and the last one.
    private var first: MonotonicInstant?
    private var last: MonotonicInstant?
    // Interval of the last value: a mode that measures more often has not begun with a gap.
    private var lastInterval = Duration.zero
    /// The mean up to the last value, to a thousandth; nil while it says nothing.
    package private(set) var value: FixedPoint?

    package init() {}

    /// Adds a value.
    ///
    /// - Parameters:
    ///   - value: In the unit of its quantity.
    ///   - instant: The last one's or later; an earlier one counts as that.
    ///   - interval: From one value of the device to the next; nil where that is not known, and
    ///     the first value is a mean.
    /// - Returns: Whether the mean began anew with it.
    @discardableResult
    package mutating func append(
        _ value: FixedPoint,
        at instant: MonotonicInstant,
        every interval: Duration?
    ) -> Bool {
        let interval = interval ?? Self.span
        let now = max(instant, last ?? instant)
        // One missed sample is no gap.
        let gap = max(Self.minimum, max(interval, lastInterval) * 5 / 2)
        lastInterval = interval
        let isNew = last.map { $0.duration(to: now) > gap } ?? true
        if isNew { (first, slots) = (now, []) }
        last = now
        let number = now.nanoseconds / Self.slot.wholeNanoseconds
        slots.removeAll { $0.number <= number - Self.slotCount }
        if slots.last?.number != number { slots.append(Slot(number: number)) }
        let time = min(max(interval, .milliseconds(1)), Self.slot)
        let weight = time.wholeNanoseconds / 1_000_000
        slots[slots.count - 1].sum &+= Self.thousandths(value) &* weight
        slots[slots.count - 1].weight &+= weight
        let age = first?.duration(to: now) ?? .zero
        let hasBegun = !isNew && self.value != nil
        let isEnough = hasBegun || interval >= Self.minimum || age >= Self.minimum
        self.value = isEnough ? mean : nil
        return isNew
    }

    private var mean: FixedPoint {
        let sum = slots.reduce(0.0) { $0 + Double($1.sum) }
        let weight = slots.reduce(0.0) { $0 + Double($1.weight) }
        return FixedPoint(Int64((sum / weight).rounded()), decimals: 3)
    }

    /// Cut at ±10⁸ of the unit, far above any sensor's value: a hundred of them fit a slot.
    private static func thousandths(_ value: FixedPoint) -> Int64 {
        let limit: Int64 = 100_000_000_000
        let near = max(-1e11, min(1e11, (value.doubleValue * 1_000).rounded()))
        return max(-limit, min(limit, value.mantissa(atDecimals: 3) ?? Int64(near)))
    }
}
