import Core
import Testing

@testable import Profiles

@Suite struct GraphNumberTests {
    @Test(arguments: [
        (7, 2, 4), (-7, 2, -4), (5, 4, 1), (-5, 4, -1), (6, 4, 2), (0, 3, 0), (1, 3, 0), (2, 3, 1),
    ])
    func roundsHalvesAwayFromZero(numerator: Int, denominator: Int, expected: Int) {
        #expect(GraphNumber.quotient(Int128(numerator), Int128(denominator)) == Int128(expected))
    }

    @Test(
        arguments: [
            (0.48756, 487_560_000_000_000_000), (-2, -2_000_000_000_000_000_000), (1e-18, 1),
            (0, 0),
            (3.1e-12, 3_100_000), (1e9, 1_000_000_000_000_000_000_000_000_000),
        ] as [(Double, Int128)]
    )
    func readsWhatWasWritten(number: Double, expected: Int128) {
        #expect(GraphNumber.constant(number) == expected)
    }

    @Test(arguments: [1e-19, 1.000_000_001e9, -1e300, Double.nan, .infinity, 1.5e-18])
    func refusesWhatItCannotKeep(number: Double) {
        #expect(GraphNumber.constant(number) == nil)
    }

    /// Against Python's decimal with fifty digits.
    @Test(
        arguments: [
            (50, 8_600_680_000, 11_879_470_080_339_760),
            (95, 8_600_680_000, 2_966_658_720_700_004_704),
            (30, 5_834_110_000, 4_105_136_614_438_231),
            (1, 8_600_680_000, 29),
            (99, 64_000_000_000, 2_423_885_972_856_180_819),
            (50, 1_000_000_000, 2_305_843_009_213_693_952),
        ] as [(Int128, Int64, Int128)]
    )
    func raisesToPowers(hundredths: Int128, exponent: Int64, expected: Int128) {
        let base = GraphNumber.quotient(hundredths << 62, 100)
        let found = GraphPower.power(base, exponent)
        let bound = (expected.magnitude * UInt128(exponent / 1_000_000_000 + 8)) >> 60
        #expect((found - expected).magnitude <= max(bound, 1), "\(found - expected)")
    }

    @Test func endsOfThePowerAreExact() {
        #expect(GraphPower.power(GraphPower.one, 8_600_680_000) == GraphPower.one)
        #expect(GraphPower.power(0, 8_600_680_000) == 0)
        #expect(GraphPower.power(GraphPower.one / 3, 0) == GraphPower.one)
        #expect(GraphPower.power(1, 64 * GraphNumber.one) == 0)
    }
}
