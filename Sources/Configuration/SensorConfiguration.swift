import Core
import Devices
import HardwareIO
import Profiles
import Runtime

/// One sensor on a serial line, of any kind that there is a driver for.
package struct SensorConfiguration: Hashable, Sendable {
    /// As in the configuration: a profile's id or a driver's name.
    package let type: String
    package let profile: Profile
    /// Path of the tty: `/dev/ttyUSB0` or a stable link.
    package let port: String
    /// The id that the part must report; nil accepts any part.
    package let id: String?
    /// 60…86 400 s between samples in `normal`; the default is the profile's.
    package private(set) var period: Duration
    /// 0…600 s of fan, laser or heater before a value counts; the default is the profile's.
    package let warmUp: Duration
    /// Time from power to the first valid value: the profile's, or the configured warm-up.
    package let preheat: Duration
    /// 1…60 s of values that one sample is made of; the default is the profile's.
    package let window: Duration
    /// Its quantities, in the order of its measurements.
    package let quantities: [Quantity]
    /// From one sample to the next in `live`.
    package let liveInterval: Duration
    /// How its measurements arrive when they come several at a time.
    package let burst: SensorBurst?
    /// The rate at which it was found; nil is the profile's first.
    package private(set) var baud: Int?
}

extension SensorConfiguration {
    /// Baud of its line.
    package var rate: Int { baud ?? profile.probe?.bauds.first ?? 9_600 }

    /// From one arrival of samples to the next in `live`.
    var liveArrival: Duration { liveInterval * (burst?.count ?? 1) }

    /// How long its samples are on their way at most: until the burst is whole, and its delay.
    var burstTime: Duration {
        burst.map { liveArrival + $0.delay } ?? .zero
    }

    /// Seconds between samples that a person may ask for.
    static let periodRange = 60.0...86_400

    /// A detected sensor with the period that a person asked for, or else the profile's.
    package func asFound(every period: Duration?) -> SensorConfiguration {
        every(period ?? profile.dutyCycle.period) ?? every(profile.dutyCycle.period) ?? self
    }

    /// Copy with another period; nil when a sample needs longer.
    package func every(_ period: Duration) -> SensorConfiguration? {
        guard warmUp + window <= period else { return nil }
        var sensor = self
        sensor.period = period
        return sensor
    }
}

extension SensorConfiguration {
    /// Configures a detected sensor from its profile; nil when no driver can run it.
    ///
    /// - Parameters:
    ///   - profile: Profile that the probe proved.
    ///   - id: As the part reported it.
    ///   - baud: The rate at which it answered.
    package init?(found profile: Profile, port: String, id: String?, baud: Int?) {
        guard let kind = profile.driver.flatMap(DeviceCatalog.kind),
            let dialect = try? kind.dialect(profile)
        else { return nil }
        let duty = profile.dutyCycle
        (type, self.profile, self.port) = (profile.id, profile, port)
        (self.id, self.baud) = (id, baud)
        (period, warmUp, window) = (duty.period, duty.warmUp, duty.window)
        preheat = profile.preheat
        quantities = profile.shown(of: dialect.quantities).map { dialect.quantities[$0] }
        (liveInterval, burst) = (profile.liveInterval(of: dialect), dialect.burst)
    }
}

extension SensorConfiguration {
    /// Reads the configuration of a sensor.
    ///
    /// - Parameters:
    ///   - profile: The profile of its type.
    init?(_ reader: inout ObjectReader, type: String, profile: Profile) {
        if reader.value("port") == nil { reader.problem("port", "is missing") }
        let port = Self.port(&reader, profile)
        let duty = profile.dutyCycle
        id = reader.string("id")
        period = reader.seconds("periodSeconds", in: Self.periodRange) ?? duty.period
        let wanted = reader.seconds("warmUpSeconds", in: 0...600)
        (warmUp, preheat) = (wanted ?? duty.warmUp, wanted ?? profile.preheat)
        window = reader.seconds("windowSeconds", in: 1...60) ?? duty.window
        if warmUp + window > period {
            reader.problem("periodSeconds", "is shorter than warmUpSeconds and windowSeconds")
        }
        guard let kind = profile.driver.flatMap(DeviceCatalog.kind) else {
            reader.problem("type", "\(type) has no driver for a serial line")
            return nil
        }
        let dialect: any SensorDialect
        do throws(DialectError) {
            dialect = try kind.dialect(profile)
        } catch {
            for problem in error.problems { reader.problem("type", "\(type): \(problem)") }
            return nil
        }
        guard let port else { return nil }
        (self.type, self.profile, self.port) = (type, profile, port)
        quantities = profile.shown(of: dialect.quantities).map { dialect.quantities[$0] }
        (liveInterval, burst) = (profile.liveInterval(of: dialect), dialect.burst)
    }

    /// The path of a serial port; for a receiver of positions the address of a gpsd, too.
    private static func port(_ reader: inout ObjectReader, _ profile: Profile) -> String? {
        if profile.kind == .bus { return busPort(&reader) }
        guard case .string(let text)? = reader.value("port"), GPSDAddress.isMeant(by: text) else {
            return reader.absolutePath("port")
        }
        guard profile.driver == SensorKind.nmea.driver else {
            reader.problem("port", "a gpsd gives positions alone: use it with nmea-receiver")
            return nil
        }
        guard GPSDAddress(text) != nil else {
            reader.problem(
                "port",
                "expected gpsd://127.0.0.1:2947, an address of the local network in numbers, found "
                    + "\"\(text)\""
            )
            return nil
        }
        return text
    }

    /// A part's place on a bus, under a name that stays over boots.
    private static func busPort(_ reader: inout ObjectReader) -> String? {
        guard let path = reader.absolutePath("port") else { return nil }
        guard BusPlace(path) != nil, !path.contains("iio:device"), !path.contains("/hwmon") else {
            reader.problem(
                "port",
                "expected a place such as /sys/bus/i2c/devices/1-0076, /sys/bus/w1/devices/28-… or "
                    + "/dev/i2c-1@0x62, found \"\(path)\""
            )
            return nil
        }
        return path
    }

    /// How the sensor spends its time in a mode of the station.
    package func sensorMode(in mode: StationMode) -> SensorMode {
        if mode.isContinuous { return .live }
        // A tolerance of a thirtieth of the period saves wake-ups and does not show.
        let cycle = DutyCycle(
            period: period,
            warmUp: warmUp,
            window: window,
            tolerance: period / 30
        )
        return .dutyCycle(cycle)
    }
}

extension Profile {
    /// From one sample to the next in `live`.
    fileprivate func liveInterval(of dialect: any SensorDialect) -> Duration {
        switch dialect.rhythm {
        case .streams(let every): every
        case .answers(let least): max(least, duty?.liveInterval ?? .seconds(1))
        }
    }
}
