/// Fills the slots of one chain, one after the other.
///
/// Changes are in memory until `flush()`, except in slots that are complete.
final class HistoryAppender {
    private(set) var slot: HistorySlot
    private var place: Int?
    /// The newest slot failed its check: it is left unchanged, so that readers can report it.
    private var isDamaged = false
    private var depth: UInt32
    private let key: SlotKey
    private let allocator: HistoryAllocator

    /// - Parameters:
    ///   - newest: Where the chain ends, as far as is known.
    ///   - allocator: Gives slots of the ring.
    init(
        _ key: SlotKey,
        newest: StreamHeads.Newest?,
        _ allocator: HistoryAllocator
    ) throws(StoreError) {
        (self.key, self.allocator) = (key, allocator)
        slot = HistorySlot()
        depth = newest?.depth ?? 0
        guard let newest else { return }
        let found = try allocator.slots.read(newest.slot)
        guard found.header.key == key, found.header.depth == newest.depth else { return }
        (slot, place) = (found, newest.slot)
        isDamaged = found.isDamaged
    }

    var capacity: Int { allocator.slots.ring.capacity }
    var room: Int { place == nil || isDamaged ? 0 : capacity - slot.payload.count }
    var newest: StreamHeads.Newest? {
        place.map { StreamHeads.Newest(slot: $0, depth: slot.header.depth) }
    }

    /// Leaves the slot as it is and goes on in the next one of the ring.
    func advance() throws(StoreError) {
        let next = try allocator.allocate()
        let chain = SlotChain(ring: allocator.slots, key: key)
        let isAlive = place != nil && place != next
        let header = try chain.successor(of: isAlive ? place : nil, isAlive ? slot.header : nil)
        if isAlive {
            slot.header.next = next
            try flush()
        }
        var fresh = HistorySlot(header: header)
        // A chain that was recycled whole goes on counting: an old link must not fit a new slot.
        if !isAlive { fresh.header.depth = depth + 1 }
        depth = fresh.header.depth
        (slot, place, isDamaged) = (fresh, next, false)
        try flush()
    }

    /// Appends bytes that fit `room`.
    func append(_ bytes: [UInt8], from first: HistoryPosition, to last: HistoryPosition, count: Int)
    {
        precondition(bytes.count <= room, "the caller advances first")
        slot.payload += bytes
        extend(from: first, to: last, count: count)
    }

    /// Replaces the contents from `offset` on; the caller notes what is added again.
    func truncate(to offset: Int, last: HistoryPosition, count: Int) {
        slot.payload.removeSubrange(offset...)
        slot.header.last = last
        slot.header.count -= UInt32(count)
    }

    /// Replaces all contents.
    func replace(_ payload: [UInt8], first: HistoryPosition, last: HistoryPosition, count: Int) {
        slot.payload = payload
        slot.header.first = first
        slot.header.last = last
        slot.header.count = UInt32(count)
    }

    func flush() throws(StoreError) {
        guard let place else { return }
        try allocator.slots.write(slot, at: place)
    }

    private func extend(from first: HistoryPosition, to last: HistoryPosition, count: Int) {
        if slot.header.count == 0 { slot.header.first = first }
        slot.header.last = last
        slot.header.count += UInt32(count)
    }
}

/// Gives out the slots of one ring in their order.
final class HistoryAllocator {
    let slots: HistorySlots
    private(set) var head: Int
    /// Slots given out since it was made.
    private(set) var count = 0
    /// Their earlier contents, by chain: as many entries as there are chains.
    private(set) var recycled: [SlotKey: RecycledSlots] = [:]
    private let isOpen: (Int, SlotHeader) throws(StoreError) -> Bool
    private let pass: (SlotKey) throws(StoreError) -> Void

    /// - Parameters:
    ///   - head: The slot to be given out next.
    ///   - isOpen: Whether a slot is the newest of its chain.
    ///   - pass: Called for each chain whose newest slot is skipped.
    init(
        _ slots: HistorySlots,
        head: Int,
        isOpen: @escaping (Int, SlotHeader) throws(StoreError) -> Bool,
        pass: @escaping (SlotKey) throws(StoreError) -> Void
    ) {
        (self.slots, self.isOpen, self.pass) = (slots, isOpen, pass)
        self.head = head % slots.count
    }

    /// The next slot; its earlier content is lost.
    ///
    /// Skips the newest slot of a chain, so that a slow stream keeps its last values; when half the
    /// ring is such slots, they are reused all the same.
    func allocate() throws(StoreError) -> Int {
        var skipped = 0
        var header = try slots.header(of: head)
        while skipped < slots.count / 2, let key = header.key, try isOpen(head, header) {
            try pass(key)
            head = (head + 1) % slots.count
            skipped += 1
            header = try slots.header(of: head)
        }
        defer { head = (head + 1) % slots.count }
        if let key = header.key { recycled[key, default: RecycledSlots()].add(header) }
        count += 1
        return head
    }
}

/// The content that one chain lost as its slots were recycled: slots, items and their range.
struct RecycledSlots: Hashable, Sendable {
    private(set) var slots = 0
    /// Samples, buckets or events.
    private(set) var items = 0
    /// Positions from the first to the last item; nil before the first slot.
    private(set) var range: ClosedRange<HistoryPosition>?

    /// Counts a slot, later ones of the chain after earlier ones.
    mutating func add(_ header: SlotHeader) {
        slots += 1
        items += Int(header.count)
        let (from, to) = (min(header.first, header.last), max(header.first, header.last))
        range = min(range?.lowerBound ?? from, from)...max(range?.upperBound ?? to, to)
    }

    mutating func merge(_ other: RecycledSlots) {
        slots += other.slots
        items += other.items
        guard let added = other.range else { return }
        let mine = range ?? added
        range =
            min(mine.lowerBound, added.lowerBound)...max(mine.upperBound, added.upperBound)
    }
}
