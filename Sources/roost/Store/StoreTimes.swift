import Core
import SQLite
import Store

/// The runs and clocks of a history, and what they say of wall time.
struct StoreTimes {
    let runs: [NodeRun]
    /// The last that is known of the newest run; where no station ever ran, the newest sample that
    /// was imported.
    let end: StoreMoment?
    let clock: ClockAnchors

    /// Reads them.
    ///
    /// A run that never said goodbye ends with its last sample or anchor; the one that runs, now.
    ///
    /// - Parameters:
    ///   - reader: The history.
    ///   - now: What the running station's clock says; nil when none answers.
    /// - Throws: `StoreError.database`.
    init(_ reader: HistoryReader, now: StoreMoment? = nil) throws {
        runs = try NodeRuns.all(in: reader, now: now.map { ($0.boot, $0.tick) })
        clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        if let run = runs.last(where: { !$0.boot.isImported }) {
            end = StoreMoment(boot: run.boot, tick: run.ended)
        } else {
            // Imported boots share one clock, the last tick is that of all of them.
            end = try reader.streams().flatMap { try StreamExtents(reader).spans(of: $0.id) }
                .max { $0.to < $1.to }
                .map { StoreMoment(boot: $0.boot, tick: Tick(tenths: $0.to.tenths - 1)) }
        }
    }

    /// The parts of spans that lie between two moments.
    ///
    /// What nothing dates is left out as soon as a moment is given.
    func clip(_ spans: [HistorySpan], _ range: TimeRange) -> [HistorySpan] {
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
    ///   - boot: The earlier boot.
    ///   - tenths: How long the stretch is.
    ///   - now: Where it ends.
    /// - Returns: nil when it begins after that boot.
    func start(in boot: BootID, _ tenths: Int64, before now: StoreMoment) -> Tick? {
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
    func undatedCount(_ reader: HistoryReader) throws -> Int {
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
    func moment(_ boot: BootID, _ tick: Tick) -> DatedMoment {
        let time = clock.time(boot, tick)
        return DatedMoment(time: time?.wall.iso8601, isSure: time?.isSure)
    }
}

/// A moment of a report, by the wall clock.
struct DatedMoment: Codable, Hashable {
    /// ISO 8601 in UTC; nil while nothing dates it.
    let time: String?
    /// Whether a trusted clock stands behind the time; nil without one.
    let isSure: Bool?

    /// `2026-11-21T08:15:00+01:00`, with a `?` when no trusted clock stands behind it.
    var words: String {
        guard let time else { return "no date" }
        return Zone.current.words(time) + (isSure == false ? "?" : "")
    }
}

/// All samples of some streams in the order of their times, one slot of each in memory.
///
/// What the station measured goes by boot and tick. What was imported goes by its time, each of its
/// boots a line of its own, and comes before a sample of the station that is later or has no date.
struct StoreSamples: SampleSource {
    private struct Line {
        let stream: StreamDescription
        let samples: RawSamples
        let isImported: Bool
        var head: BootSample?
    }

    private let clock: ClockAnchors
    private let ordinals: [BootID: UInt32]
    private var lines: [Line] = []
    /// Samples at most, as the spans' lengths and nothing else say: a measure for progress.
    let tenths: Int64

    init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange = TimeRange()
    ) throws {
        try self.init(reader, StoreWindow(times: times, range: range)) { _ in true }
    }

    /// - Parameters:
    ///   - reader: The history.
    ///   - window: From when to when.
    ///   - isWanted: Which streams.
    /// - Throws: `StoreError.database`.
    init(
        _ reader: HistoryReader,
        _ window: StoreWindow,
        _ isWanted: (StreamDescription) -> Bool
    ) throws {
        clock = window.times.clock
        ordinals = Dictionary(try reader.boots().map { ($0.id, $0.ordinal) }) { first, _ in first }
        var tenths: Int64 = 0
        for stream in try reader.streams() where isWanted(stream) {
            let spans = window.clip(try StreamExtents(reader).spans(of: stream.id))
            tenths = max(tenths, spans.reduce(0) { $0 + $1.to.tenths - $1.from.tenths })
            let isImported = stream.id.isImported
            for spans in isImported ? spans.map({ [$0] }) : [spans] {
                let samples = try RawSamples(reader, stream.id, spans)
                let head = try samples.next()
                let line = Line(
                    stream: stream,
                    samples: samples,
                    isImported: isImported,
                    head: head
                )
                lines.append(line)
            }
        }
        self.tenths = tenths
    }

    var damagedSegments: Int { lines.reduce(0) { $0 + $1.samples.damagedSegments } }

    mutating func next() throws -> DatedSample? {
        let measured = first { !$0.isImported }
        let imported = first(\.isImported)
        var best = imported ?? measured
        if let imported, let measured, let wall = wall(measured),
            wall < self.wall(imported) ?? wall
        {
            best = measured
        }
        guard let best, let sample = lines[best].head else { return nil }
        lines[best].head = try lines[best].samples.next()
        return DatedSample(
            stream: lines[best].stream,
            boot: sample.boot,
            tick: sample.tick,
            time: clock.time(sample.boot, sample.tick),
            outcomes: sample.outcomes
        )
    }

    private func first(_ isWanted: (Line) -> Bool) -> Int? {
        var best: Int?
        for index in lines.indices where lines[index].head != nil && isWanted(lines[index]) {
            if best.map({ key(index) < key($0) }) ?? true { best = index }
        }
        return best
    }

    private func wall(_ index: Int) -> WallTime? {
        lines[index].head.flatMap { clock.time($0.boot, $0.tick)?.wall }
    }

    /// Imported boots share one clock, so their order does not matter.
    private func key(_ index: Int) -> (UInt32, Int64) {
        guard let head = lines[index].head else { return (.max, .max) }
        let ordinal = lines[index].isImported ? 0 : ordinals[head.boot] ?? .max
        return (ordinal, head.tick.tenths)
    }
}
