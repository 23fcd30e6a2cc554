import Devices
import FoundationEssentials
import HardwareIO
import Profiles
import Readings

/// What `roost.json` says: which devices there are and how the station behaves.
///
/// Every key is described in README. Durations are in seconds and their keys say so.
package struct StationConfiguration: Hashable, Sendable {
    /// Devices of one station; more is a mistake in the file.
    package static let deviceLimit = 32
    package static let defaultSocket = "/run/roost/roost.sock"
    /// Names that parts of the station have already.
    package static let reservedNames = [
        "control", "detection", "devices", "hotplug", "lights", "mode", "store", "supervisor",
        "vigil",
    ]
    /// Bytes of a socket's path: the kernel takes 107, and a moment of making it takes 12.
    package static let socketByteLimit = 95

    /// 1…64 letters, digits, `-`, `_` and `.`; names the lock as well.
    package let name: String
    package let mode: StationMode.Kind
    package let socket: String
    package private(set) var devices: [DeviceConfiguration]
    package let lights: LightsConfiguration?
    package let watchdog: WatchdogConfiguration?
    package let store: StoreConfiguration?
    /// Whether sensors behind serial adapters are found by themselves.
    package let detects: Bool
    /// Paths that detection leaves alone, besides the configured ports.
    package let leaves: [String]
}

/// One sensor: its name is its identity in readings and reports.
package struct DeviceConfiguration: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case sensor(SensorConfiguration)
        case pir(PIRConfiguration)
    }

    package let name: String
    package let kind: Kind
}

package struct PIRConfiguration: Hashable, Sendable {
    /// Label of the chip; nil takes the first that has the line.
    package let chip: String?
    package let line: LineRequest.Line
    /// 0…600 s after the start in which movement is not believed; 60 unless told.
    package let settle: Duration
    /// 0…600 s after a movement ends before the next one counts; 5 unless told.
    package let block: Duration
}

package struct LightsConfiguration: Hashable, Sendable {
    package enum Output: Hashable, Sendable {
        /// Three lines of one chip: red, yellow, green.
        case lines(chip: String?, [LineRequest.Line], isActiveLow: Bool)
        /// A file, FIFO or terminal that gets one letter per change.
        case letters(path: String)
    }

    package let output: Output
    /// The sensor that decides; nil is the first dust sensor.
    package let follows: String?
}

package struct WatchdogConfiguration: Hashable, Sendable {
    package let path: String
    /// 2…15 s: a Pi's hardware takes no more.
    package let timeout: Duration
}

extension StationConfiguration {
    /// 1…64 letters, digits, `-`, `_` and `.`: such a name may stand in file names and queries.
    static func isPlainName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Reads a configuration and reports every mistake in it at once.
    ///
    /// - Parameters:
    ///   - text: The file's bytes, at most 1 MiB.
    ///   - file: Its name, for the message.
    ///   - profiles: What a device's `type` may name, by id or by driver; the first counts.
    /// - Returns: A configuration in which every value is within its range.
    /// - Throws: `ConfigurationError` that names file, place and reason of each problem.
    package static func read(
        _ text: [UInt8],
        file: String,
        profiles: [Profile] = ProfileCatalog.shipped.profiles
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
        do {
            root = try JSONDecoder().decode(JSONValue.self, from: Data(text))
        } catch {
            problems.add("", "not JSON: \(JSONFault.words(for: error, in: text))")
            throw failure()
        }
        let configuration = ObjectReader(root, at: "", problems).map { reader in
            StationConfiguration(reader, profiles, problems)
        }
        guard let configuration, problems.problems.isEmpty else { throw failure() }
        return configuration
    }

    private init(_ reader: ObjectReader, _ profiles: [Profile], _ problems: ProblemList) {
        var reader = reader
        name = reader.name("name") ?? "roost"
        let modes = [StationMode.Kind.months, .live].map(\.rawValue)
        mode = reader.string("mode", in: modes).flatMap(StationMode.Kind.init) ?? .months
        socket = reader.absolutePath("socket", limit: Self.socketByteLimit) ?? Self.defaultSocket
        devices = reader.array("devices", limit: Self.deviceLimit).enumerated().compactMap {
            entry in
            ObjectReader(entry.element, at: "devices[\(entry.offset)]", problems)
                .flatMap { DeviceConfiguration($0, profiles) }
        }
        lights = reader.object("lights").flatMap { LightsConfiguration($0) }
        watchdog = reader.object("watchdog").map { WatchdogConfiguration($0) }
        store = reader.object("store").map { StoreConfiguration($0) }
        (detects, leaves) = reader.detection()
        reader.finish()
        checkTogether(problems)
    }

    /// The same with more devices behind those it names.
    func adding(_ more: [DeviceConfiguration]) -> StationConfiguration {
        var next = self
        next.devices += more
        return next
    }

