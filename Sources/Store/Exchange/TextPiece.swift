import Core

/// Text that grows as bytes, without strings in between, so that an export of a year is fast.
struct TextPiece {
    private(set) var bytes: [UInt8] = []
    // The day that was written last: dates are costly and change once in 864 000 tenths.
    private var day = Int.min
    private var dayWords: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func put(_ more: [UInt8]) { bytes += more }

    /// Writes a number as `FixedPoint.description` does: `-0.05`.
    mutating func put(_ value: FixedPoint) {
        if value.mantissa < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var (rest, count) = (value.mantissa.magnitude, 0)
        while rest > 0 || count <= value.decimals {
            if count > 0, count == value.decimals { bytes.append(UInt8(ascii: ".")) }
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            count += 1
        }
        bytes[start...].reverse()
    }

    /// Writes a time as `WallTime.iso8601Tenths` does: `2026-11-21T07:15:00.3Z`.
    mutating func put(_ wall: WallTime) {
        let (seconds, tenth) = Int(wall.tenths).flooredDivision(by: 10)
        let (day, second) = seconds.flooredDivision(by: 86_400)
        if day != self.day {
            self.day = day
            dayWords = Array(CivilTime(secondsSince1970: seconds).dateWords.utf8)
        }
        bytes += dayWords
        putTwo(UInt8(ascii: "T"), second / 3_600)
        putTwo(UInt8(ascii: ":"), second / 60 % 60)
        putTwo(UInt8(ascii: ":"), second % 60)
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(tenth))
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func putTwo(_ mark: UInt8, _ number: Int) {
        bytes.append(mark)
        bytes.append(UInt8(ascii: "0") + UInt8(number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
