import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "What happened: restarts, lamp changes, motion, devices that went and came.",
        discussion: """
            By default everything that is stored, oldest first: from the history on the card, and
            from the running station what is not there yet.

            Examples: roost events --last 1h
                      roost events --from 2026-11-01 --limit 20 --json
            """
    )
    @OptionGroup var span: SpanOptions
    @OptionGroup var source: StoreOptions

    @Flag(help: "Print a JSON object a line instead of words.")
    var json = false

    func run() throws {
        let source: StoreSource
        do { source = try self.source.open() } catch let error as StationWithoutStore {
            return try fromMemory(error)
        }
        try withStore(source.folder) {
            let window = try span.window(source, standard: nil)
            let paint = Paint.forStandardOutput
            var failure: (any Error)?
            var count = 0
            func show(_ event: BootEvent) -> Bool {
                let tick = Tick(event.event.instant)
                guard window.contains(event.boot, tick) else { return true }
                count += 1
                let time = window.times.clock.time(event.boot, tick)
                let report = StoredEvent(event, time)
                do {
                    Output.line(
                        json
                            ? try ControlCodec.line(report) : report.text(event, time, paint)
                    )
                } catch { failure = error }
                return failure == nil
            }
            if let limit = span.limit {
                let found = try HistoryEvents(source.reader).newest(limit) { event in
                    window.contains(event.boot, Tick(event.event.instant))
                }
                for event in found where !show(event) { break }
            } else {
                try HistoryEvents(source.reader).each(body: show)
            }
            if let failure { throw failure }
            if count == 0, !json { Output.line("no events in this time") }
            try StoreText.reportDoubts(false, window, source.reader)
        }
    }

    /// Prints the events that the station has in memory.
    private func fromMemory(_ error: StationWithoutStore) throws {
        guard span.range == TimeRange() else {
            let message = "\(error); of its memory ask with --last and --limit"
            throw ClientFailure(message: message, exitCode: 1)
        }
        if error.because != nil { Output.error("\(error)") }
        let client = try ClientOptions.reaching(source.socket)
        let span = span
        let report = try client.withStation { client in
            try await client.pages { from in
                let page = try await client.ask(
                    GetEvents(lastSeconds: span.last?.seconds, limit: span.limit, from: from)
                )
                return (page.events, page.omittedCount, page.next)
            }
        }
        let paint = Paint.forStandardOutput
        for event in report.items {
            Output.line(json ? try ControlCodec.line(event) : ReportText.event(event, paint))
        }
        if report.items.isEmpty, !json { Output.line("no events yet") }
    }
}

extension StoredEvent {
    fileprivate func text(_ event: BootEvent, _ time: ClockAnchors.Time?, _ paint: Paint) -> String
    {
        let stamp = StoreText.stamp(time?.wall, isSure, Tick(event.event.instant))
        return paint.severity(
            severity,
            stamp + source.column(18) + kind + " " + FactText.line(details)
        )
    }
}
