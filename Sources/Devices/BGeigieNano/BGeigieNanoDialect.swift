import Core
import HardwareIO

/// Safecast's bGeigie: a radiation counter that writes one log line every five seconds.
///
/// `$BNRDD,device,time,cpm,counts,total,A|V,ddmm.mmmm,N|S,dddmm.mmmm,E|W,altitude,A|V,x,y*hh`.
/// The two digits are the exclusive or of everything between `$` and `*`; since two flipped bits
/// can cancel in it, every field is checked as well. A minus before a coordinate is a fault of an
/// old receiver library and is ignored: the hemisphere letter decides.
///
/// - Source: `bidouilles/bGeigieNano`, README; `Safecast/safecastapi:app/models/bgeigie_import.rb`.
package struct BGeigieNanoDialect: SensorDialect {
    package let quantities = [Quantity.countRate, .latitude, .longitude, .altitude]
    package let rhythm = SensorRhythm.streams(every: .seconds(5))
    private var scanner = LineScanner(limit: 160, skipsFirst: false)

    private static let headers: Set<String> = [
        "BMRDD", "BGRDD", "BNRDD", "BNXRDD", "PNTDD", "CZRDD",
    ]

    package init() {}

    /// A line is about 85 bytes and its length is not known before its end.
    package var missingByteCount: Int { 60 }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        scanner.scan(bytes) { line in
            guard let line else { return body(.rejected("a line that is too long")) }
            // Comments and the tail of a line joined in its middle are not its fault.
            guard line.first == UInt8(ascii: "$") else { return }
            switch Self.read(line) {
            case .success(let record): body(.measurement(record.outcomes, id: record.device))
            case .failure(let flaw): body(.rejected(flaw.words))
            }
        }
    }

    package func commands(for act: SensorAct) -> [SensorCommand] { [] }
    package var questions: [SensorCommand] { [] }

    private struct Record {
        let device: String
        let outcomes: [Outcome]
    }

    private struct Flaw: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    private static func read(_ line: ArraySlice<UInt8>) -> Result<Record, Flaw> {
        guard let star = line.firstIndex(of: UInt8(ascii: "*")) else {
            return .failure(Flaw("a line without a checksum"))
        }
        let content = line[(line.startIndex + 1)..<star]
        let rest = line[(star + 1)...]
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, let checksum = UInt8(digits, radix: 16),
            rest.dropFirst(2).allSatisfy({ $0 == 0x20 || $0 == 0x09 }),
            content.reduce(0, ^) == checksum
        else { return .failure(Flaw("checksum")) }
        let items = fields(of: content, at: UInt8(ascii: ","))
        guard (13...16).contains(items.count),
            headers.contains(String(decoding: items[0], as: UTF8.self))
        else { return .failure(Flaw("not a record")) }
        return record(of: items)
    }

    private static func record(of items: [ArraySlice<UInt8>]) -> Result<Record, Flaw> {
        guard let device = name(items[1]), isTime(items[2]) else {
            return .failure(Flaw("device or time"))
        }
        guard let rate = PlainDecimal.whole(items[3]), PlainDecimal.whole(items[4]) != nil,
            PlainDecimal.whole(items[5]) != nil, let isCounting = flag(items[6])
        else { return .failure(Flaw("counts")) }
        guard let latitude = degrees(items[7], items[8], ("N", "S"), limit: 90),
            let longitude = degrees(items[9], items[10], ("E", "W"), limit: 180),
            let altitude = PlainDecimal.read(items[11], decimals: 9), let hasFix = flag(items[12])
        else { return .failure(Flaw("place")) }
        let counts = Outcome.value(FixedPoint(Int64(rate), decimals: 0))
        let place = [latitude, longitude, altitude].map {
            hasFix ? Outcome.value($0) : .noData(.noFix)
        }
        return .success(
            Record(
                device: device,
                // Void until the first whole minute has been counted.
                outcomes: [isCounting ? counts : .noData(.warmingUp)] + place
            )
        )
    }

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

    /// `2012-09-20T15:13:40Z` with every part in its range.
    private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard text.count == pattern.count else { return false }
        let bytes = Array(text)
        let hasForm = zip(bytes, pattern).allSatisfy { byte, form in
            form == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == form
        }
        guard hasForm else { return false }
        func number(_ range: Range<Int>) -> Int { PlainDecimal.whole(bytes[range]) ?? -1 }
        return (1...12).contains(number(5..<7)) && (1...31).contains(number(8..<10))
            && number(11..<13) < 24 && number(14..<16) < 60 && number(17..<19) <= 60
    }

    /// Degrees of `dddmm.mmmm` and a hemisphere, rounded to 1e-7, halves away from zero.
    private static func degrees(
        _ text: ArraySlice<UInt8>,
        _ hemisphere: ArraySlice<UInt8>,
        _ letters: (positive: String, negative: String),
        limit: Int64
    ) -> FixedPoint? {
        let letter = String(decoding: hemisphere, as: UTF8.self)
        guard letter == letters.positive || letter == letters.negative,
            let packed = PlainDecimal.read(text, decimals: 6), text.contains(UInt8(ascii: "."))
        else { return nil }
        guard let millionths = packed.mantissa(atDecimals: 6)?.magnitude, millionths < 1 << 40
        else { return nil }
        let whole = Int64(millionths / 100_000_000)
        let minutes = Int64(millionths % 100_000_000)  // In millionths of a minute.
        guard minutes < 60_000_000, whole < limit || (whole == limit && minutes == 0) else {
            return nil
        }
        let value = whole * 10_000_000 + (minutes + 3) / 6
        return FixedPoint(letter == letters.negative ? -value : value, decimals: 7)
    }
}
