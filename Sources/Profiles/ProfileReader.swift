import Core
import HardwareIO

/// Reads profiles from JSON and names every mistake of a file at once.
///
/// Nothing of a file with a mistake is used. `profile.schema.json` says the same of a file's form;
/// what goes across places (names against the file's, warm-up against period, settings, graph) only
/// this reader checks.
package struct ProfileReader: Sendable {
    /// The version of the format; a file of a newer one is refused, version 1 is still read.
    package static let schemaVersion = 2
    /// Bytes of one file; a longer one is refused unread.
    package static let byteLimit = 256 << 10

    /// Checks a graph against the raw channels; places are relative to the graph.
    package typealias GraphCheck =
        @Sendable (_ graph: JSONValue, _ channels: [ChannelProfile]) -> [ConfigurationProblem]
    /// Checks what only the driver understands; places are relative to the profile.
    package typealias SettingsCheck = @Sendable (Profile) -> [ConfigurationProblem]

    /// Drivers by name, and the kind of profile that each is for.
    package let drivers: [String: Profile.Kind]
    private let graphProblems: GraphCheck
    private let settingsProblems: SettingsCheck

    /// The drivers that Roost has.
    package static let knownDrivers: [String: Profile.Kind] = [
        "sds011": .usbSerial, "plantower": .usbSerial, "hpma115": .usbSerial,
        "mhz19b": .usbSerial, "sps30": .usbSerial, "bgeigie-nano": .usbSerial,
        "nmea": .usbSerial,
        "line": .usbSerial, "http-line": .http, "pir": .gpio, "traffic-light": .gpio,
        "button": .gpio, "led": .gpio, "kernel-sensor": .bus,
        "i2c-sensor": .bus,
    ]

    package init(
        drivers: [String: Profile.Kind] = Self.knownDrivers,
        settingsProblems: @escaping SettingsCheck = { _ in [] },
        graphProblems: @escaping GraphCheck = { _, _ in [] }
    ) {
        self.drivers = drivers
        self.settingsProblems = settingsProblems
        self.graphProblems = graphProblems
    }

    /// Reads one profile.
    ///
    /// - Parameters:
    ///   - text: The file's bytes.
    ///   - file: Its path; the name must be the id and `.json`.
    /// - Returns: A profile in which every value is within its range.
    /// - Throws: `ConfigurationError` with all problems, in order of their places.
    package func read(_ text: [UInt8], file: String) throws(ConfigurationError) -> Profile {
        guard text.count <= Self.byteLimit else {
            throw ConfigurationError(file: file, message: "larger than 256 KiB")
        }
        let root: JSONValue
        do throws(JSONParser.Fault) { root = try JSONParser.parse(text) } catch {
            let reason = JSONParser.text(for: error, in: text)
            throw ConfigurationError(file: file, message: "not JSON: \(reason)")
        }
        let problems = ProblemList()
        let profile = profile(root, file: file, problems)
        guard let profile, problems.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
        return profile
    }

    private func profile(_ root: JSONValue, file: String, _ problems: ProblemList) -> Profile? {
        guard var reader = ObjectReader(root, at: "", problems) else { return nil }
        // A profile of an unknown version cannot be checked any further.
        guard let version = readableVersion(&reader) else { return nil }
        recordNulls(in: root, at: "", problems)
        _ = reader.text("$schema", limit: 200)
        let id = reader.requiredText("id", limit: 64, .identifier)
        checkFileName(file, id: id, reader)
        let kinds = Profile.Kind.allCases.map(\.rawValue)
        let kindName = reader.required("kind", in: kinds)
        let name = reader.requiredText("name", limit: 80)
        let description = description(&reader, limit: 400, version: version)
        let sources = reader.texts("sources", limit: 16, length: 300)
        // Without a kind nothing else can be said.
        guard let kind = kindName.flatMap(Profile.Kind.init) else { return nil }
        refuseForeignKeys(of: kind, &reader)
        let driver = kind == .board ? nil : driver(&reader, for: kind)
        let (settings, duty) =
            kind == .board ? (.object([:]), nil) : (settings(&reader), duty(&reader))
        let channels = channels(&reader, for: kind, version: version, problems)
        let graph = reader.object("graph") == nil ? nil : reader.value("graph")
        var profile = Profile(
            id: id ?? "",
            kind: kind,
            text: (name ?? "", description ?? "", file),
            detection: detection(&reader, for: kind, problems),
            driver: driver.map { ($0, settings, duty) },
            measures: (channels, graph, kind == .board ? board(&reader, problems) : nil)
        )
        profile.sources = sources
        profile.sensorMatches = sensorMatches(&reader, for: kind, problems)
        if kind == .bus {
            profile.i2c = i2c(&reader, of: profile)
            profile.overlay = reader.text("overlay", limit: 80, .overlay)
        }
        reader.finish()
        // Mistakes in channels would only be reported again by the check of the graph.
        let areChannelsRight = !problems.problems.contains { $0.place.hasPrefix("channels") }
        if let graph, areChannelsRight { check(graph, of: profile, problems) }
        if driver != nil { for problem in settingsProblems(profile) { problems.add(problem) } }
        return profile
    }

    private func readableVersion(_ reader: inout ObjectReader) -> Int? {
        let limit = 1_000_000
        guard let version = reader.requiredWhole("schemaVersion", in: 1...limit) else { return nil }
        guard version <= Self.schemaVersion else {
            reader.problem(
                "schemaVersion",
                "is \(version); this Roost reads 1 to \(Self.schemaVersion): update Roost"
            )
            return nil
        }
        return version
    }

    /// The text for people, which version 1 of the format calls `words`.
    func description(_ reader: inout ObjectReader, limit: Int, version: Int) -> String? {
        let (key, other) = version == 1 ? ("words", "description") : ("description", "words")
        guard !reader.has(other) else {
            reader.problem(other, "is called \(key) in a file of schemaVersion \(version)")
            _ = (reader.value(other), reader.value(key))
            return nil
        }
        return reader.requiredText(key, limit: limit)
    }

    /// Reports each null as a mistake: a key without a value must be left out.
    private func recordNulls(in value: JSONValue, at place: String, _ problems: ProblemList) {
        switch value {
        case .null: problems.add(place, "is null; leave the key out instead")
        case .array(let values):
            for (index, value) in values.enumerated() {
                recordNulls(in: value, at: "\(place)[\(index)]", problems)
            }
        case .object(let fields):
            // Inside these two, the driver and the graph decide.
            for key in fields.keys.sorted() {
                let isOpaque = place.isEmpty && Self.opaqueKeys.contains(key)
                guard !isOpaque || fields[key] == .null else { continue }
                let inner = place.isEmpty ? key : "\(place).\(key)"
                fields[key].map { recordNulls(in: $0, at: inner, problems) }
            }
        case .bool, .number, .string: break
        }
    }

    private static let opaqueKeys: Set = ["graph", "settings"]

    private func checkFileName(_ file: String, id: String?, _ reader: ObjectReader) {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        guard let id, name != "\(id).json" else { return }
        let stem = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
        reader.problem(
            "id",
            "\"\(id)\" differs from the file's name \(name)",
            meant: IdentifierForm.identifier.complaint(stem) == nil ? stem : nil
        )
    }

    /// Adds a problem for each key that has no meaning for this kind.
    private func refuseForeignKeys(of kind: Profile.Kind, _ reader: inout ObjectReader) {
        for (key, kinds) in Self.kindsOfKey where !kinds.contains(kind) {
            guard reader.value(key) != nil else { continue }
            reader.problem(key, "means nothing for kind \(kind.rawValue)")
        }
    }

    /// Keys that only some kinds have; the schema has the same list.
    static let kindsOfKey: [(String, Set<Profile.Kind>)] = [
        ("match", [.usbSerial, .bus]), ("probe", [.usbSerial]), ("rule", [.usbSerial]),
        ("driver", [.usbSerial, .gpio, .http, .bus]),
        ("settings", [.usbSerial, .gpio, .http, .bus]), ("duty", [.usbSerial, .bus]),
        ("channels", [.usbSerial, .gpio, .http, .bus]),
        ("graph", [.usbSerial, .gpio, .http, .bus]), ("board", [.board]),
        ("i2c", [.bus]), ("overlay", [.bus]),
    ]

    private func driver(_ reader: inout ObjectReader, for kind: Profile.Kind) -> String? {
        guard let name = reader.requiredText("driver", limit: 64, .identifier) else { return nil }
        guard let wanted = drivers[name] else {
            let known = drivers.filter { $0.value == kind }.keys.sorted()
            reader.problem(
                "driver",
                "\"\(name)\" is no driver; for kind \(kind.rawValue) there are "
                    + known.joined(separator: ", "),
                meant: Spelling.nearest(to: name, among: drivers.keys.sorted())
            )
            return nil
        }
        guard wanted == kind else {
            reader.problem("driver", "\(name) is for kind \(wanted.rawValue)")
            return nil
        }
        return name
    }

    private func settings(_ reader: inout ObjectReader) -> JSONValue {
        guard let settings = reader.value("settings") else { return .object([:]) }
        _ = reader.object("settings")
        return settings
    }

    private func check(_ graph: JSONValue, of profile: Profile, _ problems: ProblemList) {
        for problem in graphProblems(graph, profile.channels) {
            let separator = problem.place.isEmpty || problem.place.hasPrefix("[") ? "" : "."
            let place =
                problem.place.hasPrefix("graph")
                ? problem.place : "graph" + separator + problem.place
            problems.add(place, problem.message, meant: problem.suggestion)
        }
    }
}
