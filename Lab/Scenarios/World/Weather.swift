import Core
import Devices

/// The air outside: fine dust and humidity, by a seeded generator or from a recorded day.
///
/// Values follow from the time alone, so that the same time gives the same value in any order of
/// calls.
package struct Weather: Sendable {
    package enum Settings: Hashable, Sendable {
        /// Mean fine dust in tenths of µg/m³ and mean humidity in per cent.
        case generated(meanTenths: Int, meanHumidity: Int)
        /// Fine dust in tenths of µg/m³, begun again at its end.
        case recorded([Int], step: Duration)
    }

    private static let hourNanoseconds: Int64 = 3_600_000_000_000

    private let settings: Settings
    private let seed: UInt64

    package init(_ settings: Settings, seed: UInt64) {
        (self.settings, self.seed) = (settings, seed)
    }

    /// Relative humidity in per cent, 20…100.
    package func humidity(at instant: MonotonicInstant) -> Int {
        guard case .generated(_, let mean) = settings else { return 50 }
        return min(100, max(20, mean + wave(at: instant, salt: 1, height: 35)))
    }

    /// PM2.5 as an optical sensor sees it: drops swell in damp air.
    func dustTenths(at instant: MonotonicInstant) -> Int {
        switch settings {
        case .recorded(let values, let step):
            let index = instant.nanoseconds / max(1, step.wholeNanoseconds)
            return values[Int(index % Int64(values.count))]
        case .generated(let mean, _):
            let dry = max(10, mean + wave(at: instant, salt: 2, height: mean * 9 / 10))
            let growth = max(0, humidity(at: instant) - 70)  // Up to 60 % more in fog.
            let noise = Int(mixed(UInt64(instant.nanoseconds / 1_000_000_000), 3) % 7) * 10
            return min(9_000, dry * (100 + growth * 2) / 100 + noise)
        }
    }

    /// Returns a value between those of two hours, on a straight line.
    private func wave(at instant: MonotonicInstant, salt: UInt64, height: Int) -> Int {
        let (hour, rest) = instant.nanoseconds.quotientAndRemainder(
            dividingBy: Self.hourNanoseconds
        )
        func corner(_ hour: Int64) -> Int {
            // A third by the hour, two thirds by the day.
            let day = UInt64(bitPattern: hour / 24)
            let short = Int(mixed(UInt64(bitPattern: hour), salt) % UInt64(2 * height + 1)) - height
            let long = Int(mixed(day, salt + 16) % UInt64(2 * height + 1)) - height
            return (short + 2 * long) / 3
        }
        let (from, to) = (corner(hour), corner(hour + 1))
        return from
            + Int(Int64(to - from) * (rest / 1_000_000) / (Self.hourNanoseconds / 1_000_000))
    }

    private func mixed(_ value: UInt64, _ salt: UInt64) -> UInt64 {
        var dice = SplitMix64(seed: seed ^ value &* 0x9E37_79B9 ^ salt << 56)
        return dice.next()
    }
}

extension Weather {
    /// The air at one SDS011, whose number is the last digit of every value that it gives.
    func air(of number: Int) -> SDS011Air {
        .function { instant in
            let dust = dustTenths(at: instant) / 10 * 10 + number
            let coarse = 20 + dust / 2
            return SDS011Measurement(
                pm25Tenths: UInt16(min(9_980, dust)),
                pm10Tenths: UInt16(min(19_000, dust + coarse))
            )
        }
    }
}
