import Core
import Testing

@testable import Profiles

/// What the shipped profiles derive, against the figures that their sources publish.
@Suite struct ShippedGraphTests {
    /// What comes of one sample of a profile's device.
    ///
    /// - Parameter air: What another device says: a quantity, its unit and its value.
    private static func derived(
        _ id: String,
        _ sample: [(name: String, value: Double)],
        air: (name: String, unit: String, value: Double)? = nil
    ) throws -> [Reading] {
        let profile = try #require(ProfileCatalog().profile(id))
        let quantities = profile.channels.map(\.quantity)
        var runner = GraphRunner(profile.graph(of: quantities), device: "part")
        let now = MonotonicInstant(nanoseconds: 60_000_000_000)
        if let air {
            let quantity = Quantity(name: air.name, unit: air.unit, decimals: 2)
            let channel = Channel(device: "air", quantity: quantity)
            let mantissa = Int64((air.value * 100).rounded())
            runner.remember(Reading(channel, at: now, .value(FixedPoint(mantissa, decimals: 2))))
        }
        let readings = try sample.map { name, value in
            let quantity = try #require(quantities.first { $0.name == name })
            let mantissa = Int64((value * 10).rounded())
            let channel = Channel(device: "part", quantity: quantity)
            return Reading(channel, at: now, .value(FixedPoint(mantissa, decimals: 1)))
        }
        return runner.evaluate(readings)
    }

    private static func shown(_ readings: [Reading]) -> [String] {
        readings.map(GraphFixture.shown)
    }

    /// The factors of the HackAir fit: 1 + 0.48756 h^8.60068 and 1 + 0.81559 h^5.83411.
    @Test(arguments: [
        (0, "100.0", "100.0"), (50, "99.9", "98.6"), (70, "97.8", "90.8"), (80, "93.3", "81.8"),
        (90, "83.5", "69.4"), (95, "76.1", "62.3"),
    ])
    func dustLosesItsWater(humidity: Double, pm25: String, pm10: String) throws {
        let found = try Self.derived(
            "nova-sds011-humidity",
            [("pm25", 100), ("pm10", 100)],
            air: ("humidity", "%", humidity)
        )
        #expect(Self.shown(found) == ["pm25_dry@1=\(pm25)", "pm10_dry@1=\(pm10)"])
    }

    @Test(arguments: [(95.1, "gated"), (105, "gated"), (105.1, "outOfRange"), (-1, "outOfRange")])
    func inFogThereIsNoDryDust(humidity: Double, reason: String) throws {
        let found = try Self.derived(
            "nova-sds011-humidity",
            [("pm25", 100), ("pm10", 100)],
            air: ("humidity", "%", humidity)
        )
        #expect(Self.shown(found) == ["pm25_dry@1=?\(reason)", "pm10_dry@1=?\(reason)"])
    }

    @Test func withoutAHumidityThereIsNoDryDust() throws {
        let found = try Self.derived("nova-sds011-humidity", [("pm25", 100), ("pm10", 100)])
        #expect(Self.shown(found) == ["pm25_dry@1=?stale", "pm10_dry@1=?stale"])
    }

    /// SBM-20: 29 counts per second in 1 mR/h, which is 10 µSv/h; 190 µs dead after each.
    ///
    /// What is counted of n true counts per second is n / (1 + n × 190 µs).
    @Test(arguments: [
        (0, "0.000"), (17, "0.098"), (1_730.5, "10.000"), (16_491.3, "100.000"),
        (68_208.5, "500.000"), (94_736, "777.797"), (94_737, "?gated"), (350_000, "?gated"),
    ])
    func countsBecomeADose(counted: Double, dose: String) throws {
        let found = try Self.derived("mightyohm-geiger", [("cpm", counted)])
        #expect(Self.shown(found) == ["dose_rate@1=\(dose)"])
    }

    /// Vaisala's c × 1013 / p; and Denver at 632 mmHg, where a sensor from the sea says 332 of 400.
    @Test(
        arguments: [
            (1_000, 101_300, "1000"), (400, 85_000, "477"), (332, 84_260, "399"),
            (400, 104_000, "390"), (400, 69_999, "?gated"), (400, 120_001, "?gated"),
            (5_000, 70_000, "7236"),
        ] as [(Double, Double, String)]
    )
    func carbonDioxideIsThatOfThePressure(co2: Double, pascals: Double, shown: String) throws {
        for id in [
            "winsen-mhz19b-pressure", "sensirion-scd30-pressure", "sensirion-scd4x-pressure",
        ] {
            // A BME280 says hPa, others Pa.
            for air in [("pressure", "Pa", pascals), ("pressure", "hPa", pascals / 100)] {
                let found = try Self.derived(id, [("co2", co2)], air: air)
                #expect(Self.shown(found) == ["co2_corrected@1=\(shown)"], "\(id) \(air)")
            }
        }
    }
}
