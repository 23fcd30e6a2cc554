import Alerts
import Core
import Devices
import HardwareIO
import Profiles

/// The content of `roost.json`: the devices and the behaviour of the station.
///
/// Every key is described in docs/reference/configuration.md. Durations are in seconds and their
/// keys say so.
package struct StationConfiguration: Hashable, Sendable {
    /// Devices of one station; more is a mistake in the file.
    package static let deviceLimit = 32
    /// Devices compared with each other at most.
    static let sameAirLimit = 8
    package static let defaultSocket = "/run/roost/roost.sock"
    /// Bytes of a socket's path: the kernel allows 107, and the temporary name needs 12.
    static let socketByteLimit = 95

    /// What programs call it: 1…64 letters, digits, `-`, `_` and `.`.
    package let name: String
    /// What people call it: 1…64 characters; nil is `name`.
    package internal(set) var title: String?
    package let mode: StationMode.Kind
    package let socket: String
    package private(set) var devices: [DeviceConfiguration]
    package private(set) var lights: LightsConfiguration?
    package let watchdog: WatchdogConfiguration?
    package let battery: BatteryConfiguration
    package let store: StoreConfiguration?
    /// Folder of the owner's profiles; nil is the standard one.
    package let profileFolder: String?
    /// The profile of the computer it was read for; nil where none was chosen.
    package let board: Profile?
    /// Whether sensors behind serial adapters are found by themselves.
    package let detects: Bool
    /// Paths that detection leaves alone, besides the configured ports.
    package let leaves: [String]
    /// Names of devices in the same air, which are compared with each other; none or at least two.
    package let sameAir: [String]
    /// `claim.window`: whether a new station may be claimed without a code after power-on.
    package let claimsAfterPowerOn: Bool
    /// Rules for alerts.
    package internal(set) var alerts: AlertsConfiguration
    /// Path of the file, for messages.
    package private(set) var file = ""
    /// The file's members, as `ExportedConfiguration` writes them again.
    private(set) var source: [String: JSONValue] = [:]
    /// IANA name of the zone that pages show; nil is the machine's.
    package internal(set) var zone: String?
    /// Where the station stands, for maps; nil where that was not set.
    package internal(set) var position: Position?
    /// The server of the page Map's pictures; nil for none.
    package internal(set) var tiles: TileServer?
    /// Whether the local network is searched for other stations; nil where that was not said.
    package internal(set) var findsStations: Bool?
    /// The limits that lamps and pages go by.
    package internal(set) var levels: LevelRule
    /// Channels that the page Now shows first, and those that it folds away; nil for none.
    package internal(set) var nowFirst: ChannelList?
    package internal(set) var nowHidden: ChannelList?
    /// Addresses outside the local network that the owner allows for devices.
    package let reach: AddressGuard.Reach
    /// The limits until the owner chooses: the file's default.
    package let defaultLevels: LevelRule
    /// Whether the file sets the title, the zone, the position, and so on.
    package let setsTitle: Bool
    package let setsZone: Bool
    package let setsPosition: Bool
    package let setsTiles: Bool
    package let setsStations: Bool
    package let setsLevels: Bool
    package let setsNowFirst: Bool
    package let setsNowHidden: Bool
    /// Devices whose interval the file sets.
    package let fixedIntervals: Set<String>
    /// Keys of the file's `deviceSettings`, by device.
    let fixedSettings: [String: Set<String>]

    // Settings that `deviceSettings` or `OverlaidConfiguration` add.

    /// Devices that the owner added, by name.
    package private(set) var own: Set<String> = []
    /// What people call devices, by their names.
    package internal(set) var titles: [String: String] = [:]
    /// Devices whose values are shown and not kept.
    package internal(set) var unrecorded: Set<String> = []
    /// Intervals that the owner set, by device.
    package internal(set) var intervals: [String: Duration] = [:]
}

extension StationConfiguration {
    /// What `stations` can be, the default first.
    package static let searches = ["off", "find"]

