import Core
import HardwareIO
import Profiles
import Runtime

/// Driver of one sensor of any kind; its mode can be changed, and it reports its state.
package protocol AnySensorDriver: OrderlyStop, AnyObject {
    /// Changes the mode; a measurement in progress on a duty cycle is given up for it.
    nonisolated func setMode(_ mode: SensorMode)

    var report: SensorReport { get async }
}

/// State of a driver's sensor at one moment.
package struct SensorReport: Hashable, Sendable {
    /// One word for lists: `measuring`, `asleep`, `faulty`, or `starting` before it has spoken.
    package let state: String
    /// Facts to show, in this order.
    package let facts: [Fact]
    package let lastMeasurementAt: MonotonicInstant?
    /// Present phase of the measurement; nil while the next measurement is not scheduled.
    package var progress: SensorProgress?

    package init(state: String, facts: [Fact], lastMeasurementAt: MonotonicInstant?) {
        self.state = state
        self.facts = facts
        self.lastMeasurementAt = lastMeasurementAt
    }
}

/// The part that a driver wants is not on its line, and another is.
package struct AnotherPart: Error, Hashable, CustomStringConvertible {
    package let wanted: String
    package let found: String

    package var description: String { "\(found) is on the line of \(wanted)" }
}

/// Everything that a driver of a sensor is made of.
package struct SensorDependencies: Sendable {
    /// Opens the port anew.
    package typealias Reopen = @Sendable () async throws -> Line

    /// A line that is open, and since when what is behind it has power, as `poweredAt`.
    package struct Line: Sendable {
        package let port: any SerialPort
        package let poweredAt: MonotonicInstant?

        package init(_ port: any SerialPort, poweredAt: MonotonicInstant?) {
            (self.port, self.poweredAt) = (port, poweredAt)
        }
    }

    /// The device's name, for channels and events.
    let name: String
    /// The open line; the driver closes it at its end.
    let port: any SerialPort
    let environment: DriverEnvironment
    let profile: Profile
    let mode: SensorMode
    /// How long fan, laser or heater run in `live` before a value counts.
    ///
    /// The profile's, until the configuration says another; a duty cycle has its own.
    package var warmUp: Duration
    /// From power to the first value that counts, in every mode; at least the warm-up.
    package var preheat: Duration
    /// When the part got power, at the latest: its adapter was seen, or the machine started.
    ///
    /// nil when that is not known: a part that runs then is warm.
    package var poweredAt: MonotonicInstant?
    /// The part's own id, which must be the one that speaks; nil takes whichever is on the line.
    package var id: String?
    /// Whether another part on the line ends the driver with `AnotherPart`, so that its own takes
    /// over: detection finds out which.
    package var yieldsToAnother = false
    /// Opens the port anew, as a remedy; nil skips that remedy.
    package var reopen: Reopen?

    package init(
        name: String,
        port: any SerialPort,
        environment: DriverEnvironment,
        profile: Profile,
        mode: SensorMode? = nil
    ) {
        self.name = name
        self.port = port
        self.environment = environment
        self.profile = profile
        self.mode = mode ?? .dutyCycle(profile.dutyCycle)
        warmUp = profile.dutyCycle.warmUp
        preheat = profile.preheat
    }
}

extension Profile {
    /// How the part shares its time by default.
    ///
    /// Without a word about it in the profile, 5 s of every 5 min. A thirtieth of the period of
    /// tolerance saves wake-ups, and no chart shows it.
    package var dutyCycle: DutyCycle {
        let period = duty?.period ?? .minutes(5)
        return DutyCycle(
            period: period,
            warmUp: duty?.warmUp ?? .zero,
            window: duty?.window ?? .seconds(5),
            tolerance: period / 30
        )
    }

    /// From power to the first value that counts: at least the warm-up, which begins at a wake.
    package var preheat: Duration { max(duty?.preheat ?? .zero, dutyCycle.warmUp) }

    /// Returns the indices of the part's quantities that the profile wants.
    ///
    /// All of them, unless the profile names channels and the part measures some of those.
    package func shown(of quantities: [Quantity]) -> [Int] {
        let names = Set(channels.map(\.quantity.name))
        let wanted = quantities.indices.filter { names.contains(quantities[$0].name) }
        return wanted.isEmpty ? Array(quantities.indices) : wanted
    }
}
