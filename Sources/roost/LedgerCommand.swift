import ArgumentParser
import ControlProtocol
import Readings
import Store

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Accounts for every tenth of a second: covered by readings, or a gap and why.",
        discussion: """
            Reads the whole range once, and from the running station what is not in the history
            yet. What is damaged, or older than the history goes back, is told as such.

            Examples: roost ledger
                      roost ledger --store /mnt/card/store --from 2026-11-01 --to 2026-11-08
            """
    )
    @OptionGroup var source: StoreOptions

    @OptionGroup var time: TimeOptions

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let source = try source.open()
        let reports = try withStore(source.folder) {
            let progress = try ProgressLine()
            defer { progress.finish() }
            return try StoreLedger.reports(source, time.range, progress)
        }
        if json {
            Output.line(try ControlCodec.line(reports))
        } else if reports.isEmpty {
            Output.line("there are no streams yet")
        } else {
            Output.write(reports.map(\.text).joined(separator: "\n"))
        }
    }
}

/// Feeds ledgers from a history.
enum StoreLedger {
    static func reports(
        _ source: StoreSource,
        _ range: TimeRange,
        _ progress: ProgressLine
    ) throws -> [GapLedgerReport] {
        let reader = source.reader
        let times = try StoreTimes(reader, now: source.now)
        let timeline = GapLedgerTimeline(runs: times.runs, clock: times.clock)
        let first = range.from.map { timeline.position(at: $0) } ?? 0
        let last = range.to.map { timeline.position(at: $0) } ?? timeline.length
        let schedules = try reader.schedules()
        let allMarks = try GapMarks.all(in: reader)
        // Every boot whole: a damaged slot at an end of what is stored has to be met too.
        let spans = try reader.boots().map {
            HistorySpan(boot: $0.id, from: Tick(tenths: 0), to: .end)
        }
        return try reader.streams().map { stream in
            if stream.id.isImported {
                return try ImportedLedger.report(of: stream, reader, times.clock, range)
            }
            var ledger = GapLedger(stream, along: timeline, within: first..<max(first, last))
            let mine = schedules.filter { $0.stream == stream.id }
            var changes = ScheduleChanges(mine, along: timeline)
            var marks = GapMarks(allMarks, of: stream.id, along: timeline)
            let samples = try reader.raw(stream.id, spans)
            var interval: Int64 = 0
            var count = 0
            while let sample = try samples.next() {
                for loss in samples.takeLosses(interval: interval) { ledger.mark(loss) }
                if !changes.isEmpty || !marks.isEmpty {
                    let position = timeline.position(sample.boot, sample.tick) ?? .min
                    while let mark = marks.next(upTo: position) {
                        // Of a lost block nobody knows which samples were in it.
                        ledger.mark(mark.reaching(back: interval * 3 / 2))
                    }
                    while let change = changes.next(upTo: position) {
                        ledger.schedule(change.interval, change.boot, from: change.from)
                        interval = change.tenths
                    }
                }
                ledger.sample(sample.outcomes, sample.boot, sample.tick)
                count += 1
                if count % 65_536 == 0 {
                    // Closed stretches are not shown here; their sums stay in the books.
                    _ = ledger.takeStretches()
                    let position = timeline.position(sample.boot, sample.tick) ?? 0
                    let percent = position * 100 / max(1, timeline.length)
                    progress.show("ledger: \(stream.device), \(percent) %")
                }
            }
            for loss in samples.takeLosses(interval: interval) { ledger.mark(loss) }
            while let mark = marks.next(upTo: .max) {
                ledger.mark(mark.reaching(back: interval * 3 / 2))
            }
            while let change = changes.next(upTo: .max) {
                ledger.schedule(change.interval, change.boot, from: change.from)
            }
            return ledger.finish()
        }
    }
}

extension StoredSchedule {
    /// Tenths between samples; 0 when none is expected.
    fileprivate var tenths: Int64 { (interval.map { $0.wholeNanoseconds } ?? 0) / 100_000_000 }
}

/// The schedules of one stream, handed out in the order of the timeline.
struct ScheduleChanges {
    private var waiting: ArraySlice<(position: Int64, change: StoredSchedule)>

    init(_ schedules: [StoredSchedule], along timeline: GapLedgerTimeline) {
        waiting =
            schedules.enumerated()
            .map { (timeline.position($1.boot, $1.from) ?? .min, $0, $1) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { (position: $0.0, change: $0.2) }[...]
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// The next that counts from a position on, or before.
    mutating func next(upTo position: Int64) -> StoredSchedule? {
        guard let first = waiting.first, first.position <= position else { return nil }
        waiting.removeFirst()
        return first.change
    }
}
