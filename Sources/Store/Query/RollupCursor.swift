import Core

/// Walks once through the buckets of one channel and tier, from the oldest that is asked for on.
///
/// Each slot is read at most once, however often it is asked.
struct RollupCursor {
    private let reader: HistoryReader
    private let tier: RollupTier
    private let chain: SlotChain<HistorySlots>
    private let newest: (slot: Int, header: SlotHeader)
    private var current: (slot: Int, header: SlotHeader)?
    private var block: RollupBlockReader?
    /// Read already, and behind what was asked for last.
    private var ahead: PlacedBucket?

    /// Begins before the oldest bucket; nil where the channel has none of this tier.
    init?(
        _ reader: HistoryReader,
        _ tier: RollupTier,
        _ key: SlotKey,
        place: Int
    ) throws(StoreError) {
        let ring = HistoryRing(tier)
        guard let newest = try reader.chain(ring, key, place: place) else { return nil }
        (self.reader, self.tier, chain) = (reader, tier, newest.chain)
        self.newest = (newest.slot, newest.header)
    }

    /// The buckets of a boot, in order, none twice.
    ///
    /// - Parameters:
    ///   - boot: Its ordinal.
    ///   - indices: Places since boot; never before those that were asked for last.
    /// - Returns: Nil where the ring no longer has all of them.
    mutating func buckets(
        of boot: UInt32,
        _ indices: Range<Int64>
    ) throws(StoreError) -> [PlacedBucket]? {
        let from = position(boot, indices.lowerBound)
        guard try move(to: from) else { return nil }
        var found: [PlacedBucket] = []
        while let placed = try next() {
            let isBefore = (placed.boot, placed.index) < (boot, indices.lowerBound)
            if isBefore { continue }
            guard placed.boot == boot, placed.index < indices.upperBound else {
                ahead = placed
                break
            }
            if let last = found.last, last.index == placed.index {
                found[found.count - 1].bucket.merge(placed.bucket)
            } else {
                found.append(placed)
            }
        }
        return found
    }

    private func position(_ boot: UInt32, _ index: Int64) -> HistoryPosition {
        HistoryPosition(boot: boot, tick: Tick(tenths: index * tier.tenths))
    }

    /// Opens the slot that holds a position, unless it is open.
    ///
    /// - Returns: Whether the chain reaches back that far.
    private mutating func move(to position: HistoryPosition) throws(StoreError) -> Bool {
        if let current, position <= current.header.last { return true }
        let found = try chain.find(position, from: newest)
        if current?.slot == found.slot { return true }
        // Nothing older was written where the chain begins.
        if found.header.first > position, found.header.depth > 1 { return false }
        try open(found)
        return true
    }

    private mutating func open(_ slot: (slot: Int, header: SlotHeader)) throws(StoreError) {
        let read = try reader.slots(HistoryRing(tier)).read(slot.slot)
        if read.payload.isEmpty, read.header.count > 0 { reader.recordDamage() }
        (current, ahead) = ((slot.slot, read.header), nil)
        block = RollupBlockReader(tier: tier, read.payload[...])
    }

    private mutating func next() throws(StoreError) -> PlacedBucket? {
        if let placed = ahead {
            ahead = nil
            return placed
        }
        while let open = current {
            if let placed = block?.next() { return placed }
            guard let later = try chain.later(than: open.header) else { return nil }
            if later.header.depth > open.header.depth + 1 { reader.recordDamage() }
            try self.open(later)
        }
        return nil
    }
}
