/// Little-endian integers in a byte array.
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
}

/// Reads what `HistoryBytes` and `Varint` wrote; nil past the end, so that damage never traps.
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

    mutating func variable() -> UInt64? { Varint.read(bytes, at: &offset) }

    mutating func zigzag() -> Int64? { variable().map(Varint.unzigzag) }

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