    /// Reads a configuration and reports every mistake in it at once.
    ///
    /// - Parameters:
    ///   - text: The file's bytes, at most 1 MiB.
    ///   - file: Its name, for the message.
    ///   - profiles: Profiles for a device's `type`, by id or by driver; the first counts.
    ///   - broken: Why other profiles are not there, by id.
    ///   - board: The computer: its chip is the default for pins, its watchdog has a limit.
    /// - Returns: A configuration in which every value is within its range.
    /// - Throws: `ConfigurationError` that names file, place and reason of each problem.
    package static func read(
        _ text: [UInt8],
        file: String,
        profiles: [Profile] = ProfileCatalog.shipped.profiles,
        broken: [String: ConfigurationError] = [:],
        board: Profile? = nil
    ) throws(ConfigurationError) -> StationConfiguration {
        let problems = ProblemList()
        func failure() -> ConfigurationError {
            ConfigurationError(file: file, problems: problems.problems)
        }
        guard text.count <= 1 << 20 else {
            problems.add("", "larger than 1 MiB")
            throw failure()
        }
        let root: JSONValue
        do throws(JSONParser.Fault) { root = try JSONParser.parse(text) } catch {
            problems.add("", "not JSON: \(JSONParser.text(for: error, in: text))")
            throw failure()
        }
        var configuration = ObjectReader(root, at: "", problems).map { reader in
            StationConfiguration(reader, (profiles, broken), board, problems)
        }
        configuration?.file = file
        if case .object(let members) = root { configuration?.source = members }
        guard let configuration, problems.problems.isEmpty else { throw failure() }
        return configuration
    }

    /// The folder of profiles that a configuration names; nil when it names none.
    ///
    /// Read before the rest, which depends on those profiles. Errors are reported when the whole
    /// text is read.
    package static func profileFolder(in text: [UInt8]) -> String? {
        guard text.count <= 1 << 20,
            case .object(let fields)? = try? JSONParser.parse(text),
            case .string(let folder)? = fields["profiles"], folder.hasPrefix("/")
        else { return nil }
        return folder
    }

    private init(
        _ reader: ObjectReader,
        _ known: (profiles: [Profile], broken: [String: ConfigurationError]),
        _ board: Profile?,
        _ problems: ProblemList
    ) {
        var reader = reader
        let profiles = known.profiles
        self.board = board
        profileFolder = reader.absolutePath("profiles")
        name = reader.name("name") ?? "roost"
        title = reader.title("title")
        (setsTitle, setsZone) = (reader.has("title"), reader.has("zone"))
        zone = reader.zone("zone")
        (setsPosition, setsTiles) = (reader.has("position"), reader.has("tiles"))
        tiles = reader.tiles("tiles")
        setsStations = reader.has("stations")
        findsStations = reader.stations("stations")
        position = reader.position("position")
        setsLevels = reader.has("levels")
        var defaults = reader.object("defaults")
        defaultLevels = defaults?.levels("levels") ?? .sampleLevels
        defaults?.finish()
        levels = reader.levels("levels") ?? defaultLevels
        (setsNowFirst, setsNowHidden) = (reader.has("nowFirst"), reader.has("nowHidden"))
        (nowFirst, nowHidden) = (reader.channels("nowFirst"), reader.channels("nowHidden"))
        reach = reader.reach()
        let modes = [StationMode.Kind.normal, .live].map(\.rawValue)
        let isOldName = reader.value("mode") == .string(StationMode.oldNameOfNormal)
        let modeName = isOldName ? nil : reader.string("mode", in: modes)
        mode = modeName.flatMap(StationMode.Kind.init(named:)) ?? .normal
        socket = reader.absolutePath("socket", limit: Self.socketByteLimit) ?? Self.defaultSocket
        let entries = reader.array("devices", limit: Self.deviceLimit)
        let settings = reader.deviceSettings(problems)
        fixedIntervals = Self.fixedIntervals(entries).union(settings.intervals.keys)
        fixedSettings = settings.keys
        (titles, unrecorded) = (settings.titles, settings.unrecorded)
        intervals = settings.intervals
        devices = entries.enumerated().compactMap { entry in
            ObjectReader(entry.element, at: "devices[\(entry.offset)]", problems)
                .flatMap { DeviceConfiguration($0, profiles, known.broken, board) }
        }
        let light = profiles.first { $0.driver == "traffic-light" }
        lights = reader.object("lights").flatMap { LightsConfiguration($0, light, board) }
        watchdog = reader.object("watchdog").map { WatchdogConfiguration($0, board) }
        battery = reader.object("battery").map { BatteryConfiguration($0) } ?? .standard
        store = reader.object("store").map { StoreConfiguration($0) }
        (detects, leaves) = reader.detection()
        sameAir = reader.sameAir()
        claimsAfterPowerOn = reader.claimWindow()
        alerts = reader.object("alerts").map { AlertsConfiguration($0, problems) } ?? .standard
        reader.finish()
        useIntervals(problems)
        checkTogether(problems)
    }

