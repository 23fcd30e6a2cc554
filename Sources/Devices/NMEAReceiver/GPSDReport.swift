import Core
import Profiles

/// Reads the time of a fix from gpsd's JSON; gpsd knows the GPS week better than a receiver.
///
/// - Source: gpsd_json(5), TPV: `mode` 2 and 3 are fixes, `time` is ISO 8601 in UTC.
enum GPSDReport {
    /// Bytes of one that is read; those of gpsd 3.25 have some 600.
    static let byteLimit = 1_024

    private static let start = Array(#"{"class":"TPV""#.utf8)

    /// Returns the time of a fix; nil for any other line and for years outside 1980 to 2099.
    static func time(_ line: ArraySlice<UInt8>) -> WallTime? {
        guard line.starts(with: start),
            case .object(let fields)? = try? JSONParser.parse(Array(line)),
            case .number(let mode)? = fields["mode"], mode >= 2,
            case .string(let text)? = fields["time"]
        else { return nil }
        return wall(Array(text.utf8))
    }

    /// Parses `2026-11-28T07:45:53.000Z`.
    static func wall(_ text: [UInt8]) -> WallTime? {
        guard (20...30).contains(text.count), text.last == UInt8(ascii: "Z"),
            String(decoding: [4, 7, 10, 13, 16].map { text[$0] }, as: UTF8.self) == "--T::",
            let year = PlainDecimal.whole(text[0..<4]), (1_980...2_099).contains(year),
            let month = PlainDecimal.whole(text[5..<7]), let day = PlainDecimal.whole(text[8..<10])
        else { return nil }
        let clock = text[11..<13] + text[14..<16] + text[17...].dropLast()
        return NMEASentence.wall(CivilDate.days(year: year, month: month, day: day), clock[...])
    }
}
