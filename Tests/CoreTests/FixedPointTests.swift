import Core
import Testing

@Suite struct FixedPointTests {
    @Test(arguments: [
        (FixedPoint(123, decimals: 1), "12.3"), (FixedPoint(5, decimals: 3), "0.005"),
        (FixedPoint(-5, decimals: 1), "-0.5"), (FixedPoint(-1_234, decimals: 2), "-12.34"),
        (FixedPoint(7, decimals: 0), "7"), (FixedPoint(0, decimals: 2), "0.00"),
        (FixedPoint(.min, decimals: 9), "-9223372036.854775808"),
        (FixedPoint(.max, decimals: 0), "9223372036854775807"),
    ])
    func isWrittenWithAllItsDigits(value: FixedPoint, text: String) {
        #expect(value.description == text)
    }

    @Test func equalNumbersAreEqualAndHashAlikeAtAnyResolution() {
        let values = [
            FixedPoint(12, decimals: 0), FixedPoint(120, decimals: 1),
            FixedPoint(12_000, decimals: 3),
        ]
        #expect(Set(values).count == 1)
        #expect(FixedPoint(0, decimals: 0) == FixedPoint(0, decimals: 9))
        #expect(FixedPoint(12, decimals: 0) != FixedPoint(12, decimals: 1))
    }

    @Test func theMantissaAtAnotherResolutionIsExactOrNil() {
        let value = FixedPoint(1_230, decimals: 2)
        #expect(value.mantissa(atDecimals: 1) == 123)
        #expect(value.mantissa(atDecimals: 0) == nil)
        #expect(value.mantissa(atDecimals: 4) == 123_000)
        #expect(FixedPoint(.max, decimals: 0).mantissa(atDecimals: 1) == nil)
    }

    @Test func orderAgreesWithTheExactNumbers() {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<2_000 {
            let left = FixedPoint(
                Int64.random(in: -999...999, using: &generator),
                decimals: Int.random(in: 0...4, using: &generator)
            )
            let right = FixedPoint(
                Int64.random(in: -999...999, using: &generator),
                decimals: Int.random(in: 0...4, using: &generator)
            )
            let (a, b) = (left.mantissa(atDecimals: 4), right.mantissa(atDecimals: 4))
            #expect(a != nil && b != nil)
            #expect((left < right) == ((a ?? 0) < (b ?? 0)), "\(left) \(right)")
            #expect((left == right) == (a == b), "\(left) \(right)")
        }
    }

    @Test func literalsKeepTheirDigits() {
        let dust: FixedPoint = 12.3
        #expect((dust.mantissa, dust.decimals) == (123, 1))
        let negative: FixedPoint = -0.125
        #expect((negative.mantissa, negative.decimals) == (-125, 3))
        let whole: FixedPoint = 40
        #expect((whole.mantissa, whole.decimals) == (40, 0))
        let tiny: FixedPoint = 0.000_000_001
        #expect((tiny.mantissa, tiny.decimals) == (1, 9))
    }

    @Test func aWholeRangeOfTenthsSurvivesTheLiteral() {
        for tenths in Int64(0)...9_999 {
            let value = FixedPoint(floatLiteral: Double(tenths) / 10)
            #expect(value == FixedPoint(tenths, decimals: 1))
        }
    }
}