    /// Gives devices the intervals of `deviceSettings`.
    private mutating func useIntervals(_ problems: ProblemList) {
        for (name, interval) in intervals.sorted(by: { $0.key < $1.key }) {
            let place = "deviceSettings.\(name).intervalSeconds"
            let range = intervalRange(of: name)
            if !range.contains(interval / .seconds(1)) {
                problems.add(place, "expected a number from \(range) seconds")
            } else if let words = useInterval(of: name) {
                problems.add(place, words)
            }
        }
    }

    /// Names of devices with an interval of their own.
    private static func fixedIntervals(_ entries: [JSONValue]) -> Set<String> {
        let names = entries.compactMap { entry -> String? in
            guard case .object(let fields) = entry, case .string(let name)? = fields["name"],
                fields["intervalSeconds"] != nil || fields["periodSeconds"] != nil
            else { return nil }
            return name
        }
        return Set(names)
    }

    /// Adds a device of the owner.
    mutating func add(own device: DeviceConfiguration) {
        devices.append(device)
        own.insert(device.name)
    }

    /// Uses lamps of the owner.
    mutating func use(own lights: LightsConfiguration) {
        self.lights = lights
        own.insert(LightsConfiguration.name)
    }

    /// Seconds that a device's interval may have.
    func intervalRange(of name: String) -> ClosedRange<Double> {
        let isHTTP = devices.contains { device in
            if device.name == name, case .http = device.kind { true } else { false }
        }
        return isHTTP ? LineFormat.askedInterval : SensorConfiguration.periodRange
    }

    /// Gives a configured device the interval that the owner set.
    ///
    /// - Returns: Why it cannot have it, as words; nil when it can, or is not configured.
    mutating func useInterval(of name: String) -> String? {
        guard let interval = intervals[name],
            let index = devices.firstIndex(where: { $0.name == name })
        else { return nil }
        guard let device = devices[index].every(interval) else {
            return "it measures no values at intervals, or needs longer for one"
        }
        devices[index] = device
        return nil
    }

    /// Copy with more devices after those of the file.
    package func adding(_ more: [DeviceConfiguration]) -> StationConfiguration {
        var next = self
        next.devices += more
        return next
    }

