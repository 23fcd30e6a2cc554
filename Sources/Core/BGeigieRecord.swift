/// One line of a bGeigie's log as it is written, so that the same line can be written again.
///
/// `$BNRDD,device,time,cpm,counts,total,A|V,ddmm.mmmm,N|S,dddmm.mmmm,E|W,altitude,A|V,x,y*hh`.
/// The two digits are the exclusive or of everything between `$` and `*`; since two flipped bits
/// can cancel in it, every field is checked as well. A minus before a coordinate is a fault of an
/// old receiver library and has no meaning: the hemisphere letter decides.
///
/// - Source: `bidouilles/bGeigieNano`, README; `Safecast/safecastapi:app/models/bgeigie_import.rb`.
package struct BGeigieRecord: Hashable, Sendable {
    /// Mistakes in a line.
    package enum Flaw: String, Error, Hashable, Sendable {
        case noChecksum = "a line without a checksum"
        case checksum
        case notRecord = "not a record"
        case deviceOrTime = "device or time"
        case counts
        case place
    }

    /// Degrees and minutes in one number with a hemisphere: `00010.4778,E`.
    package struct Coordinate: Hashable, Sendable {
        /// 100 × degrees + minutes, as written; a minus is kept and has no meaning.
        package let packed: FixedPoint
        /// Digits before the point.
        let wholeDigits: Int
        /// `N`, `S`, `E` or `W`.
        package let letter: String

        /// Degrees in counts of 10⁻⁷, north and east positive, halves away from zero.
        package var degrees: FixedPoint {
            let millionths = packed.mantissa(atDecimals: 6)?.magnitude ?? 0
            let whole = Int64(millionths / 100_000_000)
            let value = whole * 10_000_000 + (Int64(millionths % 100_000_000) + 3) / 6
            return FixedPoint(letter == "S" || letter == "W" ? -value : value, decimals: 7)
        }
    }

    /// Names of lines: bGeigies, Pointcast, and counters that write the same form.
    package static let headers: Set<String> = [
        "BMRDD", "BGRDD", "BNRDD", "BNXRDD", "BZRDD", "PNTDD", "CZRDD",
    ]
    /// Bytes of the longest line, without its end.
    package static let byteLimit = 160
    /// First lines of a log.
    package static let logHead = "# NEW LOG\r\n# format=1.0.0nano\r\n"

    /// One of `headers`.
    package let header: String
    /// 1 to 12 letters and digits; leading zeros count.
    package let device: String
    /// UTC, `2012-09-20T15:13:40Z`, each part within its range.
    package let time: String
    /// Counts of the last minute.
    package let rate: Int
    /// Counts of the last five seconds.
    package let counts: Int
    /// Counts since the counter was switched on.
    package let total: Int
    /// Whether a whole minute has been counted.
    package let isCounting: Bool
    package let latitude: Coordinate
    package let longitude: Coordinate
    /// Metres above the sea.
    package let altitude: FixedPoint
    /// Whether the receiver knows where it is.
    package let hasFix: Bool
    /// Satellites and HDOP × 100, or the other way round, as the firmware wrote them: 0 to 3 items.
    let extras: [String]
    /// Whether its checksum has small letters.
    let hasSmallDigits: Bool

    /// The line without its end.
    package var text: String {
        let items: [String] =
            [
                header, device, time, "\(rate)", "\(counts)", "\(total)", isCounting ? "A" : "V",
                Self.text(latitude), latitude.letter, Self.text(longitude), longitude.letter,
                altitude.description, hasFix ? "A" : "V",
            ] + extras
        let content = items.joined(separator: ",")
        let checksum = content.utf8.reduce(0, ^)
        let digits = String(checksum, radix: 16, uppercase: !hasSmallDigits)
        return "$\(content)*\(checksum < 16 ? "0" : "")\(digits)"
    }

    private static func text(_ coordinate: Coordinate) -> String {
        let packed = coordinate.packed
        let magnitude = FixedPoint(abs(packed.mantissa), decimals: packed.decimals).description
        let length = coordinate.wholeDigits + (packed.decimals > 0 ? packed.decimals + 1 : 0)
        let zeros = String(repeating: "0", count: max(0, length - magnitude.utf8.count))
        return (packed.mantissa < 0 ? "-" : "") + zeros + magnitude
    }
}

