import Core
import Testing

@testable import Profiles

@Suite struct GraphArithmeticTests {
    /// Against Python's decimal with fifty digits.
    @Test(
        arguments: [
            (0.5, 860_068, 0.0025759494538161835), (0.95, 860_068, 0.6432915660012022),
            (0.3, 583_411, 0.0008901596071447434), (0.01, 860_068, 6.289845821135482e-18),
            (0.99, 583_411, 0.9430511416369208), (1, 860_068, 1), (0, 860_068, 0), (0.5, 0, 1),
            (0.25, 150_000, 0.125), (1.05, 583_411, 1.3292929504631135),
        ] as [(Double, Int, Double)]
    )
    func raisesToPowers(base: Double, exponent: Int, expected: Double) {
        let found = HumidityFit.power(base, exponent)
        #expect(abs(found - expected) <= expected * 1e-14, "\(found)")
    }

    /// Bits, not digits: another CPU or another library must not change one of them.
    @Test(
        arguments: [(0.7, 860_068, 0x3FA7_D2D8_D3B4_ADD3), (0.85, 583_411, 0x3FD8_CC13_B839_15FA)]
            as [(Double, Int, UInt64)]
    )
    func everyMachineHasTheSameBits(base: Double, exponent: Int, bits: UInt64) {
        #expect(HumidityFit.power(base, exponent).bitPattern == bits)
    }

    @Test(
        arguments: [
            (2.5, 0, 3), (-2.5, 0, -3), (0.15, 1, 2), (0.05, 1, 1), (-0.05, 1, -1),
            (1.005, 2, 101), (0.049_999_999_4, 1, 0), (8.470_399_5, 6, 8_470_400), (9e9, 9, 9e18),
            (-9e9, 9, -9e18), (0, 9, 0),
        ] as [(Double, Int, Double)]
    )
    func roundsHalvesAwayFromZero(value: Double, decimals: Int, expected: Double) {
        #expect(GraphSignal.count(value, decimals) == Int64(expected))
    }

    @Test(arguments: [9.000_001e9, -1e300, .nan, .infinity])
    func whatDoesNotFitIsNoValue(value: Double) {
        #expect(GraphSignal(value, []) == .noData(.outOfRange))
    }
}
