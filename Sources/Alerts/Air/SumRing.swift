/// Values of one channel as sums over slots of equal length, for means over the newest slots.
///
/// Holds running totals, so a mean costs two look-ups whatever it spans. Sums are exact: mantissas
/// times seconds, which wrap in 64 bits and whose differences are right all the same. Bound:
/// `slotCount` slots; the oldest is overwritten.
struct SumRing: Hashable, Sendable {
    /// Seconds of one slot.
    let slot: Int
    /// Slots kept: the longest mean has one fewer.
    let slotCount: Int
    // Totals at the end of each slot, from the first value on.
    private var sums: [Int64]
    private var covers: [Int64]
    private var omissions: [Int32]
    private var sum: Int64 = 0
    private var cover: Int64 = 0
    /// Values that do not count.
    private var omitted: Int32 = 0
    /// Numbers of the first slot with a value and of the newest; nil while there is none.
    private var first: Int?
    private var newest = 0

    init(slot: Int, over longest: Int) {
        self.slot = slot
        slotCount = longest / slot + 15
        sums = Array(repeating: 0, count: slotCount)
        covers = sums
        omissions = Array(repeating: 0, count: slotCount)
    }

    /// Counts values that are left out; what lies before the newest slot counts in that.
    mutating func omit(_ count: Int, at second: Int) {
        let number = second.slot(slot)
        if first == nil { (first, newest) = (number, number) }
        open(number)
        omitted &+= Int32(clamping: count)
        omissions[index(newest)] = omitted
    }

    /// Adds a value that holds from one second to another, which begins where the last one ended
    /// or later.
    ///
    /// Time before the newest slot is left out.
    mutating func add(_ value: Int64, from: Int, to: Int) {
        if first == nil {
            first = from.slot(slot)
            newest = from.slot(slot)
        }
        var start = max(from, newest * slot)
        while start < to {
            let number = start.slot(slot)
            let end = min(to, (number + 1) * slot)
            open(number)
            sum &+= value &* Int64(end - start)
            cover += Int64(end - start)
            sums[index(number)] = sum
            covers[index(number)] = cover
            start = end
        }
    }

    /// The mean of the slots that end at `end` or, within a slot, of that one and those before.
    ///
    /// - Parameters:
    ///   - end: A second; the newest value's or later, or up to 13 slots before it.
    ///   - length: Seconds, a multiple of the slot.
    /// - Returns: The mean, and which part of the time has values, 0…1; nil without any.
    func mean(endingAt end: Int, over length: Int) -> (value: Double, share: Double)? {
        guard first != nil else { return nil }
        let last = (end - 1).slot(slot)
        let before = totals(at: last - length / slot)
        let after = totals(at: last)
        let covered = after.cover - before.cover
        guard covered > 0 else { return nil }
        let value = Double(after.sum &- before.sum) / Double(covered)
        return (value, Double(covered) / Double(length))
    }

    /// How many values of that time are left out; see `mean`.
    func omitted(endingAt end: Int, over length: Int) -> Int {
        let last = (end - 1).slot(slot)
        return Int(totals(at: last).omitted &- totals(at: last - length / slot).omitted)
    }

    private mutating func open(_ number: Int) {
        guard number > newest else { return }
        let from = max(newest + 1, number - slotCount + 1)
        for skipped in from...number {
            sums[index(skipped)] = sum
            covers[index(skipped)] = cover
            omissions[index(skipped)] = omitted
        }
        newest = number
    }

    private func totals(at number: Int) -> (sum: Int64, cover: Int64, omitted: Int32) {
        guard let first, number >= first else { return (0, 0, 0) }
        if number >= newest { return (sum, cover, omitted) }
        // Overwritten slots lie before every mean that is asked for.
        let kept = max(number, newest - slotCount + 1)
        return (sums[index(kept)], covers[index(kept)], omissions[index(kept)])
    }

    private func index(_ number: Int) -> Int {
        let rest = number % slotCount
        return rest < 0 ? rest + slotCount : rest
    }
}

extension Int {
    /// The number of the slot that a second is in, also before the first.
    package func slot(_ length: Int) -> Int {
        self >= 0 ? self / length : -((length - 1 - self) / length)
    }
}
