import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Store
import StoreQueries

struct ReadingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readings",
        abstract: "What was measured, oldest first: by default the last 24 hours.",
        discussion: """
            From the history on the card, and from the running station what is not there yet. \
            Streams: a year needs no more memory than a day. Times are typed and printed on the \
            clocks of the machine's zone, unless --zone or --utc is given; JSON is in UTC. A time \
            with a ? is dated uncertainly: see `roost clock`. A station without a store has the \
            last 24 hours in memory.

            Examples: roost readings --last 1h
                      roost readings --from 2026-11-01 --to 2026-11-02 --channel balcony/pm25
                      roost readings --limit 10 --json
                      roost readings --channel dust/pm25 --place bgeigie
            """
    )
    @OptionGroup var options: ChannelOptions
    @OptionGroup var count: LimitOptions

    @Option(help: "Print where each was measured, by the latitude and longitude of this device.")
    var place: String?

    @OptionGroup var source: StoreOptions

    @Flag(help: "Print a JSON object a line instead of words.")
    var json = false

    func run() throws {
        let source: StoreSource
        do { source = try self.source.open() } catch let error as StationWithoutStore {
            return try fromMemory(error)
        }
        try withStore(source.folder) {
            let standard: Duration? = count.limit == nil ? .days(1) : nil
            let window = try options.span.window(source, standard: standard)
            guard let limit = count.limit else {
                return try print(source, window, dropping: 0)
            }
            let (found, dropping) = try window.newest(limit) { window in
                var (samples, count) = (try samples(source, window), 0)
                while let sample = try samples.next() { count += sample.outcomes.count }
                return count
            }
            try print(source, found, dropping: dropping)
        }
    }

    /// Samples of the wanted channel, or of all.
    private func samples(_ source: StoreSource, _ window: StoreWindow) throws -> StoreSamples {
        let places = try options.places(source.reader)
        var samples = try StoreSamples(source.reader, window) { stream in
            places.map { $0[stream.id] != nil } ?? true
        }
        samples.places = places ?? [:]
        return samples
    }

    private func print(_ source: StoreSource, _ window: StoreWindow, dropping: Int) throws {
        var samples = try samples(source, window)
        var finder = try finder(source, window)
        var labels: [StreamID: ReadingLabels] = [:]
        var stamp = ReadingStamp()
        var lines = OutputLines()
        var (number, isUnsure) = (0, false)
        while let sample = try samples.next() {
            if sample.wall != nil, !sample.isSure { isUnsure = true }
            let place = try finder?.place(of: sample).report
            let label = labels[sample.stream.id] ?? ReadingLabels(sample.stream)
            labels[sample.stream.id] = label
            for index in sample.outcomes.indices {
                number += 1
                guard number > dropping else { continue }
                if json {
                    let report = StoredReading(sample, index, at: place)
                    lines.line(try ControlCodec.line(report))
                } else {
                    let words = label.text(sample.outcomes[index], index)
                    let end = place.map { "  \($0.text)" } ?? ""
                    lines.line(stamp.text(sample) + words + end)
                }
            }
        }
        lines.flush()
        if number == 0, !json { Output.line("no readings in this time") }
        try StoreText.reportDoubts(isUnsure, window, source.reader)
        let damaged = samples.damagedSegments + source.reader.damagedSlots
        if damaged > 0 {
            Output.error("\(damaged) damaged parts left out; see `roost store check`")
        }
    }

    /// The device with the positions; nil when none is wanted.
    private func finder(
        _ source: StoreSource,
        _ window: StoreWindow
    ) throws -> PlaceFinder<StoreSamples>? {
        guard let place else { return nil }
        let streams = try source.reader.streams().filter(PlaceFinder<StoreSamples>.knows)
        guard streams.contains(where: { $0.device == place }) else {
            let known = Set(streams.map(\.device)).sorted()
            let others = known.isEmpty ? "and none does" : "but \(known.joined(separator: ", "))"
            throw ClientFailure(
                message: "\(place) has no latitude and longitude, \(others)",
                exitCode: 1
            )
        }
        // The first and the last sample lie between fixes too.
        let around = window.widened(by: PlaceFinder<StoreSamples>.reach)
        let fixes = try StoreSamples(source.reader, around) { stream in
            stream.device == place && PlaceFinder<StoreSamples>.knows(stream)
        }
        let ordinals = try source.reader.boots().map { ($0.id, $0.ordinal) }
        return try PlaceFinder(fixes, ordinals: Dictionary(ordinals) { first, _ in first })
    }

    /// The station's own last day.
    private func fromMemory(_ error: StationWithoutStore) throws {
        let span = options.span
        guard span.time.range == TimeRange(), options.channel == nil, place == nil else {
            let message = "\(error); of its memory ask with --last and --limit"
            throw ClientFailure(message: message, exitCode: 1)
        }
        if error.because != nil { Output.error("\(error)") }
        let client = try ClientOptions.reaching(source.socket)
        let (last, limit) = (span.last?.seconds, count.limit)
        let report = try client.withStation { client in
            try await client.pages { from in
                let page = try await client.ask(
                    GetReadings(lastSeconds: last, limit: limit, from: from)
                )
                return (page.readings, page.omittedCount, page.next)
            }
        }
        for reading in report.items {
            Output.line(json ? try ControlCodec.line(reading) : ReportText.reading(reading))
        }
        if report.items.isEmpty, !json { Output.line("no readings yet") }
    }
}

/// Labels that all readings of a stream share, made once.
private struct ReadingLabels {
    private let names: [String]
    private let units: [String]

    init(_ stream: StreamDescription) {
        names = stream.channels.map { $0.description.column(18) }
        units = stream.quantities.map { " " + $0.unit }
    }

    func text(_ outcome: Outcome, _ index: Int) -> String {
        switch outcome {
        case .value(let value, let doubts):
            let words = names[index] + "\(value)".aligned(to: 7) + units[index]
            return doubts.names.isEmpty
                ? words : words + " (\(doubts.names.joined(separator: ", ")))"
        case .noData(let reason): return names[index] + "no data: \(reason.rawValue)"
        }
    }
}

/// When samples were; those of one second share their text.
private struct ReadingStamp {
    private var last: (second: Int64, isSure: Bool, words: String)?

    mutating func text(_ sample: DatedSample) -> String {
        guard let wall = sample.wall else {
            return StoreText.stamp(nil, false, sample.tick)
        }
        let second = wall.tenths / 10
        if let last, last.second == second, last.isSure == sample.isSure { return last.words }
        let words = StoreText.stamp(wall, sample.isSure, sample.tick)
        last = (second, sample.isSure, words)
        return words
    }
}
