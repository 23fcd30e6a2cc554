import Core

/// Sentence of NMEA 0183 about a receiver's position: GGA, RMC or GSA.
///
/// `$ttSSS,field,…*hh`: the talker has two letters (`GP`, `GN`, `GL`, `GA`, `GB`), the digits are
/// the exclusive or of everything between `$` and `*`. A receiver repeats them each second.
///
/// - Source: NMEA 0183 as u-blox describes it, *u-blox 8 / M8 Receiver Description*, UBX-13003221,
///   sections 31.1 and 31.2.
enum NMEASentence: Hashable, Sendable {
    /// Contents of a GGA sentence: time, quality of the fix and position.
    struct Fix: Hashable, Sendable {
        /// `hhmmss.ss` as it is written; empty while the receiver has no time.
        let time: String
        /// 0 is no fix; 1 and above are kinds of fixes; 6 is an estimate without satellites.
        let quality: Int
        let latitude: FixedPoint?
        let longitude: FixedPoint?
        let satellites: Int?
        /// Horizontal dilution of precision.
        let dilution: FixedPoint?
        /// Metres above the sea.
        let altitude: FixedPoint?
    }

    /// Why a line is none.
    enum Flaw: String, Error, Hashable, Sendable {
        case noChecksum = "a sentence without a checksum"
        case checksum
        case fields = "a sentence with a wrong field"
    }

    case gga(Fix)
    /// Whether the receiver calls its position valid, and what time it is then.
    case rmc(time: String, isValid: Bool, wall: WallTime?)
    /// 1 is no fix, 2 a fix without height, 3 a whole one.
    case gsa(dimensions: Int)
    /// A sentence of another kind, or of the receiver's maker.
    case other

    /// Bytes of a sentence without its end; the standard has 80, and some receivers more.
    static let byteLimit = 120
    /// Qualities with satellites behind them.
    ///
    /// 0 is none, 6 an estimate from the last course and speed, 7 a place that was typed in, 8 a
    /// simulator's.
    static let fixes = 1...5

    /// Reads a line without its end.
    init(_ line: ArraySlice<UInt8>) throws(Flaw) {
        guard line.first == UInt8(ascii: "$"), let star = line.firstIndex(of: UInt8(ascii: "*"))
        else { throw .noChecksum }
        let content = line[(line.startIndex + 1)..<star]
        let digits = line[(star + 1)...]
        guard digits.count == 2, digits.allSatisfy(Self.isHexadecimal),
            UInt8(String(decoding: digits, as: UTF8.self), radix: 16) == content.reduce(0, ^)
        else { throw .checksum }
        let items = fields(of: content, at: UInt8(ascii: ","))
        guard items[0].count == 5 else {
            self = .other
            return
        }
        let read: NMEASentence? =
            switch String(decoding: items[0].suffix(3), as: UTF8.self) {
            case "GGA": Self.fix(items).map { .gga($0) }
            case "RMC": Self.recommended(items)
            case "GSA": Self.active(items)
            default: .other
            }
        guard let read else { throw .fields }
        self = read
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
            || (0x61...0x66).contains(byte)
    }

    private static func fix(_ items: [ArraySlice<UInt8>]) -> Fix? {
        guard items.count >= 12, let time = time(items[1]),
            let quality = PlainDecimal.whole(items[6]), quality <= 8
        else { return nil }
        let hasPlace = !items[2].isEmpty && !items[4].isEmpty
        let latitude = hasPlace ? degrees(items[2], items[3], ("N", "S"), limit: 90) : nil
        let longitude = hasPlace ? degrees(items[4], items[5], ("E", "W"), limit: 180) : nil
        if hasPlace, latitude == nil || longitude == nil { return nil }
        guard let satellites = optional(items[7], { PlainDecimal.whole($0) }),
            let dilution = optional(items[8], { PlainDecimal.read($0, decimals: 4) }),
            let altitude = optional(items[9], { PlainDecimal.read($0, decimals: 4) }),
            items[10].isEmpty || items[10].elementsEqual("M".utf8)
        else { return nil }
        return Fix(
            time: time,
            quality: quality,
            latitude: latitude,
            longitude: longitude,
            satellites: satellites,
            dilution: dilution,
            altitude: altitude
        )
    }