    /// Finds conflicts between devices: names, ports and lines used twice.
    private func checkTogether(_ problems: ProblemList) {
        var names: [String: Int] = [:]
        var ports: [String: Int] = [:]
        var lines: [String: String] = [:]
        for (index, device) in devices.enumerated() {
            if let first = names.updateValue(index, forKey: device.name) {
                problems.add("devices[\(index)].name", "is the name of devices[\(first)] too")
            }
            switch device.kind {
            case .sensor(let sensor):
                if let first = ports.updateValue(index, forKey: sensor.port) {
                    problems.add("devices[\(index)].port", "is the port of devices[\(first)] too")
                }
            case .http(let board):
                let address = board.target.description
                if let first = ports.updateValue(index, forKey: address) {
                    problems.add(
                        "devices[\(index)].address",
                        "is the address of devices[\(first)] too"
                    )
                }
            case .pir, .button, .led:
                let place = "devices[\(index)].line"
                if let first = lines.updateValue(place, forKey: device.location) {
                    problems.add(place, "is \(first) too")
                }
            }
            checkFollowed(by: device, at: "devices[\(index)].follows", problems)
        }
        for (index, name) in sameAir.enumerated() {
            let place = "sameAir[\(index)]"
            if sameAir.prefix(index).contains(name) {
                problems.add(place, "\(name) is there twice")
            }
            guard let device = devices.first(where: { $0.name == name }) else {
                if !detects { problems.add(place, "no device is named \(name)") }
                continue
            }
            if !device.measuresDust, !device.measuresTemperature {
                problems.add(place, "\(name) measures neither pm25 nor temperature")
            }
        }
        guard let lights else { return }
        if case .lines(let chip, let used, _) = lights.output {
            for (key, line) in zip(["red", "yellow", "green"], used) {
                let place = "\(line)" + (chip.map { " of \($0)" } ?? "")
                if let first = lines.updateValue("lights.\(key)", forKey: place) {
                    problems.add("lights.\(key)", "is \(first) too")
                }
            }
        }
        // With detection on it may be the name of a sensor that is found.
        if let follows = lights.follows, names[follows] == nil, !detects {
            problems.add("lights.follows", "no device is named \(follows)")
        }
    }
}

extension StationConfiguration {
    /// Checks that the sensor that a lamp follows exists and has the quantity that it shows.
    private func checkFollowed(
        by device: DeviceConfiguration,
        at place: String,
        _ problems: ProblemList
    ) {
        guard case .led(let lamp) = device.kind, let name = lamp.follows else { return }
        guard let followed = devices.first(where: { $0.name == name }) else {
            // A sensor that is found may have that name one day.
            if detects, lamp.shows == .level { return }
            return problems.add(place, "no device is named \(name)")
        }
        switch lamp.shows {
        case .level where followed.measuresDust, .motion where followed.seesMotion: break
        case .level: problems.add(place, "\(name) measures no pm25, so it has no level")
        case .motion: problems.add(place, "\(name) sees no motion")
        case .station, .camera:
            problems.add(place, "means nothing for shows \(lamp.shows.rawValue)")
        }
    }
}

extension ObjectReader {
    /// `detect`: true, false, or an object with ports to leave alone.
    fileprivate mutating func detection() -> (isOn: Bool, leaves: [String]) {
        if case .object = value("detect") {
            guard var reader = object("detect") else { return (true, []) }
            defer { reader.finish() }
            let paths = reader.array("leave", limit: StationConfiguration.deviceLimit)
            return (
                true,
                paths.enumerated().compactMap { index, path in
                    if case .string(let text) = path, text.hasPrefix("/") { return text }
                    reader.problem("leave[\(index)]", "expected a path, found \(path.shown)")
                    return nil
                }
            )
        }
        return (bool("detect") ?? true, [])
    }

    /// `claim`: an object with the switch `window`.
    fileprivate mutating func claimWindow() -> Bool {
        guard var reader = object("claim") else { return false }
        defer { reader.finish() }
        return reader.bool("window") ?? false
    }

    /// `sameAir`: two names or more.
    fileprivate mutating func sameAir() -> [String] {
        let names = array("sameAir", limit: StationConfiguration.sameAirLimit)
        if names.count == 1 { problem("sameAir", "expected two names or more, found one") }
        return names.enumerated().compactMap { index, name in
            if case .string(let text) = name { return text }
            problem("sameAir[\(index)]", "expected a device's name, found \(name.shown)")
            return nil
        }
    }
}
