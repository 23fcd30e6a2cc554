/// Collects bits, the lowest of each byte first.
struct BitWriter: Sendable {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingCount = 0  // Between calls: 0…7.

    /// Appends the low `count` bits, at most 56.
    mutating func append(_ bits: UInt64, count: Int) {
        pending |= bits << UInt64(pendingCount)
        pendingCount += count
        while pendingCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
    }

    /// Bytes needed for all bits so far.
    var byteCount: Int { bytes.count + (pendingCount > 0 ? 1 : 0) }

    /// The bytes not yet full, with zeros above the bits: none or one.
    var tail: UInt8? { pendingCount > 0 ? UInt8(truncatingIfNeeded: pending) : nil }
}
