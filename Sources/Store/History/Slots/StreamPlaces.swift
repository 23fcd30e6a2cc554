import Core

/// Places of streams in a history, and streams without one; lives within one transaction.
///
/// A place is a row of `streams` and one of `heads`. A stream keeps its place while the ring of
/// samples has not come round to its last. When all are used, the one that ended first of those
/// that are gone gives its place to the next, its rollups with it; when none is gone, the samples
/// of a further stream wait in the journal, and when the journal needs their room they are given
/// up, and marks record them. Bound: `HistorySchema.streamCountMax`.
final class StreamPlaces {
    /// Streams without a place whose names are remembered; marks of others give their ids.
    private static let missedMax = 64
    /// New streams that one block can name.
    private static let newPerBlock = 64

    /// Samples of one stream that were given up.
    private struct GivenUp {
        let first: HistoryPosition
        var last: HistoryPosition
        var count: Int
    }

    private(set) var streams: [StreamID: HistoryCatalog.Stream] = [:]
    /// Streams that later blocks have samples of.
    var isWaiting: (StreamID) -> Bool = { _ in false }

    /// Places that there are.
    let count: Int
    private var used: Set<Int> = []
    /// Streams that are gone from the rings; nil before they were looked for.
    private var gone: [HistoryCatalog.Stream]?
    /// Names of streams without a place, as far as they are known.
    var missed: [StreamID: StreamDescription] = [:]
    private var givenUp: [StreamID: GivenUp] = [:]

    init(_ known: [HistoryCatalog.Stream], count: Int) {
        self.count = count
        for stream in known { insert(stream) }
    }

    /// Whether any block finds places enough.
    var hasRoom: Bool { used.count + Self.newPerBlock <= count }

    /// Places that imports leave alone.
    var reserve: Int { min(HistorySchema.streamReserve, count / 8) }

    /// A place that no stream has; nil when all are used.
    func free() -> Int? {
        guard used.count < count else { return nil }
        return (1...count).first { !used.contains($0) }
    }

    func insert(_ stream: HistoryCatalog.Stream) {
        streams[stream.description.id] = stream
        used.insert(stream.place)
        gone?.removeAll { $0.description.id == stream.description.id }
    }

    func release(_ stream: HistoryCatalog.Stream) {
        streams[stream.description.id] = nil
        used.remove(stream.place)
    }

    /// Remembers the name of a stream that finds no place.
    func miss(_ description: StreamDescription) {
        let id = description.id
        if let known = missed[id], known.device != StreamDescription.unnamed(id) { return }
        if missed.count < Self.missedMax { missed[id] = description }
    }

    /// The streams that records need places for.
    func missing(in records: [JournalRecord]) -> [StreamDescription] {
        var missing: [StreamID: StreamDescription] = [:]
        for record in records {
            switch record {
            case .stream(let description) where streams[description.id] == nil:
                missing[description.id] = description
            case .samples(let id, let segment) where streams[id] == nil && missing[id] == nil:
                missing[id] = missed[id] ?? StreamDescription(unnamed: id, segment)
            default: continue
            }
        }
        return missing.values.sorted { $0.id < $1.id }
    }

    /// Places for new streams, `wanted` or fewer.
    func room(
        atLeast wanted: Int,
        _ end: (HistoryCatalog.Stream) throws(StoreError) -> HistoryPosition?
    ) throws(StoreError) -> Int {
        let free = count - used.count
        guard free < wanted else { return free }
        return free + (try findGone(end)).count
    }

    /// A stream whose place may be reused.
    func nextGone(
        _ end: (HistoryCatalog.Stream) throws(StoreError) -> HistoryPosition?
    ) throws(StoreError) -> HistoryCatalog.Stream? {
        let found = try findGone(end)
        return found.isEmpty ? nil : gone?.removeFirst()
    }

    /// Finds streams that have ended, the longest ago first; once in a transaction.
    private func findGone(
        _ end: (HistoryCatalog.Stream) throws(StoreError) -> HistoryPosition?
    ) throws(StoreError) -> [HistoryCatalog.Stream] {
        if let gone { return gone }
        var found: [(end: HistoryPosition, stream: HistoryCatalog.Stream)] = []
        for id in streams.keys.sorted() {
            guard let stream = streams[id], let end = try end(stream), !isWaiting(id) else {
                continue
            }
            found.append((end, stream))
        }
        let sorted = found.sorted { $0.end < $1.end }.map(\.stream)
        gone = sorted
        return sorted
    }

    // MARK: Given up

    /// Notes samples that find no place.
    ///
    /// - Returns: How many they are.
    func giveUp(_ segment: [UInt8], of stream: StreamID, in boot: UInt32) -> Int {
        var tail = SegmentRows()
        guard var decoder = try? SegmentDecoder(segment) else { return 0 }
        var count = 0
        while (try? decoder.nextRows(into: &tail)) ?? false {
            guard tail.count > 0 else { continue }
            let first = HistoryPosition(boot: boot, tick: tail.tick(0))
            let last = HistoryPosition(boot: boot, tick: tail.tick(tail.count - 1))
            var known = givenUp[stream] ?? GivenUp(first: first, last: last, count: 0)
            (known.last, known.count) = (last, known.count + tail.count)
            givenUp[stream] = known
            count += tail.count
        }
        return count
    }

    /// Records of samples that were given up, as events of `now`.
    func marks(_ ordinals: [BootID: UInt32], at now: HistoryPosition) -> [Event] {
        let boots = Dictionary(ordinals.map { ($1, $0) }) { first, _ in first }
        defer { givenUp = [:] }
        return givenUp.sorted { $0.key < $1.key }.compactMap { id, lost in
            guard let from = boots[lost.first.boot], let to = boots[lost.last.boot],
                let here = boots[now.boot]
            else { return nil }
            var mark = GapMark(
                .noPlace,
                of: id,
                from: GapMark.Place(from, lost.first.tick),
                to: GapMark.Place(to, Tick(tenths: lost.last.tick.tenths + 1)),
                lost: lost.count
            )
            mark.device = missed[id]?.device ?? StreamDescription.unnamed(id)
            return mark.event(at: now.tick.instant, in: here)
        }
    }
}

extension StreamDescription {
    /// Replaces the lost name of a stream.
    static func unnamed(_ id: StreamID) -> String { "unnamed-\(id.rawValue)" }

    /// Whether its name is lost.
    var isUnnamed: Bool { device == Self.unnamed(id) }

    /// A stream whose description is lost: its samples show how many channels it has.
    ///
    /// The description that comes next mends its names.
    init?(unnamed id: StreamID, _ segment: [UInt8]) {
        guard let decimals = (try? SegmentHeader(segment))?.decimals else { return nil }
        let quantities = decimals.enumerated().map { index, decimals in
            Quantity(name: "channel-\(index + 1)", unit: "", decimals: decimals)
        }
        self.init(id: id, device: Self.unnamed(id), quantities: quantities)
    }
}
