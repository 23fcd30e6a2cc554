/// Finds lines that end with CR, LF or both, and records that end with their own check.
///
/// A line longer than `limit` is given up and the rest of it skipped. What comes before the first
/// end may be the tail of a line and is skipped too, unless lines are known to say how they begin.
struct LineScanner: Sendable {
    /// The longest line takes 0.53 s at 9 600 baud: what begins later is no tail of one.
    static let longestTransfer: Duration = .milliseconds(600)

    /// Bytes of the longest line.
    let limit: Int
    /// A line that begins with it is passed over if it is longer than `asideLimit`.
    var passedOver: UInt8?
    /// Bytes of such a line that is found all the same.
    var asideLimit = 0
    /// Whether lines are records from `$` to `*` and two digits, as NMEA 0183 has them.
    ///
    /// A Bluetooth module may leave out the ends of lines: such a record ends with its digits, and
    /// a `$` begins the next one.
    var hasRecords = false
    private var pending: [UInt8] = []
    private var isSkipping: Bool
    private var isPassingOver = false
    /// The line that is passed over, as far as `asideLimit`.
    private var aside: [UInt8] = []

    init(limit: Int, skipsFirst: Bool) {
        self.limit = limit
        isSkipping = skipsFirst
        pending.reserveCapacity(limit)
    }

    /// Forgets what has begun.
    mutating func restart(skipsFirst: Bool) {
        pending.removeAll(keepingCapacity: true)
        (isSkipping, isPassingOver) = (skipsFirst, false)
    }

    /// Appends bytes; calls `found` with each whole line, and with nil for one that was too long.
    mutating func scan(_ bytes: Span<UInt8>, found: (ArraySlice<UInt8>?) -> Void) {
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if !isSkipping, !pending.isEmpty { found(pending[...]) }
                if isPassingOver, aside.count <= asideLimit { found(aside[...]) }
                pending.removeAll(keepingCapacity: true)
                (isSkipping, isPassingOver) = (false, false)
            } else if isPassingOver {
                // One more than the limit: the line is longer.
                if aside.count <= asideLimit { aside.append(byte) }
            } else if hasRecords, byte == UInt8(ascii: "$") {
                // The end of the record before is lost, and not this one's beginning.
                if !isSkipping, !pending.isEmpty { found(pending[...]) }
                pending.removeAll(keepingCapacity: true)
                pending.append(byte)
                isSkipping = false
            } else if !isSkipping {
                receive(byte, found)
            }
        }
    }

    private mutating func receive(_ byte: UInt8, _ found: (ArraySlice<UInt8>?) -> Void) {
        if pending.isEmpty, byte == passedOver {
            (isSkipping, isPassingOver, aside) = (true, true, [byte])
        } else if pending.count < limit {
            pending.append(byte)
            guard hasRecords, isWholeRecord else { return }
            found(pending[...])
            pending.removeAll(keepingCapacity: true)
        } else {
            pending.removeAll(keepingCapacity: true)
            isSkipping = true
            found(nil)
        }
    }

    /// Whether two bytes follow the `*` of a record.
    private var isWholeRecord: Bool {
        pending.count > 3 && pending.first == UInt8(ascii: "$")
            && pending[pending.count - 3] == UInt8(ascii: "*")
    }
}

/// Splits a line at a delimiter, without losing empty fields.
func fields(of line: ArraySlice<UInt8>, at delimiter: UInt8) -> [ArraySlice<UInt8>] {
    line.split(separator: delimiter, omittingEmptySubsequences: false)
}
