import Core
import Store

/// The runs and clocks of a history, and what they say of wall time.
package struct StoreTimes: Sendable {
    package let runs: [NodeRun]
    /// The last that is known of the newest run; where no station ever ran, the newest sample that
    /// was imported.
    package let end: StoreTime?
    package let clock: ClockAnchors

    /// Reads them.
    ///
    /// A run that never said goodbye ends with its last sample or anchor; the one that runs, now.
    ///
    /// - Parameters:
    ///   - now: What the running station's clock says; nil when none answers.
    /// - Throws: `StoreError.database`.
    package init(_ reader: HistoryReader, now: StoreTime? = nil) throws {
        runs = try NodeRuns.all(in: reader, now: now.map { ($0.boot, $0.tick) })
        clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        if let run = runs.last {
            end = StoreTime(boot: run.boot, tick: run.ended)
        } else {
            // Imported boots share one clock, the last tick is that of all of them.
            end = try reader.streams().flatMap { try StreamExtents(reader).spans(of: $0.id) }
                .max { $0.to < $1.to }
                .map { StoreTime(boot: $0.boot, tick: Tick(tenths: $0.to.tenths - 1)) }
        }
    }

    /// The parts of spans that lie between two moments.
    ///
    /// What nothing dates is left out as soon as a moment is given.
    package func clip(_ spans: [HistorySpan], _ range: TimeRange) -> [HistorySpan] {
        guard range.from != nil || range.to != nil else { return spans }
        return spans.compactMap { span in
            guard clock.time(span.boot, span.from) != nil else { return nil }
            let from = range.from.map { first(notBefore: $0, in: span) } ?? span.from
            let to = range.to.map { first(notBefore: $0, in: span) } ?? span.to
            guard from < to else { return nil }
            let offset = span.offset + from.tenths - span.from.tenths
            return HistorySpan(boot: span.boot, from: from, to: to, offset: offset)
        }
    }

    /// Where the last stretch of running time before a moment begins in an earlier boot.
    ///
    /// For boots that nothing dates: the time in which the station was off does not count.
    ///
    /// - Parameters:
    ///   - tenths: How long the stretch is.
    /// - Returns: nil when it begins after that boot.
    package func start(in boot: BootID, _ tenths: Int64, before now: StoreTime) -> Tick? {
        var left = tenths
        for run in runs.reversed() {
            guard run.boot != boot else { return Tick(tenths: run.ended.tenths - left) }
            let end = run.boot == now.boot ? min(run.ended, now.tick) : run.ended
            left -= max(0, end.tenths - run.started.tenths)
            guard left > 0 else { return nil }
        }
        return nil
    }

    /// How many boots with samples of these streams nothing dates.
    package func undatedCount(_ reader: HistoryReader) throws -> Int {
        let boots = try reader.streams().flatMap {
            try StreamExtents(reader).spans(of: $0.id).map(\.boot)
        }
        return Set(boots).count { clock.time($0, Tick(tenths: 0)) == nil }
    }

    /// The first tick of a span that is not before a moment, or the span's end.
    private func first(notBefore wall: WallTime, in span: HistorySpan) -> Tick {
        var (low, high) = (span.from.tenths, span.to.tenths)
        while low < high {
            let middle = low + (high - low) / 2
            let isBefore =
                clock.time(span.boot, Tick(tenths: middle)).map { $0.wall < wall } ?? true
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return Tick(tenths: low)
    }

    /// When it was; without a time where nothing dates its boot.
    package func moment(_ boot: BootID, _ tick: Tick) -> DatedTime {
        let time = clock.time(boot, tick)
        return DatedTime(time: time?.wall.iso8601, isSure: time?.isSure)
    }
}

/// A moment of a report, by the wall clock.
package struct DatedTime: Codable, Hashable, Sendable {
    /// ISO 8601 in UTC; nil while nothing dates it.
    package let time: String?
    /// Whether a trusted clock stands behind the time; nil without one.
    package let isSure: Bool?

    package init(time: String?, isSure: Bool?) { (self.time, self.isSure) = (time, isSure) }
}

/// A moment as the store counts it.
package struct StoreTime: Hashable, Sendable {
    package let boot: BootID
    package let tick: Tick

    package init(boot: BootID, tick: Tick) { (self.boot, self.tick) = (boot, tick) }
}

/// A range of wall time; nil leaves an end open.
package struct TimeRange: Hashable, Sendable {
    package var from: WallTime?
    package var to: WallTime?

    package init(from: WallTime? = nil, to: WallTime? = nil) { (self.from, self.to) = (from, to) }

    /// The same with some time more at both ends; what no clock can say stays open.
    package func widened(by margin: Duration) -> TimeRange {
        func moved(_ wall: WallTime?, _ nanoseconds: Int64) -> WallTime? {
            wall.flatMap { wall in
                let (sum, isTooFar) = wall.nanoseconds.addingReportingOverflow(nanoseconds)
                return isTooFar ? nil : WallTime(nanoseconds: sum)
            }
        }
        let nanoseconds = margin.wholeNanoseconds
        return TimeRange(from: moved(from, -nanoseconds), to: moved(to, nanoseconds))
    }

    package func contains(_ wall: WallTime) -> Bool {
        (from.map { $0 <= wall } ?? true) && (to.map { wall < $0 } ?? true)
    }
}
