/// Where the decoder is in the deltas, and the bits that come next.
struct SegmentCursor: Sendable {
    /// Position in bits from the start of the segment.
    private(set) var position: Int
    /// Bits that were loaded: at least 57 after `load`, less those read since.
    private(set) var word: UInt64 = 0

    init(position: Int) { self.position = position }

    /// Reads the bits from here on without consuming them.
    ///
    /// Two small deltas can be read before it is needed again.
    @inline(__always)
    mutating func load(_ bytes: RawSpan) {
        let offset = position >> 3
        let loaded = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        word = UInt64(littleEndian: loaded) &>> UInt64(position & 7)
    }

    @inline(__always)
    mutating func skip(_ count: Int) {
        position &+= count
        word = word &>> UInt64(count)
    }
}

/// The delta beside the next one, as far as it matters: min(|delta|, 2) and the sign.
struct SegmentNeighbour: Sendable {
    /// 0, 1, 2 times the size of one table.
    private(set) var tableOffset = 0
    /// All bits set when the delta was negative, else 0.
    private(set) var mask: Int64 = 0

    /// Reads one delta, which becomes the neighbour: two table look-ups for a small one.
    ///
    /// The table holds what the next look-up needs, so that the longest chain of dependent steps is
    /// ten and not twenty: a day decodes in half the time.
    ///
    /// - Returns: The delta.
    @inline(__always)
    mutating func readDelta(
        _ bytes: RawSpan,
        _ codes: Span<UInt16>,
        _ cursor: inout SegmentCursor,
        _ model: inout SegmentModel
    ) -> Int64 {
        let tables = model.level &* (3 << SegmentCode.maximumLength) &+ tableOffset
        let next = Int(truncatingIfNeeded: cursor.word & SegmentCode.mask)
        let entry = Int(codes[unchecked: tables | next])
        cursor.skip(entry & 15)
        tableOffset = entry & SegmentCode.neighbourMask
        let token = entry >> 4 & 63
        var delta = Int64(token >> 1) ^ -Int64(token & 1)
        if token <= 2 * SegmentModel.smallDelta {
            model.learn(small: (token &+ 1) >> 1)
        } else {
            let (large, count) = Self.readLargeDelta(bytes, token, at: cursor.position)
            delta = large
            cursor.skip(count)
            cursor.load(bytes)
            model.learn(large: delta.magnitude)
        }
        delta = (delta ^ mask) &- mask
        mask = delta >> 63
        return delta
    }

    /// Reads what follows the token of a delta beyond ±15; a bit length beyond 64 counts as 64.
    @inline(never)
    private static func readLargeDelta(
        _ bytes: RawSpan,
        _ token: Int,
        at position: Int
    ) -> (delta: Int64, bitCount: Int) {
        var cursor = SegmentCursor(position: position)
        func read(_ count: Int) -> UInt64 {  // 0…32.
            cursor.load(bytes)
            let bits = cursor.word & (1 << UInt64(count) - 1)
            cursor.skip(count)
            return bits
        }
        var length = token - SegmentCode.lengthToken
        if token == SegmentCode.escape { length = min(16 + Int(read(6)), 64) }
        let isNegative = read(1) != 0
        let low = min(length - 1, 32)
        var magnitude = read(low)
        magnitude |= read(length - 1 - low) << UInt64(low)
        magnitude |= 1 << UInt64(length - 1)
        let delta = Int64(bitPattern: isNegative ? 0 &- magnitude : magnitude)
        return (delta, cursor.position - position)
    }
}
