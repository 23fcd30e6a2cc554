import Core
import SQLite

/// Copies the readable content of a history that was set aside into the new one.
///
/// A page of a tree or of a small table that rots makes SQLite refuse all that hangs on it, and
/// some of it everything. The trees are mended first; see `HistoryTrees`. Slots never move, so each
/// is read by its number, and each readable slot is written to the same number. Lost slots leave
/// empty ones in their chains, which readers report as damage, from the slot before to the slot
/// after. Memory: some sixty bytes for each slot.
struct HistoryRecovery {
    /// Slots of one transaction: 4 MiB of large ones.
    private static let slotsPerTransaction = 1_024
    /// Reads that the card refuses until it is left alone.
    private static let refusalMax = 64

    private let source: Connection
    private let target: History
    private let snapshot: CatalogSnapshot
    private var lost = 0
    private var refusals = 0
    private var floors = HistoryFloors()
    /// Where each ring goes on, as far as its slots show.
    private var heads: [HistoryRing: Int] = [:]

    /// Fills a new history, whose cursor is 0, from the one at `path`.
    ///
    /// - Parameters:
    ///   - path: The damaged one; only read.
    ///   - target: As large as that one.
    ///   - snapshot: Its small tables as far as they are known.
    /// - Returns: The saved content; nil when too little is known, or it has another size: the new
    ///   one is then as before, and slots without an owner are used as empty ones are.
    /// - Throws: `StoreError.database` for the new one.
    static func run(
        from path: String,
        into target: History,
        _ snapshot: CatalogSnapshot
    ) throws(StoreError) -> HistoryRecovered? {
        let known = HistoryCatalog(connection: snapshot.connection)
        guard !target.isReadOnly, target.cursor == 0, let cursor = try? known.number("cursor"),
            cursor > 0, let boots = try? known.boots(), !boots.isEmpty,
            let source = try? Connection(path, mode: .readOnly)
        else { return nil }
        defer { try? source.close() }
        snapshot.learn(unnamed(in: source, target.slots(.samples).count, known))
        var rescue = HistoryRecovery(source, target, snapshot)
        defer { for slots in target.rings.values { slots.rest() } }
        let streams = (try? known.streams()) ?? []
        var ends: [HistoryRing: [SlotKey: StreamHeads.Newest]] = [:]
        for ring in HistoryRing.allCases {
            guard let found = try rescue.copy(ring, streams) else { return nil }
            ends[ring] = try rescue.mend(found, rescue.wanted(ring, streams))
        }
        try rescue.finish(ends, streams)
        return HistoryRecovered(lost: rescue.lost, floors: rescue.floors)
    }

    private init(_ source: Connection, _ target: History, _ snapshot: CatalogSnapshot) {
        (self.source, self.target, self.snapshot) = (source, target, snapshot)
    }

    // MARK: Slots

    /// Streams whose names are lost, by slots with their samples.
    private static func unnamed(
        in source: Connection,
        _ count: Int,
        _ known: HistoryCatalog
    ) -> [StreamDescription] {
        var names = Set(((try? known.streams()) ?? []).map(\.description.id))
        let slots = HistorySlots(.samples, in: source, count: count)
        defer { slots.rest() }
        var found: [StreamDescription] = []
        for place in 0..<count where found.count < HistorySchema.streamCountMin {
            guard let header = try? slots.header(of: place), let key = header.key,
                !names.contains(key.stream), let slot = try? slots.read(place),
                let section = SampleSection.all(in: slot.payload).first
            else { continue }
            let segment = Array(slot.payload[section.segment])
            guard let made = StreamDescription(unnamed: key.stream, segment) else { continue }
            names.insert(made.id)
            found.append(made)
        }
        return found
    }

    /// The slots found in one ring.
    fileprivate struct Found {
        let ring: HistoryRing
        /// Where the contents of each slot begin.
        var starts: [HistoryPosition?]
        /// Slots of each chain by their depths.
        var chains: [SlotKey: [UInt32: (slot: Int, header: SlotHeader)]] = [:]
        /// Slots that cannot be read.
        var dead: [Int] = []
        var range: ClosedRange<HistoryPosition>?
    }

    /// Copies the slots of a ring as they are; nil when it has another size.
    private mutating func copy(
        _ ring: HistoryRing,
        _ streams: [HistoryCatalog.Stream]
    ) throws(StoreError) -> Found? {
        let into = target.slots(ring)
        // A number that cannot be read is that of the new one, which is made like the old one.
        let count = try? HistoryCatalog(connection: source).slotCount(of: ring)
        guard count == nil || count == into.count else { return nil }
        let from = HistorySlots(ring, in: source, count: into.count)
        defer { from.rest() }
        let owners = Self.owners(ring, streams)
        var found = Found(ring: ring, starts: Array(repeating: nil, count: into.count))
        for start in stride(from: 0, to: into.count, by: Self.slotsPerTransaction) {
            let end = min(start + Self.slotsPerTransaction, into.count)
            try target.connection.transaction(.immediate, wrapping: StoreError.database) {
                () throws(StoreError) in
                for place in start..<end {
                    guard let slot = read(place, from) else {
                        found.dead.append(place)
                        continue
                    }
                    guard let key = slot.header.key, owners.contains(key) else { continue }
                    found.remember(slot.header, key, place)
                    try into.write(slot, at: place)
                }
                into.rest()
            }
            guard refusals <= Self.refusalMax else { return nil }
        }
        lost += found.dead.count
        heads[ring] = found.head
        return found
    }

