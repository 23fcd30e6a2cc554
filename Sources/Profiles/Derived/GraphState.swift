import Core

/// State that one node keeps between values.
///
/// Absent values leave it alone; a gap longer than the node's limit empties it.
struct GraphState: Sendable {
    private struct Entry {
        let instant: MonotonicInstant
        let value: Int64
        let quality: Quality
    }

    /// Values of a window, oldest first; the value before for a rate; bound: the window's count.
    private var entries: [Entry] = []
    /// Last output of a threshold or a debounce.
    private var standing: Int64?
    /// New input value of a debounce that has not yet lasted long enough to become its output.
    private var waiting: (value: Int64, since: MonotonicInstant)?
    private var lastAt: MonotonicInstant?

    /// Forgets everything when the last value is too long ago, and notes that one is here now.
    mutating func begin(at now: MonotonicInstant, gapLimit: Duration) {
        if let lastAt, lastAt.duration(to: now) > gapLimit { self = GraphState() }
        lastAt = now
    }

    // MARK: Windows

    mutating func moving(
        _ statistic: GraphStatistic,
        _ window: GraphWindow,
        _ value: Int64,
        _ quality: Quality
    ) -> GraphSignal {
        guard let now = lastAt else { return .noData(.warmingUp) }
        if entries.count >= window.count {
            entries.removeFirst(entries.count - window.count + 1)
        }
        if let span = window.span { entries.removeAll { $0.instant.duration(to: now) >= span } }
        entries.append(Entry(instant: now, value: value, quality: quality))
        guard entries.count >= window.atLeast else { return .noData(.warmingUp) }
        let doubts = entries.reduce(into: Quality()) { $0.formUnion($1.quality) }
        return GraphSignal(Self.statistic(statistic, entries.map(\.value)), doubts)
    }

    private static func statistic(_ statistic: GraphStatistic, _ values: [Int64]) -> Int128 {
        switch statistic {
        case .mean: return mean(values[...])
        case .median:
            // The middle one, or the two about the middle.
            let edge = (values.count - 1) / 2
            return mean(values.sorted()[edge..<values.count - edge])
        case .trimmedMean(let thousandths):
            let edge = values.count * thousandths / 1_000
            return mean(values.sorted()[edge..<values.count - edge])
        }
    }

    private static func mean(_ values: ArraySlice<Int64>) -> Int128 {
        let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
        return GraphNumber.quotient(sum, Int128(max(values.count, 1)))
    }

    // MARK: Changes

    mutating func rate(
        _ period: GraphUnit.Period,
        isCounter: Bool,
        _ value: Int64,
        _ quality: Quality
    ) -> GraphSignal {
        guard let now = lastAt else { return .noData(.warmingUp) }
        let before = entries.first
        // Twice in one instant: the first stands, for there is no rate over no time.
        guard before?.instant != now else { return .noData(.outOfRange) }
        entries = [Entry(instant: now, value: value, quality: quality)]
        guard let before else { return .noData(.warmingUp) }
        let change = Int128(value) - Int128(before.value)
        guard !isCounter || change >= 0 else { return .noData(.warmingUp) }
        let elapsed = Int128(now.nanoseconds) - Int128(before.instant.nanoseconds)
        let rate = GraphNumber.product(change, Int128(period.nanoseconds), over: elapsed)
        return GraphSignal(rate, quality.union(before.quality))
    }

    mutating func threshold(on: Int64, off: Int64, _ value: Int64) -> Int64 {
        let (isOn, isOff) = on >= off ? (value >= on, value < off) : (value <= on, value > off)
        if isOn {
            standing = GraphNumber.one
        } else if isOff || standing == nil {
            standing = 0
        }
        return standing ?? 0
    }

    mutating func debounce(hold: Int64, _ value: Int64) -> Int64 {
        guard let now = lastAt, let said = standing, said != value else {
            (standing, waiting) = (value, nil)
            return value
        }
        let since = waiting.flatMap { $0.value == value ? $0.since : nil } ?? now
        waiting = (value, since)
        guard since.duration(to: now) >= .nanoseconds(hold) else { return said }
        (standing, waiting) = (value, nil)
        return value
    }
}
