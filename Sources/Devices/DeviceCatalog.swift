import Core
import HardwareIO
import Profiles

/// Catalog entry of one kind of sensor on a serial line, or on what stands in for one.
package struct SensorKind: Sendable {
    /// As profiles name it: `sds011`.
    package let driver: String
    /// How such a sensor talks, as a profile describes it.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense to it.
    package let dialect: @Sendable (Profile) throws(DialectError) -> any SensorDialect
    /// A part for tests and demos, powered at boot; the same seed gives the same part.
    package let simulator:
        @Sendable (Profile, _ seed: UInt64) throws(DialectError) -> any SerialPeer

    package init(
        driver: String,
        dialect: @escaping @Sendable (Profile) throws(DialectError) -> any SensorDialect,
        simulator: @escaping @Sendable (Profile, UInt64) throws(DialectError) -> any SerialPeer
    ) {
        self.driver = driver
        self.dialect = dialect
        self.simulator = simulator
    }

    /// The driver that runs such a sensor.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense to it.
    package func makeDriver(_ setup: SensorDependencies) throws(DialectError) -> any AnySensorDriver
    {
        SensorDriver(setup, speaking: try dialect(setup.profile))
    }
}

/// Every kind of sensor that Roost knows by code; profiles choose among them by `driver`.
package enum DeviceCatalog {
    package static let kinds: [SensorKind] = [
        .sds011, .plantower, .hpma115, .mhz19b, .sps30, .bGeigieNano, .nmea, .line, .kernelSensor,
        .i2cSensor,
    ]

    package static func kind(_ driver: String) -> SensorKind? {
        kinds.first { $0.driver == driver }
    }
}

extension SensorKind {
    package static let sds011 = SensorKind(
        driver: "sds011",
        dialect: { _ throws(DialectError) in SDS011Dialect() },
        simulator: { _, seed throws(DialectError) in SDS011Simulator(air: .drifting(seed: seed)) }
    )
    package static let plantower = SensorKind(
        driver: "plantower",
        dialect: { profile throws(DialectError) in
            PlantowerDialect(try PlantowerVariant.named(in: profile))
        },
        simulator: { profile, seed throws(DialectError) in
            PlantowerSimulator(try PlantowerVariant.named(in: profile) ?? .pms5003, seed: seed)
        }
    )
    package static let hpma115 = SensorKind(
        driver: "hpma115",
        dialect: { _ throws(DialectError) in HPMA115Dialect() },
        simulator: { _, seed throws(DialectError) in HPMA115Simulator(seed: seed) }
    )
    package static let mhz19b = SensorKind(
        driver: "mhz19b",
        dialect: { _ throws(DialectError) in MHZ19BDialect() },
        simulator: { _, seed throws(DialectError) in MHZ19BSimulator(seed: seed) }
    )
    package static let sps30 = SensorKind(
        driver: "sps30",
        dialect: { _ throws(DialectError) in SPS30Dialect() },
        simulator: { _, seed throws(DialectError) in SPS30Simulator(seed: seed) }
    )
    package static let bGeigieNano = SensorKind(
        driver: "bgeigie-nano",
        dialect: { _ throws(DialectError) in BGeigieNanoDialect() },
        simulator: { _, seed throws(DialectError) in BGeigieNanoSimulator(seed: seed) }
    )
    package static let nmea = SensorKind(
        driver: "nmea",
        dialect: { _ throws(DialectError) in NMEAReceiverDialect() },
        simulator: { _, seed throws(DialectError) in NMEAReceiverSimulator(seed: seed) }
    )
    package static let line = SensorKind(
        driver: "line",
        dialect: { profile throws(DialectError) in try LineDeviceDialect(profile) },
        simulator: { profile, seed throws(DialectError) in
            try LineDeviceSimulator(profile, seed: seed)
        }
    )
    package static let kernelSensor = SensorKind(
        driver: "kernel-sensor",
        dialect: { profile throws(DialectError) in try KernelSensorDialect(profile) },
        simulator: { profile, seed throws(DialectError) in
            try KernelSensorSimulator(profile, seed: seed)
        }
    )
    package static let i2cSensor = SensorKind(
        driver: "i2c-sensor",
        dialect: { profile throws(DialectError) in try I2CSensorDialect(profile) },
        simulator: { profile, seed throws(DialectError) in
            try I2CSensorSimulator(profile, seed: seed)
        }
    )
}
