import Core

/// A position in the history: boots in the order of their first records, then time.
struct HistoryPosition: Hashable, Comparable, Sendable {
    /// The boot's ordinal, from 1 in the order of their first records; never used twice.
    let boot: UInt32
    let tick: Tick

    static func < (left: HistoryPosition, right: HistoryPosition) -> Bool {
        left.boot != right.boot ? left.boot < right.boot : left.tick < right.tick
    }
}

/// One chain of slots in a ring: the samples of a stream, or the buckets of one of its channels.
struct SlotKey: Hashable, Sendable {
    let rawValue: UInt32

    /// The events' ring holds one chain alone.
    static let events = SlotKey(rawValue: 1)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ stream: StreamID, channel: Int = 0) {
        rawValue = UInt32(stream.rawValue) << 8 | UInt32(channel) + 1
    }
}

/// The first 64 bytes of every slot: its stream, its time span and its links in the chain.
///
/// `depth` counts the slots of a chain from 1. A link is good while the slot it names still has
/// the key and the depth that it should have: a recycled slot has not, so nothing need be unlinked.
struct SlotHeader: Hashable, Sendable {
    static let byteCount = 64

    var key: SlotKey?
    var depth: UInt32 = 0
    /// Slots, or nil; their depths are `depth − 1`, `depth + 1` and `jumpDepth`.
    var previous: Int?
    var next: Int?
    var jump: Int?
    var jumpDepth: UInt32 = 0
    var first = HistoryPosition(boot: 0, tick: Tick(tenths: 0))
    var last = HistoryPosition(boot: 0, tick: Tick(tenths: 0))
    /// Samples, buckets or events within.
    var count: UInt32 = 0
    /// Bytes used after the header.
    var used = 0
    /// CRC-32C of the used bytes.
    var checksum: UInt32 = 0
    /// Whether the bytes failed their check; the slot's stream is not known then.
    private(set) var isBroken = false
    /// Whether the slot behind a link is damaged: a slot of a chain is never blank.
    var isTorn: Bool { isBroken || key == nil }

    init() {}

    /// Reads a header; of too few bytes it is broken.
    init(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount else {
            isBroken = true
            return
        }
        func word(_ offset: Int) -> UInt32 { HistoryBytes.get(bytes, at: offset) }
        func link(_ offset: Int) -> Int? { word(offset) == 0 ? nil : Int(word(offset)) - 1 }
        func tick(_ offset: Int) -> Tick { Tick(tenths: HistoryBytes.get(bytes, at: offset)) }
        let seal = word(Self.sealOffset)
        // Zeros were never used, or a version without seals wrote it.
        guard seal == 0 || seal == Self.seal(bytes) else {
            isBroken = true
            return
        }
        key = word(0) == 0 ? nil : SlotKey(rawValue: word(0))
        depth = word(4)
        previous = link(8)
        next = link(12)
        jump = link(16)
        jumpDepth = word(20)
        first = HistoryPosition(boot: word(24), tick: tick(32))
        last = HistoryPosition(boot: word(28), tick: tick(40))
        count = word(48)
        used = Int(word(52))
        checksum = word(56)
    }

    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        func put(_ value: UInt32, _ offset: Int) {
            HistoryBytes.put(value, in: &bytes, at: offset)
        }
        func link(_ slot: Int?) -> UInt32 { slot.map { UInt32($0) + 1 } ?? 0 }
        put(key?.rawValue ?? 0, 0)
        put(depth, 4)
        put(link(previous), 8)
        put(link(next), 12)
        put(link(jump), 16)
        put(jumpDepth, 20)
        put(first.boot, 24)
        put(last.boot, 28)
        HistoryBytes.put(first.tick.tenths, in: &bytes, at: 32)
        HistoryBytes.put(last.tick.tenths, in: &bytes, at: 40)
        put(count, 48)
        put(UInt32(used), 52)
        put(checksum, 56)
        if key != nil { put(Self.seal(bytes), Self.sealOffset) }
        return bytes
    }

    private static let sealOffset = 60

    /// CRC-32C of the bytes before it; never 0.
    private static func seal(_ bytes: [UInt8]) -> UInt32 {
        max(1, CRC32C.of(bytes[..<sealOffset]))
    }
}

/// A slot as it is in memory: header, and the bytes it holds.
struct HistorySlot: Sendable {
    var header = SlotHeader()
    var payload: [UInt8] = []

    /// Something was in it that failed its check, or that was left behind because of that.
    var isDamaged: Bool { payload.isEmpty && header.count > 0 }
}

