import Core
import Store

/// Where the time of one channel went, and each gap of it.
package struct ChannelLedger: Sendable {
    /// Stretches of one answer; finer ones are merged.
    static let stretchMax = 500

    package struct Stretch: Hashable, Sendable {
        /// Positions on the timeline, tenths.
        package var range: Range<Int64>
        package var cause: GapCause
        /// How much of it that cause has, tenths; less than its length where others are merged in.
        fileprivate var weight: Int64
    }

    package let channel: StoreChannel
    package let line: GapLedgerReport.Line
    /// The gaps in order; time that values cover is between them.
    package let stretches: [Stretch]
    /// Whether stretches lie so near to each other that some were drawn as one.
    package let isMerged: Bool
    /// Dates positions.
    package let timeline: GapLedgerTimeline
    /// The positions that were accounted for.
    package let range: Range<Int64>

    /// Reads it from the samples.
    ///
    /// - Parameters:
    ///   - channel: Which; one that was imported has a timeline of its own.
    ///   - range: From when to when.
    ///   - stretchMax: Stretches at most.
    /// - Throws: `StoreError.database`.
    package init?(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        stretchMax: Int = Self.stretchMax
    ) throws {
        self.channel = channel
        var kept = MergedStretches(limit: stretchMax)
        func append(_ stretch: GapLedger.Stretch) {
            if stretch.channel == channel.index { kept.add(stretch) }
        }
        let report: GapLedgerReport?
        if channel.stream.id.isImported {
            let account = try ImportedLedger.account(
                of: channel.stream,
                reader,
                times.clock,
                range,
                stretch: append
            )
            (report, timeline, self.range) = (account.report, account.timeline, account.range)
        } else {
            timeline = GapLedgerTimeline(runs: times.runs, clock: times.clock)
            let first = range.from.map { [timeline] in timeline.position(at: $0) } ?? 0
            let last = range.to.map { [timeline] in timeline.position(at: $0) } ?? timeline.length
            self.range = first..<max(first, last)
            report = try GapLedgerReports.all(
                of: reader,
                along: timeline,
                within: self.range,
                only: channel.stream.id,
                stretch: { append($1) }
            ).first
        }
        guard let line = report?.lines.first(where: { $0.channel == channel.name }) else {
            return nil
        }
        self.line = line
        (stretches, isMerged) = (kept.stretches, kept.isMerged)
    }

    /// Joins gaps that are nearer to each other than can be drawn, once there are too many.
    private struct MergedStretches {
        let limit: Int
        private(set) var stretches: [Stretch] = []
        private(set) var isMerged = false
        /// Tenths between two gaps, below which they become one.
        private var nearness: Int64 = 0

        init(limit: Int) { self.limit = limit }

        mutating func add(_ new: GapLedger.Stretch) {
            guard let cause = new.cause else { return }
            let length = new.range.upperBound - new.range.lowerBound
            join(Stretch(range: new.range, cause: cause, weight: length), &stretches)
            while stretches.count > limit {
                let width = (stretches.last?.range.upperBound ?? 0) - stretches[0].range.lowerBound
                nearness = max(nearness * 2, width / Int64(2 * limit), 1)
                isMerged = true
                var joined: [Stretch] = []
                for stretch in stretches { join(stretch, &joined) }
                stretches = joined
            }
        }

        private func join(_ new: Stretch, _ all: inout [Stretch]) {
            guard nearness > 0, let last = all.last,
                new.range.lowerBound - last.range.upperBound < nearness
            else { return all.append(new) }
            let isMore = new.weight > last.weight
            all[all.count - 1] = Stretch(
                range: last.range.lowerBound..<new.range.upperBound,
                cause: isMore ? new.cause : last.cause,
                weight: max(new.weight, last.weight)
            )
        }
    }
}
