import ArgumentParser
import ClientSupport
import ControlProtocol
import Store
import StoreQueries

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Accounts for every tenth of a second: covered by readings, or a gap and why.",
        discussion: """
            Reads the whole range once, and from the running station what is not in the history \
            yet. What is damaged, or older than the history goes back, is reported as such.

            Examples: roost ledger
                      roost ledger --last 1d --channel balcony/pm25
                      roost ledger --store /mnt/card/store --from 2026-11-01 --to 2026-11-08
            """
    )
    @OptionGroup var source: StoreOptions

    @OptionGroup var options: ChannelOptions

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let source = try source.open()
        let reports = try withStore(source.folder) {
            let progress = try ProgressLine()
            defer { progress.finish() }
            let times = try StoreTimes(source.reader, now: source.now)
            let range = try options.span.range(source, times)
            _ = try options.places(source.reader)
            try StoreText.reportDoubts(
                false,
                StoreWindow(times: times, range: range),
                source.reader
            )
            let all = try StoreLedger.reports(source.reader, times, range) { device, percent in
                progress.show("ledger: \(device), \(percent) %")
            }
            guard let channel = options.channel else { return all }
            return all.compactMap { $0.keeping(channel) }
        }
        if json {
            Output.line(try ControlCodec.line(LedgersReport(reports)))
        } else if reports.isEmpty {
            Output.line("there are no streams yet")
        } else {
            Output.write(reports.map(\.text).joined(separator: "\n"))
        }
    }
}