/// The operations of a ring that chains need.
protocol SlotHeaders {
    var places: Range<Int> { get }

    /// The header of a slot, or nil when it cannot be read.
    func header(of slot: Int) throws(StoreError) -> SlotHeader
}

/// Finds the way along a chain of slots.
///
/// A slot also has a link far back, to a depth computed in skew-binary numbers, which makes a
/// search O(log n) with two links a slot.
///
/// - Source: Myers, *An applicative random-access stack*, Information Processing Letters 17, 1983.
struct SlotChain<Ring: SlotHeaders> {
    let ring: Ring
    let key: SlotKey

    /// The header when the slot still is the chain's at this depth.
    func live(_ slot: Int?, depth: UInt32) throws(StoreError) -> SlotHeader? {
        guard let slot else { return nil }
        let header = try ring.header(of: slot)
        return header.key == key && header.depth == depth ? header : nil
    }

    /// The header for a slot that follows `slot`, its first in the chain when nil.
    func successor(of slot: Int?, _ header: SlotHeader?) throws(StoreError) -> SlotHeader {
        var new = SlotHeader()
        new.key = key
        guard let slot, let header else {
            new.depth = 1
            return new
        }
        new.depth = header.depth + 1
        new.previous = slot
        (new.jump, new.jumpDepth) = (slot, header.depth)
        if let jumped = try live(header.jump, depth: header.jumpDepth),
            header.depth - header.jumpDepth == header.jumpDepth - jumped.jumpDepth,
            let target = jumped.jump
        {
            (new.jump, new.jumpDepth) = (target, jumped.jumpDepth)
        }
        return new
    }

    /// The slot that contains `position` or would contain it; the oldest when it is before all.
    ///
    /// - Parameters:
    ///   - newest: The chain's newest slot and its header.
    /// - Returns: The slot and its header.
    func find(
        _ position: HistoryPosition,
        from newest: (slot: Int, header: SlotHeader)
    ) throws(StoreError) -> (slot: Int, header: SlotHeader) {
        var current = newest
        while position <= current.header.first {
            guard let earlier = try step(back: current.header, towards: position) else { break }
            current = earlier
        }
        return current
    }

    /// The next slot of the search: the far link when it is not too far, else the one before.
    ///
    /// In single steps: as one `if let … try …, else if let … try …` with typed throws, Swift 6.3.1
    /// compiles it wrongly with `-O`, and every search ends at the newest slot.
    private func step(
        back header: SlotHeader,
        towards position: HistoryPosition
    ) throws(StoreError) -> (slot: Int, header: SlotHeader)? {
        if let jump = header.jump {
            let far = try live(jump, depth: header.jumpDepth)
            if let far, position <= far.first { return (jump, far) }
        }
        guard let previous = header.previous else { return nil }
        if let near = try live(previous, depth: header.depth - 1) { return (previous, near) }
        let found = try ring.header(of: previous)
        // One that is another's by now was recycled, and so was all before it.
        return found.isTorn ? try newest(before: header.depth) : nil
    }

    /// The slot after one, or behind a damaged one the next that can be read; nil at the end.
    func later(than header: SlotHeader) throws(StoreError) -> (slot: Int, header: SlotHeader)? {
        guard let next = header.next else { return nil }
        if let later = try live(next, depth: header.depth + 1) { return (next, later) }
        return try ring.header(of: next).isTorn ? try oldest(after: header.depth) : nil
    }

    /// The oldest slot of the chain that can be read, after a depth; reads all slots.
    private func oldest(after depth: UInt32) throws(StoreError) -> (slot: Int, header: SlotHeader)?
    {
        var oldest: (slot: Int, header: SlotHeader)?
        for slot in ring.places {
            let header = try ring.header(of: slot)
            guard header.key == key, header.depth > depth,
                header.depth < oldest?.header.depth ?? .max
            else { continue }
            oldest = (slot, header)
        }
        return oldest
    }

    /// The newest slot of the chain that can be read, before a depth.
    ///
    /// Reads all slots of the ring: only where damage has broken the chain.
    func newest(before depth: UInt32) throws(StoreError) -> (slot: Int, header: SlotHeader)? {
        var newest: (slot: Int, header: SlotHeader)?
        for slot in ring.places {
            let header = try ring.header(of: slot)
            guard header.key == key, header.depth < depth, header.depth > newest?.header.depth ?? 0
            else { continue }
            newest = (slot, header)
        }
        return newest
    }
}
