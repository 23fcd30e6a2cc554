import Core
import Testing

@testable import Profiles

@Suite struct DewPointTests {
    /// Against Python's decimal with fifty digits.
    @Test(
        arguments: [
            (0.5, -0.6931471805599453), (0.84, -0.17435338714477774), (0.01, -4.605170185988092),
            (0.75, -0.2876820724517809), (1, 0), (0.999, -0.0010005003335835335),
            (1.5, 0.4054651081081644), (10, 2.302585092994046),
        ] as [(Double, Double)]
    )
    func takesLogarithms(number: Double, expected: Double) {
        #expect(abs(DewPoint.logarithm(number) - expected) <= abs(expected) * 1e-15, "\(number)")
    }

    /// Bits, not digits: another CPU or another library must not change one of them.
    @Test(arguments: [(0.5, 0xBFE6_2E42_FEFA_39EF), (0.84, 0xBFC6_5136_37DD_E829)])
    func everyMachineHasTheSameBits(number: Double, bits: UInt64) {
        let found = DewPoint.logarithm(number).bitPattern
        #expect(found == bits, "\(String(found, radix: 16, uppercase: true))")
    }

    /// By the formula of the WMO's guide, annex 4.B, with fifty digits.
    @Test(
        arguments: [
            (20, 50, 9.25517), (25, 84.25, 22.15448), (25.08, 46.33, 12.75461),
            (-10, 80, -12.79689), (60, 100, 60), (30, 105, 30), (0, 1, -50.37572),
        ] as [(Double, Double, Double)]
    )
    func coolsToTheDewPoint(temperature: Double, humidity: Double, expected: Double) throws {
        let found = try #require(DewPoint.celsius(temperature: temperature, humidity: humidity))
        #expect(abs(found - expected) < 5e-6, "\(found)")
    }

    @Test(arguments: [(60.01, 50), (-45.01, 50), (20, 0.99), (20, 0)] as [(Double, Double)])
    func doesNotHoldOutsideOfItsRange(temperature: Double, humidity: Double) {
        #expect(DewPoint.celsius(temperature: temperature, humidity: humidity) == nil)
    }

    @Test func isWarmerWhereTheAirIsMoister() {
        var last = -1_000.0
        for percent in 1...100 {
            let found = DewPoint.celsius(temperature: 20, humidity: Double(percent)) ?? .nan
            #expect(found > last && found <= 20 + 1e-12)
            last = found
        }
    }
}
