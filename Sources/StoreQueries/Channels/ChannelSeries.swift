import Core
import Store

/// One channel over a time in a few hundred steps, each dated by the wall clock.
package struct ChannelSeries: Sendable {
    /// Samples whose flags are read, at most; above, flags are not known.
    ///
    /// Flags are stored for runs of samples, so that reading them takes the times alone.
    static let flaggedMax = 2_000_000

    package struct Step: Hashable, Sendable {
        /// When it begins; nil while nothing dates it.
        package let time: ClockAnchors.Time?
        package let point: HistoryPoint
        /// Tenths of it that were asked for; the rest is no gap.
        package let inside: Int64
        /// Flags of all values in the step; empty where `ChannelSeries.hasFlags` is false.
        package var flags: Quality = []

        /// 0…1: how much of it values cover.
        package var covered: Double {
            inside > 0 ? min(1, Double(point.bucket.covered) / Double(inside)) : 0
        }
    }

    package let channel: StoreChannel
    /// Steps in order, also those without values.
    package let steps: [Step]
    /// The rollup whose buckets make the steps; nil where the steps are finer.
    package let tier: RollupTier?
    package let widthTenths: Int64
    /// Whether the flags of the steps are known: rollups do not keep them.
    package let hasFlags: Bool

    /// Reads it from the coarsest rollup that is fine enough.
    ///
    /// Of what others measured, the last correction of each value counts.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    ///   - points: Steps at most.
    ///   - wantsFlags: Whether to look at the samples where they are few.
    package init(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        points: Int,
        wantsFlags: Bool = false
    ) throws(StoreError) {
        let spans = try channel.spans(reader, times, range)
        let most = Self.share(of: points, range, spans)
        let axis = HistoryAxis(spans, points: try Self.points(most, channel, reader, spans))
        var found = try HistorySeries(reader)
            .points(channel.stream.id, channel: channel.index, along: axis)
        if let corrections = try Corrections(of: channel, reader, times, range) {
            found = try corrections.applied(to: found, axis.spans, reader)
        }
        self.channel = channel
        tier = axis.tier
        widthTenths = found.first?.width ?? 0
        var steps = found.map { point in
            Step(
                time: Self.start(of: point, axis.spans, times.clock),
                point: point,
                inside: axis.inside(point)
            )
        }
        let count = found.reduce(0) { $0 + $1.bucket.count }
        hasFlags = wantsFlags && count <= Self.flaggedMax
        if hasFlags { try Self.addFlags(&steps, channel, reader, axis.spans) }
        self.steps = steps
    }

    /// The part of the steps that the record has of the whole range: none is finer for the rest.
    private static func share(
        of points: Int,
        _ range: TimeRange,
        _ spans: [HistorySpan]
    ) -> Int {
        guard let from = range.from, let to = range.to, from < to,
            let first = spans.first, let last = spans.last
        else { return points }
        let length = last.offset + last.to.tenths - last.from.tenths - first.offset
        let share = Double(length) / Double(to.tenths - from.tenths)
        return max(1, Int((Double(points) * min(1, share)).rounded(.up)))
    }

    /// Returns how many steps to make, so that each has a sample where none is missing.
    ///
    /// Finer steps would be empty between two samples, and look like gaps.
    private static func points(
        _ wanted: Int,
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ spans: [HistorySpan]
    ) throws(StoreError) -> Int {
        guard let first = spans.first, let last = spans.last else { return wanted }
        let all = try reader.schedules().filter { $0.stream == channel.stream.id }
        // The interval that held as the first span began counts too.
        let known = all.lastIndex { $0.boot == first.boot && $0.from <= first.from } ?? 0
        let boots = Set(spans.map(\.boot))
        let intervals = all.dropFirst(known).filter { boots.contains($0.boot) }
            .compactMap { $0.interval }
        guard let longest = intervals.max(), longest > .zero else { return wanted }
        let tenths = max(1, Int64(longest / .milliseconds(100)))
        let length = last.offset + last.to.tenths - last.from.tenths - first.offset
        return max(1, min(wanted, Int(length / (tenths * 3 / 2))))
    }

    /// Wall time of a step's start, by the span that it begins in.
    private static func start(
        of point: HistoryPoint,
        _ spans: [HistorySpan],
        _ clock: ClockAnchors
    ) -> ClockAnchors.Time? {
        guard let span = spans.last(where: { $0.offset <= point.offset }) else { return nil }
        return clock.time(
            span.boot,
            Tick(tenths: span.from.tenths + point.offset - span.offset)
        )
    }

    private static func addFlags(
        _ steps: inout [Step],
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ spans: [HistorySpan]
    ) throws(StoreError) {
        guard let first = steps.first else { return }
        let (origin, width) = (first.point.offset, max(1, first.point.width))
        var rows = SegmentRows()
        for span in spans {
            let samples = try RawSamples(reader, channel.stream.id, [span], isTimesOnly: true)
            while let part = try samples.nextRows(into: &rows) {
                guard case .values(_, let quality) = rows.statuses[channel.index],
                    !quality.isEmpty
                else { continue }
                var last = -1
                for row in part.range {
                    let place = span.offset + rows.tick(row).tenths - span.from.tenths - origin
                    let index = Int(place / width)
                    guard index != last, steps.indices.contains(index) else { continue }
                    steps[index].flags.formUnion(quality)
                    last = index
                }
            }
        }
    }
}
