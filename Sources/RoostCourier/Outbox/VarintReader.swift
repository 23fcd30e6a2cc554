/// Writes unsigned LEB128.
struct VarintWriter {
    var bytes: [UInt8] = []

    mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Reads unsigned LEB128.
struct VarintReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func next() throws(OutboxCursorError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            guard position < bytes.count else { throw .malformed }
            let byte = bytes[position]
            position += 1
            let part = UInt64(byte & 0x7F)
            guard (part << shift) >> shift == part else { throw .malformed }
            value |= part << shift
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    /// Reads a number from 0 to `limit`, never above the range of counters.
    mutating func count(below limit: Int) throws(OutboxCursorError) -> Int {
        let value = try next()
        guard limit >= 0, value <= UInt64(min(limit, 1 << 53)) else { throw .malformed }
        return Int(value)
    }

    mutating func read(_ count: Int) throws(OutboxCursorError) -> [UInt8] {
        guard position + count <= bytes.count else { throw .malformed }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
