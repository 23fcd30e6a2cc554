import Core

/// The last readings of one channel, packed: 16 bytes each.
///
/// Bound: `capacity` rows and `span` of time; the oldest row goes first. Grows by doubling up to
/// the bound, so a station that samples every five minutes never needs the memory of one that
/// samples every second.
struct ReadingRing {
    /// A day of 1 Hz.
    static let capacity = 86_400
    static let span: Duration = .days(1)
    /// Rings kept, one a channel; a station has at most 32 devices.
    static let countMax = 128

    private struct Row {
        let nanoseconds: Int64
        let mantissa: Int32
        let quality: UInt16
        // 0…9 are the decimals of a value; 0x80 | index is an absence.
        let code: UInt8
    }

    var channel: Channel
    /// Names this ring within its recorder; never given to another.
    let serial: Int
    private let capacity: Int
    private var rows: [Row] = []
    private var head = 0
    private(set) var count = 0
    /// How many readings came in altogether.
    private(set) var acceptedCount = 0
    /// How many of the readings kept have a value that no part can give.
    private(set) var omittedCount = 0
    /// The last value that counts, also when attempts without a value followed.
    private(set) var lastValue: Reading?

    init(_ channel: Channel, serial: Int = 0, capacity: Int = Self.capacity) {
        self.channel = channel
        self.serial = serial
        self.capacity = capacity
    }

    mutating func append(_ reading: Reading) {
        dropOlder(than: reading.instant.advanced(by: .zero - Self.span))
        if count == rows.count { makeRoom() }
        let row = Self.pack(reading)
        if Self.isOmitted(row) { omittedCount += 1 }
        if count == capacity {
            if Self.isOmitted(rows[head]) { omittedCount -= 1 }
            rows[head] = row
            head = (head + 1) % rows.count
        } else {
            rows[(head + count) % rows.count] = row
            count += 1
        }
        acceptedCount += 1
        if reading.outcome.counted != nil { lastValue = reading }
    }

    var latest: Reading? { count > 0 ? self[count - 1] : nil }

    /// The `index`th oldest reading.
    subscript(index: Int) -> Reading {
        precondition(index < count, "no such reading")
        return unpack(rows[(head + index) % rows.count])
    }

    /// Numbers of the readings kept, counted from the first that ever came.
    var numbers: Range<Int> { acceptedCount - count..<acceptedCount }

    /// The reading with a number that is kept.
    func reading(number: Int) -> Reading { self[number - numbers.lowerBound] }

    /// When the reading with this number was measured; it must be in the ring.
    func instant(number: Int) -> Int64 {
        rows[(head + number - numbers.lowerBound) % rows.count].nanoseconds
    }

    /// The number of the first reading at or after `start`.
    func firstNumber(since start: MonotonicInstant) -> Int {
        var (low, high) = (numbers.lowerBound, numbers.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if instant(number: middle) < start.nanoseconds {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private mutating func dropOlder(than start: MonotonicInstant) {
        while count > 0, rows[head].nanoseconds < start.nanoseconds {
            if Self.isOmitted(rows[head]) { omittedCount -= 1 }
            head = (head + 1) % rows.count
            count -= 1
        }
    }

    private static func isOmitted(_ row: Row) -> Bool {
        row.quality & Quality.outOfRange.rawValue != 0
    }

    private mutating func makeRoom() {
        guard rows.count < capacity else { return }
        let ordered = (0..<count).map { rows[(head + $0) % rows.count] }
        let blank = Row(nanoseconds: 0, mantissa: 0, quality: 0, code: 0)
        let size = min(capacity, max(16, rows.count * 2))
        rows = ordered + Array(repeating: blank, count: size - count)
        head = 0
    }

    private static func pack(_ reading: Reading) -> Row {
        let nanoseconds = reading.instant.nanoseconds
        switch reading.outcome {
        case .value(let value, let quality):
            return Row(
                nanoseconds: nanoseconds,
                mantissa: Int32(clamping: value.mantissa),
                quality: quality.rawValue,
                code: UInt8(value.decimals)
            )
        case .noData(let reason):
            let index = NoData.allCases.firstIndex(of: reason) ?? 0
            return Row(
                nanoseconds: nanoseconds,
                mantissa: 0,
                quality: 0,
                code: 0x80 | UInt8(index)
            )
        }
    }

    private func unpack(_ row: Row) -> Reading {
        let outcome: Outcome =
            row.code & 0x80 == 0
            ? .value(
                FixedPoint(Int64(row.mantissa), decimals: Int(row.code)),
                Quality(rawValue: row.quality)
            )
            : .noData(NoData.allCases[Int(row.code & 0x7F)])
        return Reading(channel, at: MonotonicInstant(nanoseconds: row.nanoseconds), outcome)
    }
}
