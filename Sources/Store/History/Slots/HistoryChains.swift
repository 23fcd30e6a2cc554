import Core
import SQLite

/// The ends of all chains while a transaction writes to them.
final class HistoryChains {
    private struct End: Hashable {
        let ring: HistoryRing
        let key: SlotKey
    }

    private let catalogue: HistoryCatalog
    private var places: [StreamID: Int] = [:]
    private var heads: [Int: StreamHeads] = [:]
    private var changed: Set<Int> = []
    private var appenders: [End: HistoryAppender] = [:]
    private var allocators: [HistoryRing: HistoryAllocator] = [:]

    init(
        _ catalogue: HistoryCatalog,
        _ rings: [HistoryRing: HistorySlots],
        heads numbers: [String: Int64],
        _ streams: [StreamID: HistoryCatalog.Stream]
    ) {
        self.catalogue = catalogue
        places = streams.mapValues(\.place)
        for (ring, slots) in rings {
            allocators[ring] = HistoryAllocator(
                slots,
                head: Int(truncatingIfNeeded: numbers[ring.table] ?? 0)
            ) { [unowned self] (slot, header) throws(StoreError) in
                try isOpen(ring, slot, header)
            } pass: { [unowned self] (key) throws(StoreError) in
                guard ring == .samples, let place = places[key.stream] else { return }
                try change(place) { $0.isPassed = true }
            }
        }
    }

    /// Next slots of the rings, by table.
    var ringHeads: [(String, Int)] { allocators.map { ($0.key.table, $0.value.head) } }

    /// Slots given out of a ring, and their earlier contents.
    func allocated(_ ring: HistoryRing) -> (count: Int, recycled: [SlotKey: RecycledSlots]) {
        allocators[ring].map { ($0.count, $0.recycled) } ?? (0, [:])
    }

    /// Gives out a slot that no chain goes on in, to see what it has.
    func passOver(_ ring: HistoryRing) throws(StoreError) { _ = try allocators[ring]?.allocate() }

    func know(_ stream: HistoryCatalog.Stream) {
        places[stream.description.id] = stream.place
    }

    /// Where the samples of a stream end that have left the ring; nil while any are in it.
    ///
    /// The newest slot of a chain stays when the ring comes round to it, so that a slow stream
    /// keeps its last values: a stream with that slot alone counts as gone.
    func end(ofGone stream: HistoryCatalog.Stream) throws(StoreError) -> HistoryPosition? {
        let heads = try heads(stream.place)
        let never = HistoryPosition(boot: 0, tick: Tick(tenths: 0))
        guard let newest = heads.samples, let allocator = allocators[.samples] else { return never }
        let header = try allocator.slots.header(of: newest.slot)
        // One that cannot be read may be its.
        if header.isBroken { return nil }
        guard header.key == SlotKey(stream.description.id), header.depth == newest.depth else {
            return never
        }
        return heads.isPassed ? header.last : nil
    }

    /// Forgets a stream that is gone, so that another can have its place.
    func forget(_ stream: HistoryCatalog.Stream) {
        let id = stream.description.id
        places[id] = nil
        heads[stream.place] = StreamHeads()
        changed.insert(stream.place)
        for end in appenders.keys where end.ring != .events && end.key.stream == id {
            appenders[end] = nil
        }
    }

    func heads(_ place: Int) throws(StoreError) -> StreamHeads {
        if let known = heads[place] { return known }
        do {
            let loaded = try catalogue.heads(place)
            heads[place] = loaded
            return loaded
        } catch { throw .database(error) }
    }

    func change(_ place: Int, _ body: (inout StreamHeads) -> Void) throws(StoreError) {
        var state = try heads(place)
        body(&state)
        guard state != heads[place] else { return }
        heads[place] = state
        changed.insert(place)
    }

    /// The end of a stream's samples.
    func samples(_ stream: HistoryCatalog.Stream) throws(StoreError) -> HistoryAppender {
        try appender(.samples, SlotKey(stream.description.id), heads(stream.place).samples)
    }

    /// The end of a channel's buckets.
    func buckets(
        _ stream: HistoryCatalog.Stream,
        _ channel: Int,
        _ tier: RollupTier
    ) throws(StoreError) -> HistoryAppender {
        try appender(
            HistoryRing(tier),
            SlotKey(stream.description.id, channel: channel),
            heads(stream.place)[channel, tier]
        )
    }

    /// The end of the events.
    func events() throws(StoreError) -> HistoryAppender {
        try appender(.events, .events, heads(0).samples)
    }

    /// Writes every end, and where they are.
    func finish() throws(StoreError) {
        for (end, appender) in appenders {
            try appender.flush()
            let newest = appender.newest
            let place = end.ring == .events ? 0 : places[end.key.stream] ?? 0
            try change(place) { heads in
                switch end.ring {
                case .samples, .events: heads.samples = newest
                case .minutes: heads[end.key.channel, .minute] = newest
                case .quarterHours: heads[end.key.channel, .quarterHour] = newest
                case .sixHours: heads[end.key.channel, .sixHours] = newest
                }
            }
        }
        do {
            for place in changed.sorted() {
                try catalogue.connection.execute(
                    "UPDATE heads SET data = ? WHERE place = ?",
                    heads[place]?.bytes ?? StreamHeads().bytes,
                    place
                )
            }
        } catch { throw .database(error) }
    }

    private func appender(
        _ ring: HistoryRing,
        _ key: SlotKey,
        _ newest: StreamHeads.Newest?
    ) throws(StoreError) -> HistoryAppender {
        let end = End(ring: ring, key: key)
        if let known = appenders[end] { return known }
        guard let allocator = allocators[ring] else { preconditionFailure("all rings are given") }
        let made = try HistoryAppender(key, newest: newest, allocator)
        appenders[end] = made
        return made
    }

    private func isOpen(
        _ ring: HistoryRing,
        _ slot: Int,
        _ header: SlotHeader
    ) throws(StoreError) -> Bool {
        guard let key = header.key else { return false }
        if let appender = appenders[End(ring: ring, key: key)] {
            return appender.newest?.slot == slot
        }
        if ring == .events { return try heads(0).samples?.slot == slot }
        guard let place = places[key.stream] else { return false }
        let heads = try heads(place)
        return switch ring {
        case .samples, .events: heads.samples?.slot == slot
        case .minutes: heads[key.channel, .minute]?.slot == slot
        case .quarterHours: heads[key.channel, .quarterHour]?.slot == slot
        case .sixHours: heads[key.channel, .sixHours]?.slot == slot
        }
    }
}

extension SlotKey {
    var stream: StreamID { StreamID(UInt16(truncatingIfNeeded: rawValue >> 8)) }
    /// 0…15; any other value of a damaged slot is limited to that range.
    var channel: Int { min(max(Int(rawValue & 0xFF) - 1, 0), StreamHeads.channelCountMax - 1) }
}