    private mutating func read(_ place: Int, _ slots: HistorySlots) -> HistorySlot? {
        do throws(StoreError) {
            let slot = try slots.read(place)
            return slot.header.isBroken ? nil : slot
        } catch {
            if case .database(let cause) = error, cause.isInputOutput { refusals += 1 }
            return nil
        }
    }

    /// The chains that a ring may have.
    private static func owners(
        _ ring: HistoryRing,
        _ streams: [HistoryCatalog.Stream]
    ) -> Set<SlotKey> {
        switch ring {
        case .events: [.events]
        case .samples: Set(streams.map { SlotKey($0.description.id) })
        case .minutes, .quarterHours, .sixHours:
            Set(
                streams.flatMap { stream in
                    stream.decimals.indices.map { SlotKey(stream.description.id, channel: $0) }
                }
            )
        }
    }

    // MARK: Chains

    /// Where the chains of a ring ended, as far as that is remembered.
    private func wanted(
        _ ring: HistoryRing,
        _ streams: [HistoryCatalog.Stream]
    ) -> [SlotKey: StreamHeads.Newest] {
        let known = HistoryCatalog(connection: snapshot.connection)
        var wanted: [SlotKey: StreamHeads.Newest] = [:]
        if ring == .events {
            wanted[.events] = (try? known.heads(0))?.samples
            return wanted
        }
        for stream in streams {
            guard let heads = try? known.heads(stream.place) else { continue }
            let id = stream.description.id
            if ring == .samples {
                wanted[SlotKey(id)] = heads.samples
                continue
            }
            for tier in RollupTier.allCases where HistoryRing(tier) == ring {
                for channel in stream.decimals.indices {
                    wanted[SlotKey(id, channel: channel)] = heads[channel, tier]
                }
            }
        }
        return wanted
    }

    /// Puts an empty slot wherever one of a chain is gone.
    ///
    /// - Returns: Where the chains end now.
    private mutating func mend(
        _ found: Found,
        _ wanted: [SlotKey: StreamHeads.Newest]
    ) throws(StoreError) -> [SlotKey: StreamHeads.Newest] {
        var free = found.dead
        var ends: [SlotKey: StreamHeads.Newest] = [:]
        guard let range = found.range else {
            // No slot is left: all blocks of the journal are checkpointed again.
            for key in wanted.keys { remember(found.ring, key, nil) }
            return ends
        }
        try target.connection.transaction(.immediate, wrapping: StoreError.database) {
            () throws(StoreError) in
            let keys = Set(found.chains.keys).union(wanted.keys).sorted {
                $0.rawValue < $1.rawValue
            }
            for key in keys {
                let slots = found.chains[key] ?? [:]
                let newest = slots.keys.max()
                let end = max(wanted[key]?.depth ?? 0, newest ?? 0)
                if end > newest ?? 0 || snapshot.lacksHeads {
                    remember(found.ring, key, newest.flatMap { slots[$0]?.header.last })
                }
                var depths = slots.keys.sorted()
                if depths.last != end { depths.append(end) }
                // Before its oldest slot the ring was used again.
                var before: (slot: Int, header: SlotHeader)?
                for depth in depths {
                    var next = before.map { $0.header.depth + 1 } ?? depth
                    // Nothing can have been in more places than are gone.
                    while next < depth || next == depth && slots[depth] == nil, !free.isEmpty {
                        let place = free.removeFirst()
                        let gap = Self.gap(key, next, before, slots[depth], within: range)
                        before = try link(found.ring, before, (place, gap), slots[depth])
                        // When no place is free any more, the last gap counts for all others.
                        next = slots[depth] == nil ? depth + 1 : next + 1
                    }
                    before = slots[depth] ?? before
                }
                if let before {
                    ends[key] = StreamHeads.Newest(slot: before.slot, depth: before.header.depth)
                }
            }
            target.slots(found.ring).rest()
        }
        return ends
    }

    /// Remembers up to where a chain is whole.
    private mutating func remember(_ ring: HistoryRing, _ key: SlotKey, _ last: HistoryPosition?) {
        let last = last ?? HistoryPosition(boot: 0, tick: Tick(tenths: 0))
        switch ring {
        case .samples: floors.samples[key.stream] = last
        case .events: floors.events = last
        case .minutes, .quarterHours, .sixHours: break
        }
    }

