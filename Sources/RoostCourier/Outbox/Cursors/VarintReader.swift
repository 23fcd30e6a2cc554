import Store

/// Writes unsigned LEB128.
struct VarintWriter {
    var bytes: [UInt8] = []

    mutating func append(_ value: UInt64) { Varint.append(value, to: &bytes) }
}

/// Reads unsigned LEB128.
struct VarintReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func next() throws(OutboxCursorError) -> UInt64 {
        guard let value = Varint.read(bytes[...], at: &position) else { throw .malformed }
        return value
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
