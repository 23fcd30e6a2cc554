import Readings
import SQLite

/// The ends of all chains while a transaction writes to them.
final class HistoryChains {
    private struct End: Hashable {
        let ring: HistoryRing
        let key: SlotKey
    }

    private let catalogue: HistoryCatalogue
    private var places: [StreamID: Int] = [:]
    private var heads: [Int: StreamHeads] = [:]
    private var changed: Set<Int> = []
    private var appenders: [End: HistoryAppender] = [:]
    private var allocators: [HistoryRing: HistoryAllocator] = [:]

    init(
        _ catalogue: HistoryCatalogue,
        _ rings: [HistoryRing: HistorySlots],
        heads numbers: [String: Int64],
        _ streams: [StreamID: HistoryCatalogue.Stream]
    ) {
        self.catalogue = catalogue
        places = streams.mapValues(\.place)
        for (ring, slots) in rings {
            allocators[ring] = HistoryAllocator(
                slots,
                head: Int(truncatingIfNeeded: numbers[ring.table] ?? 0)
            ) { [unowned self] (slot, header) throws(StoreError) in
                try isOpen(ring, slot, header)
            }
        }
    }

    /// Next slots of the rings, by table.
    var ringHeads: [(String, Int)] { allocators.map { ($0.key.table, $0.value.head) } }

    /// Slots given out of a ring, and what they held before.
    func allocated(_ ring: HistoryRing) -> (count: Int, recycled: [SlotKey: RecycledSlots]) {
        allocators[ring].map { ($0.count, $0.recycled) } ?? (0, [:])
    }

    func know(_ stream: HistoryCatalogue.Stream) {
        places[stream.description.id] = stream.place
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
    func samples(_ stream: HistoryCatalogue.Stream) throws(StoreError) -> HistoryAppender {
        try appender(.samples, SlotKey(stream.description.id), heads(stream.place).samples)
    }

    /// The end of a channel's buckets.
    func buckets(
        _ stream: HistoryCatalogue.Stream,
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
    /// 0…15; anything else a damaged slot says is brought into that range.
    var channel: Int { min(max(Int(rawValue & 0xFF) - 1, 0), StreamHeads.channelCountMax - 1) }
}
