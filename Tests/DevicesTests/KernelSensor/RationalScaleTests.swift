import Testing

@testable import Core
@testable import Devices
@testable import Profiles

@Suite struct RationalScaleTests {
    private func scale(_ json: String) throws -> RationalScale {
        let problems = ProblemList()
        var reader = try #require(
            ObjectReader(JSONParser.parse(Array(json.utf8)), at: "", problems)
        )
        let scale = RationalScale(&reader)
        try #require(problems.problems.isEmpty)
        return scale
    }

    private func number(_ text: String) throws -> ExactDecimal {
        try #require(ExactDecimal(text.utf8))
    }

    /// Sensirion's own example of an SHT31: 0x6666 is 25.0 °C: -45 + 175 · S / 65535.
    @Test func calculatesAsADataSheetDoes() throws {
        let degrees = try scale(#"{"scale": "175/65535", "offset": "-45"}"#)
        let value = degrees.apply(try number("26214"), decimals: 3)
        #expect(value == FixedPoint(25_000, decimals: 3))
        #expect(degrees.apply(try number("0"), decimals: 2) == FixedPoint(-4_500, decimals: 2))
        #expect(degrees.apply(try number("65535"), decimals: 2) == FixedPoint(13_000, decimals: 2))
    }

    @Test func roundsHalvesAwayFromZero() throws {
        let half = try scale(#"{"scale": "1/2"}"#)
        #expect(half.apply(try number("1"), decimals: 0) == 1)
        #expect(half.apply(try number("-1"), decimals: 0) == FixedPoint(-1, decimals: 0))
        #expect(half.apply(try number("-3"), decimals: 1) == FixedPoint(-15, decimals: 1))
        let third = try scale(#"{"scale": "-1/3"}"#)
        #expect(third.apply(try number("2"), decimals: 3) == FixedPoint(-667, decimals: 3))
    }

    @Test func refusesWhatDoesNotFit() throws {
        let large = try scale(#"{"scale": "999999999999999999"}"#)
        #expect(large.apply(try number("999999999999999999"), decimals: 9) == nil)
        #expect(large.apply(try number("999999999999999999"), decimals: 0) == nil)
        #expect(large.apply(try number("9"), decimals: 0) == 8_999_999_999_999_999_991)
    }
}
