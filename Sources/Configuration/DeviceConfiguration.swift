import Core
import Devices
import HardwareIO
import Profiles

/// One sensor: its name is its identity in readings and reports.
package struct DeviceConfiguration: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case sensor(SensorConfiguration)
        case http(HTTPDeviceConfiguration)
        case pir(PIRSettings)
        case button(ButtonSettings)
        case led(LEDConfiguration)
    }

    package let name: String
    package private(set) var kind: Kind

    package init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }
}

extension DeviceConfiguration {
    /// `sds011`, `pir`: as in the configuration.
    package var type: String {
        switch kind {
        case .sensor(let sensor): sensor.type
        case .http(let device): device.type
        case .pir: "pir"
        case .button: "button"
        case .led: "led"
        }
    }

    package var location: String {
        switch kind {
        case .sensor(let sensor): sensor.port
        case .http(let device): device.target.description
        case .pir(let sensor): Self.place(sensor.line, sensor.chipLabel)
        case .button(let button): Self.place(button.line, button.chipLabel)
        case .led(let lamp): Self.place(lamp.settings.line, lamp.settings.chipLabel)
        }
    }

    private static func place(_ line: LineRequest.Line, _ chip: String?) -> String {
        "\(line)" + (chip.map { " of \($0)" } ?? "")
    }

    package var seesMotion: Bool { if case .pir = kind { true } else { false } }

    /// Whether the lamp may follow it.
    package var measuresDust: Bool { measures(Quantity.pm25.name) }

    var measuresTemperature: Bool { measures("temperature") }

    private func measures(_ quantity: String) -> Bool {
        let quantities =
            switch kind {
            case .sensor(let sensor): sensor.quantities
            case .http(let device): device.quantities
            case .pir, .button, .led: [Quantity]()
            }
        return quantities.contains { $0.name == quantity }
    }

    /// How old a value may be before it is stale, and its lamp unknown.
    ///
    /// One sample may be late by half a period, or in `live` by two arrivals and two seconds,
    /// before it is missed. The newest of a burst is as old as its delay when it arrives.
    package func ageLimit(isContinuous: Bool) -> Duration {
        switch kind {
        case .sensor(let sensor):
            if isContinuous {
                sensor.liveArrival * 3 + (sensor.burst?.delay ?? .zero) + .seconds(2)
            } else {
                sensor.period * 3 / 2 + sensor.burstTime + .seconds(30)
            }
        // An answer may need ten seconds.
        case .http(let device): device.interval * 3 + .seconds(12)
        case .pir, .button, .led: .days(1)
        }
    }

    /// Whether one missed sample is tolerated: the last value is valid until a second is missed.
    package func outlastsMiss(isContinuous: Bool) -> Bool {
        switch kind {
        case .sensor: isContinuous
        case .http: true
        case .pir, .button, .led: false
        }
    }

    /// Time from one sample to the next; nil for a device that sends only events.
    package func sampleInterval(isContinuous: Bool) -> Duration? {
        switch kind {
        case .sensor(let sensor): isContinuous ? sensor.liveInterval : sensor.period
        // Requests do not wear the device, so the mode changes nothing.
        case .http(let device): device.interval
        case .pir, .button, .led: nil
        }
    }

    /// From one arrival of samples to the next at most, when all is well; nil where only events
    /// come.
    ///
    /// The same as `sampleInterval`, except for a part that hands over several at a time.
    package func arrivalInterval(isContinuous: Bool) -> Duration? {
        guard case .sensor(let sensor) = kind else {
            return sampleInterval(isContinuous: isContinuous)
        }
        // In a period the part is heard until a burst of it is whole.
        return isContinuous ? sensor.liveArrival : max(sensor.period, sensor.burstTime)
    }

    /// How long its part has power, or runs, before a value counts.
    package var warmUp: Duration {
        if case .sensor(let sensor) = kind { max(sensor.warmUp, sensor.preheat) } else { .zero }
    }
}

extension DeviceConfiguration {
    /// Copy with another interval; nil when it has none, or needs longer for one sample.
    func every(_ interval: Duration) -> DeviceConfiguration? {
        switch kind {
        case .http(let device):
            DeviceConfiguration(name: name, kind: .http(device.every(interval)))
        case .sensor(let sensor):
            sensor.every(interval).map { DeviceConfiguration(name: name, kind: .sensor($0)) }
        case .pir, .button, .led: nil
        }
    }

