import Readings

extension GapLedger {
    /// Accounts for every stream that the node measured itself.
    ///
    /// - Parameters:
    ///   - reader: The history, with what it has not taken yet as its tail.
    ///   - timeline: Of its runs.
    ///   - range: Positions to account for.
    ///   - stretch: Shown every stretch; nil saves the time.
    ///   - progress: Told device and per cent now and then.
    /// - Returns: One report for each stream.
    /// - Throws: `StoreError.database`.
    package static func reports(
        of reader: HistoryReader,
        along timeline: GapLedgerTimeline,
        within range: Range<Int64>,
        stretch: ((StreamDescription, Stretch) -> Void)? = nil,
        progress: (_ device: String, _ percent: Int64) -> Void = { _, _ in }
    ) throws -> [GapLedgerReport] {
        let schedules = try reader.schedules()
        let allMarks = try GapMarks.all(in: reader)
        // Every boot whole: a damaged slot at an end of what is stored has to be met too.
        let spans = try reader.boots().map {
            HistorySpan(boot: $0.id, from: Tick(tenths: 0), to: .end)
        }
        // What was imported was not expected from this node.
        return try reader.streams().filter { !$0.id.isImported }.map { stream in
            var ledger = GapLedger(stream, along: timeline, within: range)
            let mine = schedules.filter { $0.stream == stream.id }
            var changes = ScheduleChanges(mine, along: timeline)
            var marks = GapMarks(allMarks, of: stream.id, along: timeline)
            let samples = try reader.raw(stream.id, spans)
            var interval: Int64 = 0
            var count = 0
            while let sample = try samples.next() {
                for loss in samples.takeLosses(interval: interval) { ledger.mark(loss) }
                if !changes.isEmpty || !marks.isEmpty {
                    let here = timeline.order(sample.boot, sample.tick)
                    while let mark = marks.next(upTo: here) {
                        // Of a lost block nobody knows which samples were in it.
                        ledger.mark(mark.reaching(back: interval * 3 / 2))
                    }
                    while let change = changes.next(upTo: here) {
                        ledger.schedule(change.interval, change.boot, from: change.from)
                        interval = change.tenths
                    }
                }
                ledger.sample(sample.outcomes, sample.boot, sample.tick)
                count += 1
                if let stretch, count % 256 == 0 {
                    for closed in ledger.takeStretches() { stretch(stream, closed) }
                }
                if count % 65_536 == 0 {
                    // Closed stretches are not shown here; their sums stay in the books.
                    _ = ledger.takeStretches()
                    let position = timeline.position(sample.boot, sample.tick) ?? 0
                    progress(stream.device, position * 100 / max(1, timeline.length))
                }
            }
            for loss in samples.takeLosses(interval: interval) { ledger.mark(loss) }
            while let mark = marks.next(upTo: .last) {
                ledger.mark(mark.reaching(back: interval * 3 / 2))
            }
            while let change = changes.next(upTo: .last) {
                ledger.schedule(change.interval, change.boot, from: change.from)
            }
            let report = ledger.finish()
            if let stretch { for closed in ledger.takeStretches() { stretch(stream, closed) } }
            return report
        }
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

    /// The next that counts from a place on, or before.
    mutating func next(upTo order: GapLedgerTimeline.Order) -> StoredSchedule? {
        guard let first = waiting.first, first.order <= order else { return nil }
        waiting.removeFirst()
        return first.change
    }
}
