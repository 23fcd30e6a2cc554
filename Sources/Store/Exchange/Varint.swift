/// Numbers in one to ten bytes (LEB128): small ones in few.
///
/// Seven bits a byte, the lowest first; the high bit means that more follow. A signed number is
/// mapped to an unsigned one by `zigzag`.
package enum Varint {
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads one number and moves `offset` behind it.
    ///
    /// - Returns: Nil when the bytes end before the number does, and for more than 64 bits;
    ///   `offset` is then the end, or the byte that is too much.
    package static func read(_ bytes: ArraySlice<UInt8>, at offset: inout Int) -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while offset < bytes.endIndex {
            let byte = bytes[offset]
            guard shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            offset += 1
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        return nil
    }

    /// Reads one number before `end` and moves `offset` behind it.
    static func read(
        _ bytes: [UInt8],
        at offset: inout Int,
        before end: Int
    ) throws(CodecError) -> UInt64 {
        if let value = read(bytes[..<end], at: &offset) { return value }
        throw CodecError(offset < end ? .outOfRange : .truncated, at: offset)
    }

    /// Numbers near zero as small ones: 0, −1, 1, −2 become 0, 1, 2, 3.
    static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value << 1) ^ (value >> 63))
    }

    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
