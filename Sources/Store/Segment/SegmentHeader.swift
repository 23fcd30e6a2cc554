/// The first bytes of a segment, checked.
struct SegmentHeader: Sendable {
    let decimals: [Int]
    let count: Int
    let start: Int64
    let firstValues: [Int64]
    /// Where the exceptions are; the values follow.
    let exceptions: Range<Int>

    init(_ bytes: [UInt8]) throws(CodecError) {
        guard bytes.count >= 2 else { throw CodecError(.truncated, at: bytes.count) }
        guard bytes[0] == SegmentFormat.version else {
            throw CodecError(.unknownVersion(bytes[0]), at: 0)
        }
        let channelCount = Int(bytes[1])
        guard SegmentFormat.channelRange.contains(channelCount) else {
            throw CodecError(.outOfRange, at: 1)
        }
        decimals = try Self.decimals(of: channelCount, bytes)
        var offset = 2 + (channelCount + 1) / 2
        count = try Self.number(bytes, &offset, atMost: UInt64(SegmentFormat.maximumCount))
        let startOffset = offset
        start = Varint.unzigzag(try Varint.read(bytes, at: &offset, before: bytes.count))
        guard start.magnitude <= SegmentFormat.maximumTick.magnitude else {
            throw CodecError(.outOfRange, at: startOffset)
        }
        var values: [Int64] = []
        for _ in 0..<channelCount {
            let value = try Varint.read(bytes, at: &offset, before: bytes.count)
            values.append(Varint.unzigzag(value))
        }
        firstValues = values
        let length = try Self.number(bytes, &offset, atMost: UInt64(bytes.count))
        guard length <= bytes.count - offset else {
            throw CodecError(.truncated, at: bytes.count)
        }
        exceptions = offset..<offset + length
    }

    private static func decimals(
        of channelCount: Int,
        _ bytes: [UInt8]
    ) throws(CodecError) -> [Int] {
        var decimals: [Int] = []
        for index in 0..<(channelCount + 1) / 2 * 2 {
            let offset = 2 + index / 2
            guard offset < bytes.count else { throw CodecError(.truncated, at: offset) }
            let nibble = Int(bytes[offset] >> (index % 2 == 0 ? 0 : 4) & 15)
            guard nibble <= (index < channelCount ? 9 : 0) else {
                throw CodecError(.outOfRange, at: offset)
            }
            if index < channelCount { decimals.append(nibble) }
        }
        return decimals
    }

    private static func number(
        _ bytes: [UInt8],
        _ offset: inout Int,
        atMost bound: UInt64
    ) throws(CodecError) -> Int {
        let start = offset
        let value = try Varint.read(bytes, at: &offset, before: bytes.count)
        guard value <= bound else { throw CodecError(.outOfRange, at: start) }
        return Int(value)
    }
}
