import Core

/// The steps of a down-sampled series: whole buckets of a rollup, so that no bucket belongs to two.
///
/// Every boot begins where its buckets do; between two boots the axis may have room outside the
/// request, which is no gap.
package struct HistoryAxis: Hashable, Sendable {
    /// The requested range, moved so that it begins with a bucket, and widened to whole steps.
    package private(set) var spans: [HistorySpan]
    /// Number of steps, never more than wanted.
    package private(set) var points: Int
    /// The tier whose buckets make the steps; nil where the steps are finer, or the boots too many.
    package private(set) var tier: RollupTier?
    /// The requested ranges, tenths on the axis, oldest first.
    private var wanted: [Range<Int64>] = []

    /// Lays steps along the spans.
    ///
    /// - Parameters:
    ///   - spans: Oldest first, on the axis of elapsed time.
    ///   - points: Steps at most, 1…`HistoryPoint.countMax`.
    package init(_ spans: [HistorySpan], points: Int) {
        let count = min(max(points, 1), HistoryPoint.countMax)
        let length = spans.axisLength
        let width = max(1, (length + Int64(count) - 1) / Int64(count))
        (self.spans, self.points) = (spans, Int((length + width - 1) / width))
        wanted = spans.map(\.axis)
        for tier in RollupTier.allCases.reversed() where tier.tenths <= width {
            let grain = tier.tenths
            let aligned = Self.aligned(spans, to: grain)
            // Many short boots would make an axis of little but room: then finer steps are better.
            guard spans.count == 1 || aligned.axisLength - length <= length / 8 else { continue }
            wanted = zip(spans, aligned).map { span, moved in
                let offset = moved.offset + span.from.tenths - moved.from.tenths
                return offset..<offset + span.to.tenths - span.from.tenths
            }
            lay(aligned, count: Int64(count), grain)
            self.tier = tier
            return
        }
    }

    /// Tenths of a step inside the request.
    package func inside(_ point: HistoryPoint) -> Int64 {
        let step = point.offset..<point.offset + point.width
        return wanted.reduce(0) { sum, range in
            let part = step.clamped(to: range)
            return sum + part.upperBound - part.lowerBound
        }
    }

    /// The spans, each from the start of a bucket, which is a whole number of buckets along.
    private static func aligned(_ spans: [HistorySpan], to grain: Int64) -> [HistorySpan] {
        guard let first = spans.first else { return [] }
        let origin = first.offset - first.from.tenths.remainder(of: grain)
        var (aligned, end): ([HistorySpan], Int64) = ([], origin)
        for span in spans {
            let early = span.from.tenths.remainder(of: grain)
            // Elapsed time between the spans is kept; the rest of a bucket comes on top.
            let earliest = max(end, span.offset - early)
            let offset = origin + (earliest - origin).roundedUp(to: grain)
            let moved = HistorySpan(
                boot: span.boot,
                from: Tick(tenths: span.from.tenths - early),
                to: span.to,
                offset: offset
            )
            aligned.append(moved)
            end = moved.axis.upperBound
        }
        return aligned
    }

    private mutating func lay(_ aligned: [HistorySpan], count: Int64, _ grain: Int64) {
        spans = aligned
        guard let last = aligned.last else { return }
        let length = aligned.axisLength
        let step = ((length + count - 1) / count).roundedUp(to: grain)
        let steps = max(1, (length + step - 1) / step)
        points = Int(steps)
        spans[spans.count - 1] = HistorySpan(
            boot: last.boot,
            from: last.from,
            to: Tick(tenths: last.to.tenths + steps * step - length),
            offset: last.offset
        )
    }
}

extension HistorySpan {
    /// Position of the span on the axis.
    fileprivate var axis: Range<Int64> { offset..<offset + to.tenths - from.tenths }
}

extension [HistorySpan] {
    fileprivate var axisLength: Int64 {
        guard let first, let last else { return 0 }
        return last.axis.upperBound - first.offset
    }
}

extension Int64 {
    /// The remainder of a division, never negative.
    fileprivate func remainder(of divisor: Int64) -> Int64 {
        self - flooredDivision(by: divisor) * divisor
    }

    fileprivate func roundedUp(to divisor: Int64) -> Int64 {
        (self + divisor - 1).flooredDivision(by: divisor) * divisor
    }
}
