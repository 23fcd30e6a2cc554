/// Buckets of one channel and tier packed one after the other, in the bytes of one slot.
///
/// A bucket is: how many buckets after the one before (0 stands for "of another boot, or
/// earlier": then follow the boot's ordinal and the index); count; covered tenths less the tier's
/// length, zigzag; and when count is not 0, maximum less minimum; sum less count × minimum; minimum
/// less the minimum before, zigzag. Behind a bucket with values that are left out comes an entry of
/// the same place, of count 0, that covers less than nothing by as many tenths as they are. All are
/// variable-length; differences wrap, so that any value survives.
struct RollupBlock: Sendable {
    private struct State: Hashable, Sendable {
        var boot: UInt32 = 0
        var index: Int64 = 0
        var minimum: Int64 = 0
    }

    let tier: RollupTier
    /// Bytes that the slot offers.
    let capacity: Int
    private(set) var bytes: [UInt8]
    private(set) var count = 0
    private(set) var last: PlacedBucket?
    private var lastOffset = 0
    private var beforeLast = State()
    private var state = State()

    /// An empty block.
    init(tier: RollupTier, capacity: Int) {
        (self.tier, self.capacity) = (tier, capacity)
        bytes = []
    }

    /// The block in these bytes; unreadable bytes at the end are cut off.
    init(tier: RollupTier, capacity: Int, _ stored: [UInt8]) {
        self.init(tier: tier, capacity: capacity)
        var reader = RollupBlockReader(tier: tier, stored[...])
        var end = 0
        while let placed = reader.next() {
            lastOffset = end
            beforeLast = state
            advance(to: placed)
            end = reader.offset
        }
        bytes = Array(stored[..<end])
    }

    /// Adds a bucket, merging it with the last when that is the same one.
    ///
    /// - Returns: Nil when it fits; else the bucket for the next block, and this one is full.
    mutating func put(_ new: PlacedBucket) -> PlacedBucket? {
        var placed = new
        if let last, last.boot == new.boot, last.index == new.index {
            placed.bucket = last.bucket
            placed.bucket.merge(new.bucket)
            bytes.removeSubrange(lastOffset...)
            state = beforeLast
            count -= 1
        }
        let start = bytes.count
        Self.encode(placed, after: state, tier, into: &bytes)
        guard bytes.count <= capacity else {
            bytes.removeSubrange(start...)
            return placed
        }
        lastOffset = start
        beforeLast = state
        advance(to: placed)
        return nil
    }

    private mutating func advance(to placed: PlacedBucket) {
        state.boot = placed.boot
        state.index = placed.index
        if placed.bucket.count > 0 { state.minimum = placed.bucket.minimum }
        last = placed
        count += 1
    }

    private static func encode(
        _ placed: PlacedBucket,
        after state: State,
        _ tier: RollupTier,
        into bytes: inout [UInt8]
    ) {
        if placed.boot == state.boot, placed.index > state.index {
            Varint.append(UInt64(placed.index - state.index), to: &bytes)
        } else {
            putPlace(of: placed, into: &bytes)
        }
        encode(placed.bucket, after: state, tier, into: &bytes)
        guard placed.bucket.omitted > 0 else { return }
        putPlace(of: placed, into: &bytes)
        var omission = RollupBucket()
        omission.covered = -placed.bucket.omitted
        encode(omission, after: state, tier, into: &bytes)
    }

    private static func putPlace(of placed: PlacedBucket, into bytes: inout [UInt8]) {
        bytes.append(0)
        Varint.append(UInt64(placed.boot), to: &bytes)
        Varint.append(Varint.zigzag(placed.index), to: &bytes)
    }

    private static func encode(
        _ bucket: RollupBucket,
        after state: State,
        _ tier: RollupTier,
        into bytes: inout [UInt8]
    ) {
        Varint.append(UInt64(bucket.count), to: &bytes)
        Varint.append(Varint.zigzag(bucket.covered - tier.tenths), to: &bytes)
        guard bucket.count > 0 else { return }
        let floor = bucket.minimum &* bucket.count
        for difference in [bucket.maximum &- bucket.minimum, bucket.sum &- floor] {
            Varint.append(UInt64(bitPattern: difference), to: &bytes)
        }
        Varint.append(Varint.zigzag(bucket.minimum &- state.minimum), to: &bytes)
    }
}

/// Reads the buckets of a `RollupBlock`.
struct RollupBlockReader {
    private let tier: RollupTier
    private var reader: HistoryByteReader
    private var boot: UInt32 = 0
    private var index: Int64 = 0
    private var minimum: Int64 = 0

    init(tier: RollupTier, _ bytes: ArraySlice<UInt8>) {
        self.tier = tier
        reader = HistoryByteReader(bytes)
    }

    /// Offset of the next bucket.
    var offset: Int { reader.offset }

    /// The next bucket; nil at the end or where the bytes make no sense.
    mutating func next() -> PlacedBucket? {
        guard var placed = entry() else { return nil }
        guard reader.isAtZero else { return placed }
        var ahead = self
        if let omission = ahead.entry(), omission.boot == placed.boot,
            omission.index == placed.index, omission.bucket.count == 0,
            omission.bucket.covered < 0
        {
            placed.bucket.omitted = 0 &- omission.bucket.covered
            self = ahead
        }
        return placed
    }

    private mutating func entry() -> PlacedBucket? {
        guard !reader.isAtEnd, let step = reader.variable() else { return nil }
        if step == 0 {
            guard let ordinal = reader.variable(), let start = reader.zigzag() else { return nil }
            (boot, index) = (UInt32(truncatingIfNeeded: ordinal), start)
        } else {
            index &+= Int64(truncatingIfNeeded: step)
        }
        guard let count = reader.variable(), let covered = reader.zigzag() else { return nil }
        var bucket = RollupBucket()
        bucket.count = Int64(truncatingIfNeeded: count)
        bucket.covered = covered &+ tier.tenths
        if bucket.count > 0 {
            guard let spread = reader.variable(), let excess = reader.variable(),
                let step = reader.zigzag()
            else { return nil }
            minimum &+= step
            bucket.minimum = minimum
            bucket.maximum = minimum &+ Int64(bitPattern: spread)
            bucket.sum = minimum &* bucket.count &+ Int64(bitPattern: excess)
        }
        return PlacedBucket(boot: boot, index: index, bucket: bucket)
    }
}