// MARK: - Writing

extension BGeigieRecord {
    /// Position of a line's measurement, and the quality of the fix.
    package struct Place: Hashable, Sendable {
        /// −90°…90°, north positive, at most seven decimals.
        package var latitude: FixedPoint
        /// −180°…180°, east positive, at most seven decimals.
        package var longitude: FixedPoint
        /// Metres above the sea.
        package var altitude: FixedPoint
        /// Radius in metres within which the receiver believes to be; nil is written as 0.
        package var accuracy: FixedPoint?

        package init(
            latitude: FixedPoint,
            longitude: FixedPoint,
            altitude: FixedPoint,
            accuracy: FixedPoint? = nil
        ) {
            (self.latitude, self.longitude) = (latitude, longitude)
            (self.altitude, self.accuracy) = (altitude, accuracy)
        }
    }

    /// Satellites that a line names with a fix, where the receiver's own number is not known.
    ///
    /// - Source: `Safecast/Pocketcast-iOS`, README: fixes of a phone are 8 satellites, and HDOP is
    ///   their radius in metres divided by 6.
    package static let satellites = 8

    /// A line of a Nano's log made of a stored sample.
    ///
    /// The counts of five seconds and in all are not stored: they are 0.
    ///
    /// - Parameters:
    ///   - device: The counter's number in the log.
    ///   - wall: When; its fraction of a second is left out.
    ///   - rate: Counts of a minute, ≥ 0.
    ///   - place: Where; its longitude is that of the last fix where there is none now.
    ///   - hasFix: Whether `place` is of this moment.
    package init(
        device: Int,
        at wall: WallTime,
        rate: Int,
        place: Place,
        hasFix: Bool
    ) {
        let radius = hasFix ? place.accuracy?.doubleValue ?? 0 : 0
        // HDOP is a sixth of the radius, and a Nano writes a hundred times HDOP.
        let dilution = Int((min(max(radius, 0), 60_000) * 100 / 6).rounded())
        self.init(
            header: "BNRDD",
            device: "\(device)",
            time: wall.iso8601,
            rate: rate,
            counts: 0,
            total: 0,
            isCounting: true,
            latitude: Self.coordinate(place.latitude, digits: 2, ("N", "S")),
            longitude: Self.coordinate(place.longitude, digits: 3, ("E", "W")),
            altitude: place.altitude,
            hasFix: hasFix,
            extras: [hasFix ? "\(Self.satellites)" : "0", "\(dilution)"],
            hasSmallDigits: false
        )
    }

    /// Degrees as degrees and minutes with four decimals, halves away from zero.
    private static func coordinate(
        _ value: FixedPoint,
        digits: Int,
        _ letters: (String, String)
    ) -> Coordinate {
        let mantissa = value.mantissa(atDecimals: 7) ?? 0
        // Ten-thousandths of a minute: 60 × 10⁴ to the degree.
        let parts = (mantissa.magnitude * 6 + 50) / 100
        let (degrees, rest) = parts.quotientAndRemainder(dividingBy: 600_000)
        return Coordinate(
            packed: FixedPoint(Int64(degrees * 1_000_000 + rest), decimals: 4),
            wholeDigits: digits + 2,
            letter: mantissa < 0 ? letters.1 : letters.0
        )
    }
}

// MARK: - Reading

