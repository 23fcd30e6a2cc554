import Core
import Store

/// Accounts for the time between the first and the last sample of a stream that was imported.
///
/// The files say neither how often a sample was due nor why one is missing. A sample speaks for the
/// time since the one before it as `GapLedger` has it, at the median distance of the first samples;
/// the rest is `notImported`, for any cause, or `damaged` where a slot of the history is.
enum ImportedLedger {
    /// Distances kept for the median, 4 096: eleven days of Sensor.Community's 150 s.
    static let distanceCountMax = 4_096

    static func report(
        of stream: StreamDescription,
        _ reader: HistoryReader,
        _ clock: ClockAnchors,
        _ range: TimeRange
    ) throws -> GapLedgerReport {
        try account(of: stream, reader, clock, range) { _ in }.report
    }

    /// The report, and the stretches that it sums up.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    /// - Returns: The report, and the timeline that the stretches are on.
    /// - Throws: `StoreError.database`.
    static func account(
        of stream: StreamDescription,
        _ reader: HistoryReader,
        _ clock: ClockAnchors,
        _ range: TimeRange,
        stretch: (GapLedger.Stretch) -> Void
    ) throws -> (report: GapLedgerReport, timeline: GapLedgerTimeline, range: Range<Int64>) {
        let spans = try StreamExtents(reader).spans(of: stream.id)
        guard let first = spans.map(\.from).min(), let end = spans.map(\.to).max(),
            let boot = spans.first?.boot
        else {
            let empty = GapLedgerTimeline(runs: [], clock: clock)
            var ledger = GapLedger(stream, along: empty)
            return (ledger.finish(), empty, 0..<0)
        }
        // All its boots share one clock, so one run holds them all.
        let last = Tick(tenths: end.tenths - 1)
        let run = NodeRun(boot: boot, started: first, ended: last, end: .stopped)
        let timeline = GapLedgerTimeline(runs: [run], clock: clock)
        let from = range.from.map { timeline.position(at: $0) } ?? 0
        let to = range.to.map { timeline.position(at: $0) } ?? timeline.length
        var ledger = GapLedger(stream, along: timeline, within: from..<max(from, to))
        let interval = try interval(stream, reader)
        ledger.schedule(interval.map { .milliseconds($0 * 100) }, boot, from: first)
        var samples = try ImportedSamples(reader, stream, spans)
        var before = first
        while let sample = try samples.next() {
            for loss in samples.takeLosses(interval: interval ?? 0) {
                let (from, to) = (loss.from.tick, loss.to.tick)
                if from < to { ledger.mark(loss.cause, boot, from..<to, lost: loss.lost) }
            }
            if sample.tick > before { ledger.mark(.notImported, boot, before..<sample.tick) }
            before = sample.tick
            ledger.sample(sample.outcomes, boot, sample.tick)
            for closed in ledger.takeStretches() { stretch(closed) }
        }
        let report = ledger.finish()
        for closed in ledger.takeStretches() { stretch(closed) }
        return (report, timeline, from..<max(from, to))
    }

    /// The median distance of the first samples, tenths; nil when there are not two.
    static func interval(
        _ stream: StreamDescription,
        _ reader: HistoryReader
    ) throws(StoreError) -> Int64? {
        let spans = try StreamExtents(reader).spans(of: stream.id)
        var samples = try ImportedSamples(reader, stream, spans)
        var (distances, before): ([Int64], Tick?) = ([], nil)
        while distances.count < distanceCountMax, let sample = try samples.next() {
            if let before { distances.append(sample.tick.tenths - before.tenths) }
            before = sample.tick
        }
        return distances.isEmpty ? nil : distances.sorted()[distances.count / 2]
    }
}

/// The samples of an imported stream by their time, across boots.
struct ImportedSamples {
    /// Bound: `ImportedBoot.countMax`.
    private var lines: [(samples: RawSamples, head: BootSample?)] = []

    init(
        _ reader: HistoryReader,
        _ stream: StreamDescription,
        _ spans: [HistorySpan]
    ) throws(StoreError) {
        for span in spans {
            let samples = try RawSamples(reader, stream.id, [span], isTimesOnly: true)
            lines.append((samples, try samples.next()))
        }
    }

    /// Returns the losses of damaged slots before the samples handed out; see `RawSamples`.
    func takeLosses(interval: Int64) -> [GapMark] {
        lines.flatMap { $0.samples.takeLosses(interval: interval) }
    }

    mutating func next() throws(StoreError) -> BootSample? {
        var best: (index: Int, sample: BootSample)?
        for (index, line) in lines.enumerated() {
            guard let head = line.head else { continue }
            if best.map({ head.tick < $0.sample.tick }) ?? true { best = (index, head) }
        }
        guard let best else { return nil }
        lines[best.index].head = try lines[best.index].samples.next()
        return best.sample
    }
}
