import Core
import Testing

@testable import Store

@Suite struct ImportTimeTests {
    @Test func ascTimeIsReadAsItIsWritten() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let seconds = Int.random(in: -9_000_000_000..<9_000_000_000, using: &random)
            let offset = Int.random(in: -50_400...50_400, using: &random)
            let wall = WallTime(seconds: seconds)
            let text = AscTime.text(wall, utcOffset: offset)
            #expect(AscTime.parse(text, utcOffset: offset) == wall)
        }
    }

    @Test(arguments: [
        (0, "Thu Jan  1 00:00:00 1970"), (-1, "Wed Dec 31 23:59:59 1969"),
        (951_782_399, "Mon Feb 28 23:59:59 2000"), (1_700_000_000, "Tue Nov 14 22:13:20 2023"),
        (4_107_542_400, "Mon Mar  1 00:00:00 2100"),
    ])
    func ascTimeWritesAsPython(seconds: Int, text: String) {
        #expect(AscTime.text(WallTime(seconds: seconds)) == text)
    }

    @Test(arguments: [
        "", "Tue Nov 14 22:13:20", "Mon Nov 14 22:13:20 2023", "Tue Nov 31 22:13:20 2023",
        "Tue Nov 14 24:00:00 2023", "Tue Nov 14 22:13:60 2023", "Tue Nov 14 22:13:20 23",
        "tue Nov 14 22:13:20 2023", "Tue Nov 14 22:13:20 2023 UTC", "Tue Nov +4 22:13:20 2023",
        "Thu Feb 29 00:00:00 2023", "Tue Nov 14 22:13:20 9999", "Tue Nov 14 2:13:20 2023",
    ])
    func whatIsNoAscTimeIsNone(text: String) {
        #expect(AscTime.parse(text) == nil)
    }

    @Test func iso8601IsReadAsItIsWritten() {
        var random = SplitMix64(seed: 2)
        for _ in 0..<20_000 {
            let tenths = Int64.random(in: -90_000_000_000..<90_000_000_000, using: &random)
            let wall = WallTime(tenths: tenths)
            #expect(wall.tenths == tenths)
            #expect(WallTime(iso8601: wall.iso8601Tenths) == wall)
        }
    }

    @Test(arguments: [
        ("2017-09-02T00:00:49", 1_504_310_449_000_000_000),
        ("2017-09-02 00:00:49", 1_504_310_449_000_000_000),
        ("2017-09-02T00:00:49Z", 1_504_310_449_000_000_000),
        ("2017-09-02T02:00:49+02:00", 1_504_310_449_000_000_000),
        ("2017-09-01T20:30:49-0330", 1_504_310_449_000_000_000),
        ("2017-09-02T01:00:49.25+01", 1_504_310_449_250_000_000),
        ("2017-09-02T00:00:49.123456789123", 1_504_310_449_123_456_789),
        ("1969-12-31T23:59:59.9Z", -100_000_000),
    ])
    func formsOfISO8601(text: String, nanoseconds: Int64) {
        #expect(WallTime(iso8601: text)?.nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "2017-09-02", "2017-09-02T00:00", "2017-13-02T00:00:49", "2017-02-29T00:00:49",
        "2017-09-02T00:00:49.", "2017-09-02T00:00:49.Z", "2017-09-02T00:00:49+", "2017-9-2T0:0:49",
        "2017-09-02T00:00:49+99:00", "2017-09-02T00:00:49 UTC", "2017-09-02X00:00:49",
        "+017-09-02T00:00:49", "2017-09-02T00:00:49+1:000", "9999-09-02T00:00:49",
    ])
    func whatIsNoISO8601IsNone(text: String) {
        #expect(WallTime(iso8601: text) == nil)
    }

    @Test(arguments: [
        ("2.37", 237, 2), ("-0.5", -5, 1), ("12.0", 120, 1), ("7", 7, 0), ("1e-05", 1, 5),
        ("1.5e+3", 15_000, 1), (".5", 5, 1), ("5.", 5, 0), ("7.710000000000001", 7_710_000_000, 9),
        ("0.30000000000000004", 300_000_000, 9), ("0.0000000005", 1, 9), ("+3", 3, 0),
        ("1e-30", 0, 9), ("000000000000000000000.1", 1, 1),
    ])
    func decimalsAreReadExactly(text: String, mantissa: Int64, decimals: Int) {
        #expect(FixedPoint(decimal: text) == FixedPoint(mantissa, decimals: decimals))
    }

    @Test(arguments: [
        "", ".", "-", "e5", "1e", "nan", "inf", "1,5", " 1", "1.2.3", "0x10", "1e999", "١",
        "9999999999999999999", "1e18", "--1",
    ])
    func whatIsNoDecimalIsNone(text: String) {
        #expect(FixedPoint(decimal: text) == nil)
    }

    @Test(arguments: 0..<20)
    func noTextTrapsAParser(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("0123456789.:-+eETZ TueNov")
        var read = 0
        for _ in 0..<2_000 {
            var text = Array(
                ["2017-09-02T00:00:49.5+02:00", "Tue Nov 14 22:13:20 2023", "-12.5e+02"]
                    .randomElement(using: &random) ?? ""
            )
            for _ in 0..<Int.random(in: 0...4, using: &random) where !text.isEmpty {
                let place = text.indices.randomElement(using: &random) ?? 0
                text[place] = alphabet.randomElement(using: &random) ?? "0"
            }
            read += WallTime(iso8601: String(text)) != nil ? 1 : 0
            read += AscTime.parse(String(text)) != nil ? 1 : 0
            read += FixedPoint(decimal: String(text)) != nil ? 1 : 0
        }
        #expect(read > 300)
    }
}
