import HardwareIO
import Profiles
import Readings

/// One kind of sensor on a serial line: what the catalog knows of it.
package struct SensorKind: Sendable {
    /// As profiles name it: `sds011`.
    package let driver: String
    /// How such a sensor talks, as a profile describes it.
    ///
    /// - Throws: `DialectError` when the profile's settings make no sense to it.
    package let dialect: @Sendable (Profile) throws(DialectError) -> any SensorDialect
    /// A part for tests and demos; the same seed gives the same part.
    package let simulator: @Sendable (_ profile: Profile, _ seed: UInt64) -> any SerialPeer

    package init(
        driver: String,
        dialect: @escaping @Sendable (Profile) throws(DialectError) -> any SensorDialect,
        simulator: @escaping @Sendable (Profile, UInt64) -> any SerialPeer
    ) {
        self.driver = driver
        self.dialect = dialect
        self.simulator = simulator
    }
}

/// What is wrong with a driver's settings in a profile.
package struct DialectError: Error, Hashable, Sendable {
    package let problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }
}

/// Every kind of sensor that Roost knows by code; profiles choose among them by `driver`.
package enum DeviceCatalog {
    package static let kinds: [SensorKind] = []

    package static func kind(_ driver: String) -> SensorKind? {
        kinds.first { $0.driver == driver }
    }
}