    /// nil for a field that cannot be read; `.some(nil)` for an empty one.
    private static func optional<Value>(
        _ text: ArraySlice<UInt8>,
        _ read: (ArraySlice<UInt8>) -> Value?
    ) -> Value?? {
        if text.isEmpty { return .some(nil) }
        return read(text).map { .some($0) }
    }

    private static func recommended(_ items: [ArraySlice<UInt8>]) -> NMEASentence? {
        guard items.count >= 10, let time = time(items[1]) else { return nil }
        switch String(decoding: items[2], as: UTF8.self) {
        case "A":
            // The date of an estimated, typed-in or simulated position may be just as made up.
            let isOfSatellites = items.count < 13 || !Self.madeUp.contains(items[12].first ?? 0)
            let wall = isOfSatellites ? Self.wall(day: items[9], time: items[1]) : nil
            return .rmc(time: time, isValid: true, wall: wall)
        case "V": return .rmc(time: time, isValid: false, wall: nil)
        default: return nil
        }
    }

    /// Modes of RMC without satellites: estimated, manual, not valid, simulated.
    private static let madeUp = Array("EMNS".utf8)

    /// Parses `ddmmyy` and `hhmmss.ss`; years from 80 on are 19xx.
    private static func wall(day: ArraySlice<UInt8>, time: ArraySlice<UInt8>) -> WallTime? {
        guard day.count == 6, let number = PlainDecimal.whole(day) else { return nil }
        let year = number % 100
        return wall(
            CivilDate.days(
                year: year + (year < 80 ? 2_000 : 1_900),
                month: number / 100 % 100,
                day: number / 10_000
            ),
            time
        )
    }

    /// A day since 1970 and `hhmmss` with any fraction.
    static func wall(_ day: Int?, _ time: ArraySlice<UInt8>) -> WallTime? {
        guard let day, !time.isEmpty, self.time(time) != nil,
            let units = PlainDecimal.read(time, decimals: 9)?.mantissa(atDecimals: 9)
        else { return nil }
        let (clock, fraction) = units.quotientAndRemainder(dividingBy: 1_000_000_000)
        let second = clock / 10_000 * 3_600 + clock / 100 % 100 * 60 + clock % 100
        return WallTime(
            nanoseconds: (Int64(day) * 86_400 + second) * 1_000_000_000 + fraction
        )
    }

    private static func active(_ items: [ArraySlice<UInt8>]) -> NMEASentence? {
        guard items.count >= 15, let mode = PlainDecimal.whole(items[2]), (1...3).contains(mode)
        else { return nil }
        return .gsa(dimensions: mode)
    }

    /// `hhmmss` with any fraction; empty before the first satellite.
    private static func time(_ text: ArraySlice<UInt8>) -> String? {
        if text.isEmpty { return "" }
        let whole = text.prefix(6)
        guard whole.count == 6, let number = PlainDecimal.whole(whole), number / 10_000 < 24,
            number / 100 % 100 < 60, number % 100 <= 60,
            PlainDecimal.read(text, decimals: 9) != nil, text.first != UInt8(ascii: "-")
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Degrees of `dddmm.mmmm…` and a hemisphere, rounded to 10⁻⁷, halves away from zero.
    private static func degrees(
        _ text: ArraySlice<UInt8>,
        _ hemisphere: ArraySlice<UInt8>,
        _ letters: (positive: String, negative: String),
        limit: Int64
    ) -> FixedPoint? {
        let letter = String(decoding: hemisphere, as: UTF8.self)
        guard letter == letters.positive || letter == letters.negative,
            text.first != UInt8(ascii: "-"),
            let packed = PlainDecimal.read(text, decimals: 8),
            let units = packed.mantissa(atDecimals: 8), units < 1 << 50
        else { return nil }
        let whole = units / 10_000_000_000
        let minutes = units % 10_000_000_000  // In 10⁻⁸ of a minute.
        guard minutes < 6_000_000_000, whole < limit || (whole == limit && minutes == 0) else {
            return nil
        }
        let value = whole * 10_000_000 + (minutes + 300) / 600
        return FixedPoint(letter == letters.negative ? -value : value, decimals: 7)
    }
}