    /// An empty slot for the time between two.
    private static func gap(
        _ key: SlotKey,
        _ depth: UInt32,
        _ before: (slot: Int, header: SlotHeader)?,
        _ after: (slot: Int, header: SlotHeader)?,
        within range: ClosedRange<HistoryPosition>
    ) -> SlotHeader {
        var gap = SlotHeader()
        gap.key = key
        gap.depth = depth
        gap.previous = before?.slot
        if let before { (gap.jump, gap.jumpDepth) = (before.slot, before.header.depth) }
        gap.first = before?.header.last ?? range.lowerBound
        gap.last = max(gap.first, after?.header.first ?? range.upperBound)
        // Its content then fails its check: that is how damage is reported.
        gap.count = 1
        return gap
    }

    /// Hangs an empty slot between two, and returns it.
    private func link(
        _ ring: HistoryRing,
        _ before: (slot: Int, header: SlotHeader)?,
        _ gap: (slot: Int, header: SlotHeader),
        _ after: (slot: Int, header: SlotHeader)?
    ) throws(StoreError) -> (slot: Int, header: SlotHeader) {
        let slots = target.slots(ring)
        if let before {
            var slot = try slots.read(before.slot)
            slot.header.next = gap.slot
            try slots.write(slot, at: before.slot)
        }
        var header = gap.header
        if let after, after.header.depth == header.depth + 1 {
            header.next = after.slot
            var slot = try slots.read(after.slot)
            slot.header.previous = gap.slot
            try slots.write(slot, at: after.slot)
        }
        try slots.write(HistorySlot(header: header), at: gap.slot)
        return (gap.slot, header)
    }

    // MARK: Tables

    /// Writes the small tables, after which the new history equals the old one.
    private func finish(
        _ ends: [HistoryRing: [SlotKey: StreamHeads.Newest]],
        _ streams: [HistoryCatalog.Stream]
    ) throws(StoreError) {
        let memory = snapshot.connection
        let known = HistoryCatalog(connection: memory)
        do throws(SQLiteError) {
            try target.connection.transaction { () throws(SQLiteError) in
                try HistoryCopyTables(memory, target.connection).copyCatalogue()
                func write(_ heads: StreamHeads, _ place: Int) throws(SQLiteError) {
                    let sql = "UPDATE heads SET data = ? WHERE place = ?"
                    try target.connection.execute(sql, heads.bytes, place)
                }
                var events = (try? known.heads(0)) ?? StreamHeads()
                events.samples = ends[.events]?[.events]
                try write(events, 0)
                for stream in streams {
                    let id = stream.description.id
                    var heads = (try? known.heads(stream.place)) ?? StreamHeads()
                    heads.samples = ends[.samples]?[SlotKey(id)]
                    for channel in stream.decimals.indices {
                        let key = SlotKey(id, channel: channel)
                        for tier in RollupTier.allCases {
                            heads[channel, tier] = ends[HistoryRing(tier)]?[key]
                        }
                    }
                    try write(heads, stream.place)
                }
                let rings = HistoryRing.allCases.map { ($0.table, Int64(heads[$0] ?? 0)) }
                let counters = HistorySchema.numbers.map { ($0, Int64(0)) }
                for (name, guess) in counters + rings {
                    try target.connection.execute(
                        "UPDATE numbers SET value = ? WHERE name = ?",
                        (try? known.number(name)) ?? guess,
                        name
                    )
                }
            }
        } catch { throw .database(error) }
        try target.readCursor()
    }
}

extension HistoryRecovery.Found {
    /// The slot to be given out next, as far as the slots tell.
    ///
    /// Slots are given out in their order, but those of one transaction by stream: behind the one
    /// that begins last there may be others as young, which is younger than half a ring away.
    fileprivate var head: Int {
        let count = starts.count
        var newest: (place: Int, start: HistoryPosition)?
        for (place, start) in starts.enumerated() {
            guard let start, newest.map({ $0.start <= start }) ?? true else { continue }
            newest = (place, start)
        }
        guard let newest else { return 0 }
        let half = starts[(newest.place + count / 2) % count]
        var head = (newest.place + 1) % count
        for _ in 0..<count / 2 {
            guard let start = starts[head], half.map({ $0 < start }) ?? true else { break }
            head = (head + 1) % count
        }
        return head
    }

    /// Remembers a slot; of two that say the same the later one is not of its chain.
    fileprivate mutating func remember(_ header: SlotHeader, _ key: SlotKey, _ place: Int) {
        starts[place] = header.first
        guard chains[key]?[header.depth] == nil else { return }
        chains[key, default: [:]][header.depth] = (place, header)
        let (first, last) = (min(header.first, header.last), max(header.first, header.last))
        range = min(range?.lowerBound ?? first, first)...max(range?.upperBound ?? last, last)
    }
}
