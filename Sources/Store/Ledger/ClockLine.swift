import Core

/// The wall time of one boot as a line through the anchors that agree; never falling.
struct ClockLine: Sendable {
    private struct Point {
        let tick: Int64
        let wall: Int64  // Nanoseconds.
        var offset: Int64 { wall.subtractingClamped(tick.clockNanoseconds) }
    }

    /// How far a clock may drift without a step: the kernel slews by 500 ppm at most, and a crystal
    /// is off by 100.
    ///
    /// - Source: `linux/include/linux/timex.h`: `MAXFREQ` is 500 000 ns/s.
    private static let driftPerMillion: Int64 = 600
    /// Nanoseconds by which two readings of a synchronised clock may differ without a step.
    private static let slack: Int64 = 1_000_000_000

    private let points: [Point]  // Never empty; ticks rise, walls do not fall.

    /// The line of a boot without anchors: wall time is time since boot.
    static let zero = ClockLine(points: [Point(tick: 0, wall: 0)])

    private init(points: [Point]) { self.points = points }

    /// The line through the last anchor and all before it that agree with the next one kept.
    ///
    /// Nil when there is none. Of several at one tick the last in `anchors` counts.
    init?(_ anchors: [ClockAnchor]) {
        let sorted = anchors.enumerated().sorted { left, right in
            (left.element.tick, left.offset) < (right.element.tick, right.offset)
        }
        var kept: [Point] = []
        for (_, anchor) in sorted.reversed() {
            let point = Point(tick: anchor.tick.tenths, wall: anchor.wall.nanoseconds)
            guard let next = kept.last else {
                kept.append(point)
                continue
            }
            if Self.agree(point, next) { kept.append(point) }
        }
        guard !kept.isEmpty else { return nil }
        points = kept.reversed()
    }

    private static func agree(_ point: Point, _ next: Point) -> Bool {
        guard point.tick < next.tick, point.wall <= next.wall else { return false }
        let apart = next.tick.subtractingClamped(point.tick).clockNanoseconds
        let allowed = (apart / 1_000_000 * driftPerMillion).addingClamped(slack)
        return next.offset.subtractingClamped(point.offset).magnitude <= allowed.magnitude
    }

    /// Nanoseconds since 1970: between two points in proportion, outside them at the clock's rate.
    func wall(_ tick: Tick) -> Int64 {
        var (low, high) = (0, points.count)  // The first point after the tick is in low...high.
        while low < high {
            let middle = (low + high) / 2
            if points[middle].tick <= tick.tenths { low = middle + 1 } else { high = middle }
        }
        let before = points[max(0, low - 1)]
        guard low > 0, low < points.count else { return Self.extended(before, tick.tenths) }
        return Self.between(before, points[low], tick.tenths)
    }

    private static func extended(_ point: Point, _ tick: Int64) -> Int64 {
        point.wall.addingClamped(tick.subtractingClamped(point.tick).clockNanoseconds)
    }

    private static func between(_ left: Point, _ right: Point, _ tick: Int64) -> Int64 {
        let part = tick.subtractingClamped(left.tick).magnitude
        let whole = right.tick.subtractingClamped(left.tick).magnitude
        let drift = right.offset.subtractingClamped(left.offset)
        let product = part.multipliedFullWidth(by: drift.magnitude)
        let share = Int64(clamping: whole.dividingFullWidth(product).quotient)
        return extended(left, tick).addingClamped(drift < 0 ? -share : share)
    }
}

extension Int64 {
    /// The sum, or the nearest end of what fits.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest end of what fits.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// Tenths of a second as nanoseconds, or the nearest end of what fits.
    var clockNanoseconds: Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: 100_000_000)
        return overflow ? (self < 0 ? .min : .max) : product
    }
}