extension BGeigieRecord {
    /// Reads a line without its end.
    package init(_ line: ArraySlice<UInt8>) throws(Flaw) {
        guard let star = line.firstIndex(of: UInt8(ascii: "*")) else { throw .noChecksum }
        guard line.first == UInt8(ascii: "$") else { throw .notRecord }
        let content = line[(line.startIndex + 1)..<star]
        let rest = line[(star + 1)...]
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
            let checksum = UInt8(digits, radix: 16),
            rest.dropFirst(2).allSatisfy({ $0 == 0x20 || $0 == 0x09 }),
            content.reduce(0, ^) == checksum
        else { throw .checksum }
        let items = content.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard (13...16).contains(items.count),
            Self.headers.contains(String(decoding: items[0], as: UTF8.self))
        else { throw .notRecord }
        try self.init(items, hasSmallDigits: digits.utf8.contains { $0 >= 0x61 })
    }

    private init(_ items: [ArraySlice<UInt8>], hasSmallDigits: Bool) throws(Flaw) {
        guard let device = Self.name(items[1]), let time = Self.time(items[2]) else {
            throw .deviceOrTime
        }
        guard let rate = Self.count(items[3]), let counts = Self.count(items[4]),
            let total = Self.count(items[5]), let isCounting = Self.flag(items[6])
        else { throw .counts }
        guard let latitude = Self.coordinate(items[7], items[8], "NS", limit: 90),
            let longitude = Self.coordinate(items[9], items[10], "EW", limit: 180),
            let altitude = PlainDecimal.read(items[11], decimals: 9),
            let hasFix = Self.flag(items[12])
        else { throw .place }
        self.init(
            header: String(decoding: items[0], as: UTF8.self),
            device: device,
            time: time,
            rate: rate,
            counts: counts,
            total: total,
            isCounting: isCounting,
            latitude: latitude,
            longitude: longitude,
            altitude: altitude,
            hasFix: hasFix,
            extras: items[13...].map { String(decoding: $0, as: UTF8.self) },
            hasSmallDigits: hasSmallDigits
        )
    }

    private static func count(_ text: ArraySlice<UInt8>) -> Int? { PlainDecimal.whole(text) }

    private static func flag(_ text: ArraySlice<UInt8>) -> Bool? {
        switch Array(text) {
        case [UInt8(ascii: "A")]: true
        case [UInt8(ascii: "V")]: false
        default: nil
        }
    }

    private static func name(_ text: ArraySlice<UInt8>) -> String? {
        let isPlain = text.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        guard isPlain, (1...12).contains(text.count) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func time(_ text: ArraySlice<UInt8>) -> String? {
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard text.count == pattern.count else { return nil }
        let bytes = Array(text)
        let hasForm = zip(bytes, pattern).allSatisfy { byte, form in
            form == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == form
        }
        guard hasForm else { return nil }
        func number(_ range: Range<Int>) -> Int { PlainDecimal.whole(bytes[range]) ?? -1 }
        let isTime =
            (1...12).contains(number(5..<7)) && (1...31).contains(number(8..<10))
            && number(11..<13) < 24 && number(14..<16) < 60 && number(17..<19) <= 60
        return isTime ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func coordinate(
        _ text: ArraySlice<UInt8>,
        _ hemisphere: ArraySlice<UInt8>,
        _ letters: String,
        limit: Int64
    ) -> Coordinate? {
        let letter = String(decoding: hemisphere, as: UTF8.self)
        guard letter.count == 1, letters.contains(letter), text.contains(UInt8(ascii: ".")),
            let packed = PlainDecimal.read(text, decimals: 6),
            let millionths = packed.mantissa(atDecimals: 6)?.magnitude, millionths < 1 << 40
        else { return nil }
        let whole = Int64(millionths / 100_000_000)
        let minutes = Int64(millionths % 100_000_000)
        guard minutes < 60_000_000, whole < limit || (whole == limit && minutes == 0) else {
            return nil
        }
        let digits = text.drop { $0 == UInt8(ascii: "-") }.prefix { $0 != UInt8(ascii: ".") }
        return Coordinate(packed: packed, wholeDigits: digits.count, letter: letter)
    }
}
