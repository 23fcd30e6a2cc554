import Core
import Store
import StoreQueries

/// The samples of an export: some channels or all, up to an end, without the flags not wanted.
struct ExportSamples: SampleSource {
    private var samples: StoreSamples
    /// Places of the wanted channels by stream; empty for all.
    private let places: [StreamID: [Int]]
    private let without: Quality
    private let end: ExportTag.Position?
    private let ordinals: [BootID: UInt32]

    /// Samples from the first on.
    ///
    /// - Throws: What the store throws.
    init(_ history: OpenHistory, _ plan: ExportPlan) throws {
        (places, without, end) = (plan.places, plan.without, plan.end)
        ordinals = plan.ordinals
        let places = places
        samples = try StoreSamples(
            history.reader,
            StoreWindow(times: history.times, range: plan.range)
        ) { places.isEmpty || places[$0.id] != nil }
    }

    mutating func next() throws -> DatedSample? {
        while let sample = try samples.next() {
            if isBeyondEnd(sample) { continue }
            let wanted = sample.keeping(places[sample.stream.id], without: without)
            if let wanted { return wanted }
        }
        return nil
    }

    private func isBeyondEnd(_ sample: DatedSample) -> Bool {
        guard let end, !sample.stream.id.isImported, let boot = ordinals[sample.boot] else {
            return false
        }
        return ExportTag.Position(boot: boot, tick: sample.tick.tenths) > end
    }
}

/// The plan of an export: format, range, channels and end, for the history as it is now.
struct ExportPlan {
    let format: TextFormat
    let range: TimeRange
    let without: Quality
    /// Places of the wanted channels by stream; empty for all.
    let places: [StreamID: [Int]]
    /// Position of the last sample, for an export without a range.
    let end: ExportTag.Position?
    let ordinals: [BootID: UInt32]
    let tag: ExportTag

    /// Finds the channels, their spans and the tag.
    ///
    /// - Throws: `Problem` `not-found` for a channel or a survey that is not there; what the store
    ///   throws.
    init(_ question: ExportQuestion, _ history: OpenHistory) throws {
        (format, without) = (question.format, question.without)
        let range = try question.range(history)
        let wanted = try question.names.map { try history.channel($0) }
        var places: [StreamID: [Int]] = [:]
        for channel in wanted { places[channel.stream.id, default: []].append(channel.index) }
        (self.range, self.places) = (range, places.mapValues { $0.sorted() })
        let boots = try history.reader.boots()
        ordinals = Dictionary(boots.map { ($0.id, $0.ordinal) }) { first, _ in first }
        var found: [(stream: StreamDescription, spans: [HistorySpan])] = []
        for stream in try history.reader.streams()
        where places.isEmpty || places[stream.id] != nil {
            let all = try StreamExtents(history.reader).spans(of: stream.id)
            found.append((stream, history.times.clip(all, range)))
        }
        let hasRange = range.from != nil || range.to != nil
        end = hasRange ? nil : question.end ?? Self.last(found, ordinals)
        var hash = StableHash()
        hash.mix(question.format.rawValue)
        hash.mix(Int64(question.without.rawValue))
        for (key, wall) in [("from", range.from), ("to", range.to)] {
            hash.mix(key)
            if let wall { hash.mix(wall.nanoseconds) }
        }
        for (stream, spans) in found {
            hash.mix(stream.device)
            for place in self.places[stream.id] ?? [] { hash.mix(Int64(place)) }
            for span in spans { Self.mix(span, history, end, ordinals, &hash) }
        }
        let wallEnd = range.to.map { ExportTag.End.wall($0.tenths) }
        tag = ExportTag(content: hash.value, end: wallEnd ?? end.map { .position($0) })
    }

    /// The newest sample that the station measured.
    private static func last(
        _ found: [(stream: StreamDescription, spans: [HistorySpan])],
        _ ordinals: [BootID: UInt32]
    ) -> ExportTag.Position? {
        found.filter { !$0.stream.id.isImported }.flatMap(\.spans).compactMap { span in
            ordinals[span.boot].map { ExportTag.Position(boot: $0, tick: span.to.tenths - 1) }
        }.max()
    }

    /// Adds the oldest and newest position of a span, and its dates, to the hash.
    private static func mix(
        _ span: HistorySpan,
        _ history: OpenHistory,
        _ end: ExportTag.Position?,
        _ ordinals: [BootID: UInt32],
        _ hash: inout StableHash
    ) {
        var last = span.to.tenths
        if let end, let boot = ordinals[span.boot], !span.boot.isImported {
            if boot > end.boot { return }
            if boot == end.boot { last = min(last, end.tick + 1) }
            if span.from.tenths >= last { return }
        }
        hash.mix(span.boot.description)
        hash.mix(span.from.tenths)
        hash.mix(last)
        let time = history.times.clock.time(span.boot, span.from)
        hash.mix(time?.wall.nanoseconds ?? .min)
        hash.mix(time?.isSure == true ? 1 : 0)
    }
}
