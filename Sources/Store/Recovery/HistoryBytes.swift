/// Little-endian integers and variable-length ones in a byte array.
enum HistoryBytes {
    static func put<Value: FixedWidthInteger>(
        _ value: Value,
        in bytes: inout [UInt8],
        at offset: Int
    ) {
        for index in 0..<Value.bitWidth / 8 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> Value(8 * index))
        }
    }

    static func get<Value: FixedWidthInteger>(
        _ bytes: [UInt8],
        at offset: Int,
        as type: Value.Type = Value.self
    ) -> Value {
        precondition(offset >= 0 && offset + Value.bitWidth / 8 <= bytes.count)
        return bytes.withUnsafeBytes {
            Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
    }

    /// Appends seven bits a byte, lowest first (LEB128): at most ten bytes.
    static func putVariable(_ value: UInt64, in bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Maps small magnitudes of either sign to small numbers.
    static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value << 1) ^ (value >> 63))
    }

    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

/// Reads what `HistoryBytes` wrote; nil past the end, so that damage never traps.
struct HistoryByteReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    var isAtEnd: Bool { offset >= bytes.endIndex }

    /// Whether the next number is 0.
    var isAtZero: Bool { offset < bytes.endIndex && bytes[offset] == 0 }

    mutating func variable() -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while offset < bytes.endIndex, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func zigzag() -> Int64? { variable().map(HistoryBytes.unzigzag) }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        let count = Value.bitWidth / 8
        guard bytes.endIndex - offset >= count else { return nil }
        var value: Value = 0
        for index in 0..<count { value |= Value(bytes[offset + index]) << Value(8 * index) }
        offset += count
        return value
    }

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, bytes.endIndex - offset >= count else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