    /// Finds what is right alone and wrong together: names, ports and lines used twice.
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
            case .pir(let sensor):
                let place = "devices[\(index)].line"
                let key = "\(sensor.line) of \(sensor.chip ?? "")"
                if let first = lines.updateValue(place, forKey: key) {
                    problems.add(place, "is \(first) too")
                }
            }
        }
        guard let lights else { return }
        if case .lines(let chip, let used, _) = lights.output {
            for (key, line) in zip(["red", "yellow", "green"], used) {
                let place = "\(line) of \(chip ?? "")"
                if let first = lines.updateValue("lights.\(key)", forKey: place) {
                    problems.add("lights.\(key)", "is \(first) too")
                }
            }
        }
        if let follows = lights.follows, names[follows] == nil {
            problems.add("lights.follows", "no device is named \(follows)")
        }
    }
}

extension DeviceConfiguration {
    fileprivate init?(_ reader: ObjectReader, _ profiles: [Profile]) {
        var reader = reader
        defer { reader.finish() }
        let isNamed = reader.value("name") != nil
        if !isNamed { reader.problem("name", "is missing") }
        let name = reader.name("name")
        if let name, StationConfiguration.reservedNames.contains(name) {
            reader.problem("name", "\(name) is the name of a part of the station; choose another")
        }
        guard let type = reader.required("type") else { return nil }
        let kind: Kind?
        if type == "pir" {
            kind = PIRConfiguration(&reader).map(Kind.pir)
        } else if let profile = profiles.first(where: { $0.isNamed(type) }) {
            kind = SensorConfiguration(&reader, type: type, profile: profile).map(Kind.sensor)
        } else {
            let serial = profiles.filter { $0.kind == .usbSerial }.map(\.id)
            let known = (serial + ["pir"]).sorted().joined(separator: ", ")
            reader.problem("type", "expected one of \(known), found \"\(type)\"")
            reader.ignoreTheRest()
            kind = nil
        }
        guard let name, let kind else { return nil }
        self.init(name: name, kind: kind)
    }
}

extension PIRConfiguration {
    fileprivate init?(_ reader: inout ObjectReader) {
        chip = reader.string("chip")
        let line = reader.line("line")
        settle = reader.seconds("settleSeconds", in: 0...600) ?? .seconds(60)
        block = reader.seconds("blockSeconds", in: 0...600) ?? .seconds(5)
        guard let line else {
            if reader.value("line") == nil { reader.problem("line", "is missing") }
            return nil
        }
        self.line = line
    }
}

extension LightsConfiguration {
    fileprivate init?(_ reader: ObjectReader) {
        var reader = reader
        defer { reader.finish() }
        follows = reader.string("follows")
        if let path = reader.absolutePath("output") {
            output = .letters(path: path)
            return
        }
        // The traffic-light board's pins, as it plugs on; they are SPI0's too.
        let defaults = [("red", "GPIO9"), ("yellow", "GPIO10"), ("green", "GPIO11")]
        output = .lines(
            chip: reader.string("chip"),
            defaults.map { key, name in reader.line(key) ?? .name(name) },
            isActiveLow: reader.bool("activeLow") ?? false
        )
    }
}

extension WatchdogConfiguration {
    fileprivate init(_ reader: ObjectReader) {
        var reader = reader
        path = reader.absolutePath("path") ?? "/dev/watchdog"
        timeout = reader.seconds("timeoutSeconds", in: 2...15) ?? .seconds(15)
        reader.finish()
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

    /// A path from the root: what it means must not depend on where somebody stood.
    mutating func absolutePath(_ key: String, limit: Int = 4_096) -> String? {
        guard let path = string(key) else { return nil }
        guard path.hasPrefix("/"), path.utf8.count <= limit, !path.utf8.contains(0) else {
            problem(key, "expected an absolute path of at most \(limit) bytes, found \"\(path)\"")
            return nil
        }
        return path
    }

    /// A name that may stand in file names and queries.
    fileprivate mutating func name(_ key: String) -> String? {
        guard let text = string(key) else { return nil }
        guard StationConfiguration.isPlainName(text) else {
            problem(key, "expected 1 to 64 letters, digits, - _ or ., found \"\(text.prefix(36))\"")
            return nil
        }
        return text
    }

    /// A line by name (`"GPIO17"`) or by offset (`17`).
    fileprivate mutating func line(_ key: String) -> LineRequest.Line? {
        guard let found = value(key) else { return nil }
        switch found {
        case .string(let name) where !name.isEmpty: return .name(name)
        case .number(let offset) where offset == offset.rounded() && (0...1_023).contains(offset):
            return .offset(Int(offset))
        default:
            problem(key, "expected a line's name or its offset 0…1023, found \(found.shown)")
            return nil
        }
    }
}

extension Profile {
    /// Whether a device's `type` means it: by its id or by its driver's name.
    fileprivate func isNamed(_ type: String) -> Bool {
        kind == .usbSerial && (id == type || driver == type)
    }
}
