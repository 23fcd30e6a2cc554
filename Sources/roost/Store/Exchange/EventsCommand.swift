import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Profiles
import Store
import StoreQueries

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "What happened: restarts, lamp changes, motion, devices that went and came.",
        discussion: """
            By default everything that is stored, oldest first: from the history on the card, and \
            from the running station what is not there yet. --channel leaves the events of its \
            device; a kind is a name of docs/reference/events.md.

            Examples: roost events --last 1h
                      roost events --kind motion --kind "child restarting" --last 7d
                      roost events --from 2026-11-01 --limit 20 --json
            """
    )
    @OptionGroup var options: ChannelOptions
    @OptionGroup var count: LimitOptions

    @Option(help: "Only events of this kind, as \"motion\"; may be given several times.")
    var kind: [String] = []

    @OptionGroup var source: StoreOptions

    @Flag(help: "Print a JSON object a line instead of words.")
    var json = false

    private var span: SpanOptions { options.span }

    func validate() throws {
        for kind in kind where !EventKind.names.contains(kind) {
            let nearest = Spelling.nearest(to: kind, among: EventKind.names)
            let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            throw ValidationError("there is no kind \"\(kind)\"\(hint)")
        }
    }

    private func isWanted(_ source: String, _ kind: String) -> Bool {
        let device = options.channel?.split(separator: "/").first.map(String.init)
        guard device == nil || device == source else { return false }
        return self.kind.isEmpty || self.kind.contains(kind)
    }

    func run() throws {
        let source: StoreSource
        do { source = try self.source.open() } catch let error as StationWithoutStore {
            return try fromMemory(error)
        }
        try withStore(source.folder) {
            let window = try span.window(source)
            _ = try options.places(source.reader)
            func isWanted(_ found: BootEvent) -> Bool {
                self.isWanted(found.event.source, found.event.kind.name)
                    && window.contains(found.boot, Tick(found.event.instant))
            }
            let paint = Paint.forStandardOutput
            var failure: (any Error)?
            var count = 0
            func show(_ event: BootEvent) -> Bool {
                guard isWanted(event) else { return true }
                count += 1
                let time = window.times.clock.time(event.boot, Tick(event.event.instant))
                let report = StoredEvent(event, time)
                do {
                    Output.line(
                        json
                            ? try ControlCodec.line(report) : report.text(event, time, paint)
                    )
                } catch { failure = error }
                return failure == nil
            }
            if let limit = self.count.limit {
                let found = try HistoryEvents(source.reader).newest(limit, where: isWanted)
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
        guard span.time.range == TimeRange() else {
            let message = "\(error); of its memory ask with --last and --limit"
            throw ClientFailure(message: message, exitCode: 1)
        }
        if error.because != nil { Output.error("\(error)") }
        let client = try ClientOptions.reaching(source.socket)
        let isChosen = options.channel != nil || !kind.isEmpty
        let (last, limit) = (span.last?.seconds, isChosen ? nil : count.limit)
        let report = try client.withStation { client in
            try await client.pages { from in
                let page = try await client.ask(
                    GetEvents(lastSeconds: last, limit: limit, from: from)
                )
                return (page.events, page.omittedCount, page.next)
            }
        }
        let paint = Paint.forStandardOutput
        let wanted = report.items.filter { isWanted($0.source, $0.kind) }
            .suffix(count.limit ?? .max)
        for event in wanted {
            Output.line(json ? try ControlCodec.line(event) : ReportText.event(event, paint))
        }
        if wanted.isEmpty, !json { Output.line("no events yet") }
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
