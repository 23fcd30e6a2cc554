import ArgumentParser
import ClientSupport
import ControlProtocol
import Store

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Accounts for every tenth of a second: covered by readings, or a gap and why.",
        discussion: """
            Reads the whole range once, and from the running station what is not in the history
            yet. What is damaged, or older than the history goes back, is reported as such.

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
            Output.line(try ControlCodec.line(["streams": reports]))
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
        let times = try StoreTimes(source.reader, now: source.now)
        let window = StoreWindow(times: times, range: range)
        try StoreText.tellDoubts(false, window, source.reader)
        let timeline = GapLedgerTimeline(runs: times.runs, clock: times.clock)
        let first = range.from.map { timeline.position(at: $0) } ?? 0
        let last = range.to.map { timeline.position(at: $0) } ?? timeline.length
        let own = try GapLedgerReports.all(
            of: source.reader,
            along: timeline,
            within: first..<max(first, last),
            progress: { device, percent in progress.show("ledger: \(device), \(percent) %") }
        )
        let imported = try source.reader.streams().filter(\.id.isImported)
        return try own
            + imported.map { try ImportedLedger.report(of: $0, source.reader, times.clock, range) }
    }
}
