import Core

/// Accounts for the streams of a history.
package enum GapLedgerReports {
    /// Accounts for every stream that the node measured itself.
    ///
    /// - Parameters:
    ///   - reader: The history, with the records that are not in it yet as its tail.
    ///   - only: The stream that is wanted; nil for all.
    ///   - stretch: Shown every stretch; nil saves the time.
    ///   - progress: Called with device and per cent now and then.
    /// - Returns: One report for each stream.
    /// - Throws: `StoreError.database`.
    package static func all(
        of reader: HistoryReader,
        along timeline: GapLedgerTimeline,
        within range: Range<Int64>,
        only: StreamID? = nil,
        stretch: ((StreamDescription, GapLedger.Stretch) -> Void)? = nil,
        progress: (_ device: String, _ percent: Int64) -> Void = { _, _ in }
    ) throws -> [GapLedgerReport] {
        let schedules = try reader.schedules()
        let allMarks = try GapMarks.all(in: reader)
        // Imported samples were not expected from this node.
        let own = try reader.streams().filter { !$0.id.isImported }
        let wanted = GapMarks.streams(allMarks, and: own).filter { only == nil || $0.id == only }
        return try wanted.map { stream in
            let mine = schedules.filter { $0.stream == stream.id }
            let spans = try spans(of: stream.id, in: reader, along: timeline, before: range)
            var feed = GapLedgerFeed(
                ledger: GapLedger(stream, along: timeline, within: range),
                timeline: timeline,
                changes: ScheduleChanges(mine, along: timeline),
                marks: GapMarks(allMarks, of: stream.id, along: timeline),
                samples: try RawSamples(reader, stream.id, spans, isTimesOnly: true)
            )
            var pieces = 0
            while let place = try feed.step() {
                guard place.position <= range.upperBound else { break }
                pieces += 1
                if let stretch {
                    for closed in feed.ledger.takeStretches() { stretch(stream, closed) }
                }
                if pieces % 128 == 0 {
                    // Closed stretches are not shown here; their sums stay in the books.
                    _ = feed.ledger.takeStretches()
                    let done = max(0, place.position - range.lowerBound)
                    progress(stream.device, done * 100 / max(1, Int64(range.count)))
                }
            }
            let report = feed.finish()
            if let stretch {
                for closed in feed.ledger.takeStretches() { stretch(stream, closed) }
            }
            return report
        }
    }

    /// The part of a stream to read for a range: from the last sample before it on.
    ///
    /// Every boot from there on whole: a damaged slot at either end has to be found too.
    private static func spans(
        of stream: StreamID,
        in reader: HistoryReader,
        along timeline: GapLedgerTimeline,
        before range: Range<Int64>
    ) throws -> [HistorySpan] {
        let boots = try reader.boots().map(\.id)
        let all = boots.map { HistorySpan(boot: $0, from: Tick(tenths: 0), to: .end) }
        guard range.lowerBound > 0 else { return all }
        // Half an hour before the range, then eight times as much, until a sample is found.
        var back: Int64 = 18_000
        while back < range.lowerBound {
            let place = timeline.place(at: range.lowerBound - back)
            if let place, let number = boots.firstIndex(of: place.boot) {
                var spans = Array(all[number...])
                spans[0] = HistorySpan(boot: place.boot, from: place.tick, to: .end)
                let sample = try RawSamples(reader, stream, spans).next()
                let position = sample.flatMap { timeline.position($0.boot, $0.tick) }
                if let position, position < range.lowerBound { return spans }
            }
            back *= 8
        }
        return all
    }
}

/// Feeds a ledger in the order of time: losses, marks, schedules, samples.
private struct GapLedgerFeed {
    var ledger: GapLedger
    let timeline: GapLedgerTimeline
    var changes: ScheduleChanges
    var marks: GapMarks
    let samples: RawSamples
    private var rows = SegmentRows()
    private var interval: Int64 = 0

    init(
        ledger: GapLedger,
        timeline: GapLedgerTimeline,
        changes: ScheduleChanges,
        marks: GapMarks,
        samples: RawSamples
    ) {
        (self.ledger, self.timeline) = (ledger, timeline)
        (self.changes, self.marks, self.samples) = (changes, marks, samples)
    }

    /// Feeds one piece of samples.
    ///
    /// - Returns: The position of its last sample; nil without one.
    /// - Throws: `StoreError.database`.
    mutating func step() throws -> GapLedgerTimeline.Order? {
        guard let piece = try samples.nextRows(into: &rows) else { return nil }
        for loss in samples.takeLosses(interval: interval) { ledger.mark(loss) }
        var range = piece.range
        let last = timeline.order(piece.boot, rows.tick(range.upperBound - 1))
        while let row = range.first {
            if isQuiet(upTo: last) {
                range.removeFirst(ledger.regularSamples(rows, range, piece.boot))
                guard range.first == row else { continue }
            }
            range.removeFirst()
            let tick = rows.tick(row)
            if !changes.isEmpty || !marks.isEmpty {
                takeWhatComes(upTo: timeline.order(piece.boot, tick))
            }
            ledger.sample(rows.outcomes(row), piece.boot, tick)
        }
        return last
    }

    /// Whether only samples follow up to a position.
    private func isQuiet(upTo order: GapLedgerTimeline.Order) -> Bool {
        let next = [marks.nextOrder, changes.nextOrder].compactMap(\.self).min()
        return next.map { order < $0 } ?? true
    }

    /// Marks and schedules up to a place.
    private mutating func takeWhatComes(upTo order: GapLedgerTimeline.Order) {
        while true {
            // A mark reaches back by the schedule that held at its time.
            let next = marks.nextOrder.map { min($0, order) } ?? order
            while let change = changes.next(upTo: next) {
                ledger.schedule(change.interval, change.boot, from: change.from)
                interval = change.tenths
            }
            // It is not known which samples were in a lost block.
            guard let mark = marks.next(upTo: order) else { break }
            ledger.mark(mark.reaching(back: interval * 3 / 2))
        }
    }

    mutating func finish() -> GapLedgerReport {
        for loss in samples.takeLosses(interval: interval) { ledger.mark(loss) }
        takeWhatComes(upTo: .last)
        return ledger.finish()
    }
}

extension StoredSchedule {
    /// Tenths between samples; 0 when none is expected.
    fileprivate var tenths: Int64 { (interval.map { $0.wholeNanoseconds } ?? 0) / 100_000_000 }
}

/// The schedules of one stream, handed out in the order of the timeline.
struct ScheduleChanges {
    private var waiting: ArraySlice<(order: GapLedgerTimeline.Order, change: StoredSchedule)>

    init(_ schedules: [StoredSchedule], along timeline: GapLedgerTimeline) {
        waiting =
            schedules.enumerated()
            .map { (timeline.order($1.boot, $1.from), $0, $1) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { (order: $0.0, change: $0.2) }[...]
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Position from which the next schedule counts; nil after the last.
    var nextOrder: GapLedgerTimeline.Order? { waiting.first?.order }

    /// Returns the next schedule that counts from a position on, or from before it.
    mutating func next(upTo order: GapLedgerTimeline.Order) -> StoredSchedule? {
        guard let first = waiting.first, first.order <= order else { return nil }
        waiting.removeFirst()
        return first.change
    }
}