    /// Limits an HTTP device to addresses of the local network and `reach`.
    ///
    /// - Returns: False when its address is a number beyond that; true for a device without one.
    mutating func confine(to reach: AddressGuard.Reach) -> Bool {
        guard case .http(let device) = kind else { return true }
        kind = .http(device.confined(to: reach))
        return device.target.address.map { AddressGuard.admits($0, reach) } ?? true
    }

    init?(
        _ reader: ObjectReader,
        _ profiles: [Profile],
        _ broken: [String: ConfigurationError],
        _ board: Profile?
    ) {
        var reader = reader
        defer { reader.finish() }
        let isNamed = reader.value("name") != nil
        if !isNamed { reader.problem("name", "is missing") }
        let name = reader.name("name")
        if let name, PlainName.reserved.contains(name) {
            reader.problem("name", "\(name) is the name of a part of the station; choose another")
        }
        guard let type = reader.required("type") else { return nil }
        guard let profile = profiles.first(where: { $0.isNamed(type) }) else {
            reader.noProfile(type, among: profiles, broken[type])
            reader.ignoreTheRest()
            return nil
        }
        let kind: Kind? =
            switch profile.kind {
            case .usbSerial, .bus:
                SensorConfiguration(&reader, type: type, profile: profile).map(Kind.sensor)
            case .http:
                HTTPDeviceConfiguration(&reader, type: type, profile: profile).map(Kind.http)
            case .gpio, .board: Kind(&reader, role: profile, board)
            }
        guard let name, let kind else { return nil }
        self.init(name: name, kind: kind)
    }
}

extension DeviceConfiguration.Kind {
    /// Reads the configuration of a part on a GPIO line, with the defaults of its profile.
    ///
    /// - Parameters:
    ///   - board: The computer, whose chip is the default.
    init?(_ reader: inout ObjectReader, role profile: Profile, _ board: Profile?) {
        let line = reader.line("line")
        let chip = reader.string("chip") ?? board?.chip(of: line.map { [$0] } ?? [])
        if reader.value("line") == nil { reader.problem("line", "is missing") }
        // Read even without its line: all mistakes are reported at once.
        let place = line ?? .offset(0)
        switch profile.driver {
        case "button":
            var settings = ButtonSettings(line: place, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            settings.read(&reader)
            self = .button(settings)
        case "led":
            var settings = LEDSettings(line: place, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            settings.read(&reader)
            let known = LEDConfiguration.Shows.allCases.map(\.rawValue)
            let shows = reader.string("shows", in: known).flatMap(LEDConfiguration.Shows.init)
            let follows = reader.string("follows")
            self = .led(
                LEDConfiguration(settings: settings, shows: shows ?? .station, follows: follows)
            )
        default:
            var settings = PIRSettings(line: place, chipLabel: chip)
            profile.readSettings { settings.read(&$0) }
            settings.read(&reader)
            self = .pir(settings)
        }
        guard line != nil else { return nil }
    }
}

extension Profile {
    /// Whether a device's `type` means it: by its id or by its driver's name.
    fileprivate func isNamed(_ type: String) -> Bool {
        switch kind {
        case .usbSerial: id == type || driver == type
        case .bus: id == type
        case .http: id == type
        // The lamps of the traffic light are configured under `lights`.
        case .gpio: (id == type || driver == type) && driver != "traffic-light"
        case .board: false
        }
    }
}

extension ObjectReader {
    /// Adds the problem that no profile has a device's `type`: the mistakes of its file, or the
    /// known types.
    fileprivate func noProfile(
        _ type: String,
        among all: [Profile],
        _ error: ConfigurationError?
    ) {
        if let error {
            for mistake in error.problems {
                problem("type", "\(type) is not usable, \(error.file): \(mistake)")
            }
            return
        }
        let kinds: [Profile.Kind] = [.usbSerial, .bus, .http]
        let found = all.filter { kinds.contains($0.kind) }.map(\.id)
        let known = (found + ["button", "led", "pir"]).sorted()
        problem(
            "type",
            "expected one of \(known.joined(separator: ", ")), found \"\(type)\"",
            meant: Spelling.nearest(to: type, among: known)
        )
    }
}
