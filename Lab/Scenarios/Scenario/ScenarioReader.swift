import Core
import Devices
import Profiles

extension Scenario {
    /// Bytes of one file; a longer one is refused unread.
    package static let byteLimit = 256 << 10

    /// Reads a scenario and reports every mistake in it at once.
    ///
    /// - Parameters:
    ///   - text: The file's bytes.
    ///   - file: Its name, for messages; without folder and ending, the scenario's own.
    /// - Returns: A scenario in which every value is within its range.
    /// - Throws: `ConfigurationError` with all problems.
    package static func read(
        _ text: [UInt8],
        file: String
    ) throws(ConfigurationError) -> Scenario {
        guard text.count <= byteLimit else {
            throw ConfigurationError(file: file, message: "larger than 256 KiB")
        }
        let root: JSONValue
        do throws(JSONParser.Fault) { root = try JSONParser.parse(text) } catch {
            let reason = JSONParser.text(for: error, in: text)
            throw ConfigurationError(file: file, message: "not JSON: \(reason)")
        }
        let problems = ProblemList()
        let last = file.split(separator: "/").last.map(String.init) ?? file
        let name = last.hasSuffix(".json") ? String(last.dropLast(5)) : last
        let scenario = ObjectReader(root, at: "", problems).map {
            Scenario($0, name: name, problems)
        }
        guard let scenario, problems.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
        return scenario
    }

    private init(_ reader: ObjectReader, name: String, _ problems: ProblemList) {
        var reader = reader
        defer { reader.finish() }
        _ = reader.string("$schema")
        self.name = name
        about = reader.required("about") ?? ""
        let parts = reader.objects("parts", limit: Self.partMax, problems).map(Part.init)
        self.parts = parts
        for (index, part) in parts.enumerated()
        where parts.prefix(index).contains(where: { $0.name == part.name }) {
            problems.add("parts[\(index)].name", "is the name of another part too")
        }
        for (index, part) in parts.enumerated()
        where parts.prefix(index).contains(where: { $0.socket == part.socket }) {
            problems.add("parts[\(index)].socket", "is the socket of another part too")
        }
        httpDevices = reader.objects("httpDevices", limit: Self.httpDeviceMax, problems).map(
            HTTPDevice.init
        )
        let httpDevices = httpDevices
        for (index, device) in httpDevices.enumerated()
        where parts.contains(where: { $0.name == device.name })
            || httpDevices.prefix(index).contains(where: { $0.name == device.name })
        {
            problems.add("httpDevices[\(index)].name", "is the name of another part or device too")
        }
        motion = reader.texts("motion", limit: 4)
        motionPerDay = reader.number("motionPerDay", in: 0...1_000) ?? 20
        weather =
            reader.object("weather").map { Weather.Settings($0) }
            ?? .generated(meanTenths: 120, meanHumidity: 60)
        habits = reader.objects("habits", limit: 16, problems).compactMap(Habit.init)
        let names = parts.map(\.name) + httpDevices.map(\.name)
        troubles = reader.objects("faults", limit: 256, problems).compactMap {
            Trouble($0, parts: names)
        }
        hasLamps = reader.bool("lamps") ?? true
        hasWatchdog = reader.bool("watchdog") ?? true
        hasBattery = reader.bool("battery") ?? false
        hasCourier = reader.bool("courier") ?? false
        hasCamera = reader.bool("camera") ?? false
        if hasCamera, motion.isEmpty {
            problems.add("camera", "takes pictures of motions: name the line of a motion sensor")
        }
        lossWindow = reader.time("lossWindow", in: .seconds(10)...(.hours(1))) ?? .minutes(10)
        megabytes = Int(reader.number("megabytes", in: 4...64) ?? 8)
        streamPlaces = reader.number("streams", in: 4...2_048).map { Int($0) }
        journalBlocks = Int(reader.number("journalBlocks", in: 64...65_536) ?? 512)
        quiet = reader.time("quiet", in: .hours(1)...(.days(10))) ?? .hours(3)
    }
}

extension Scenario.Part {
    fileprivate init(_ reader: ObjectReader) {
        var reader = reader
        defer { reader.finish() }
        name = reader.required("name") ?? ""
        let usable = ProfileCatalog.shipped.profiles
            .filter { [.usbSerial, .bus].contains($0.kind) }.map(\.id)
        if reader.value("profile") == nil { reader.problem("profile", "is missing") }
        profile = reader.string("profile", in: usable) ?? ""
        let limit = Double(Scenario.socketMax)
        if reader.value("socket") == nil { reader.problem("socket", "is missing") }
        socket = Int(reader.number("socket", in: 1...limit) ?? 1)
        serial = reader.string("serial")
        failsAfter = reader.time("failsAfter", in: .hours(1)...(.days(3_650)))
        weeksWrong = Int(reader.number("weeksWrong", in: -1_024...1_024) ?? 0)
    }
}

extension Scenario.HTTPDevice {
    fileprivate init(_ reader: ObjectReader) {
        var reader = reader
        defer { reader.finish() }
        name = reader.required("name") ?? ""
        let usable = ProfileCatalog.shipped.profiles.filter { $0.kind == .http }.map(\.id)
        if reader.value("profile") == nil { reader.problem("profile", "is missing") }
        profile = reader.string("profile", in: usable) ?? ""
        host = reader.required("host") ?? ""
        interval = reader.time("interval", in: .seconds(1)...(.hours(1))) ?? .minutes(5)
    }
}

extension Scenario.Habit {
    fileprivate init?(_ reader: ObjectReader) {
        var reader = reader
        defer { reader.finish() }
        let all = Scenario.Act.allCases.map(\.rawValue)
        let act = reader.string("act", in: all).flatMap(Scenario.Act.init)
        if reader.value("act") == nil { reader.problem("act", "is missing") }
        perDay = reader.number("perDay", in: 0.001...1_000) ?? 1
        length = reader.time("for", in: .seconds(10)...(.days(1))) ?? .minutes(10)
        guard let act else { return nil }
        self.act = act
    }
}

extension Scenario.Trouble {
    /// Name for every kind of fault.
    private static let every = "*"

    fileprivate init?(_ reader: ObjectReader, parts: [String]) {
        var reader = reader
        defer { reader.finish() }
        if reader.value("kind") == nil { reader.problem("kind", "is missing") }
        let known = FaultKind.all.map(\.rawValue) + [Self.every]
        let word = reader.string("kind", in: known)
        at = reader.time("at", in: .seconds(1)...(.days(3_650)))
        let rate = reader.number("perDay", in: 0.000_1...10_000)
        if (rate == nil) == (at == nil) { reader.problem("at", "either at or perDay") }
        perDay = rate ?? 0
        let shortest = reader.time("for", in: .milliseconds(100)...(.days(365)))
        let longest = reader.time("upTo", in: .milliseconds(100)...(.days(365)))
        if let shortest, let longest, longest < shortest {
            reader.problem("upTo", "is shorter than for")
        }
        length = shortest.map { $0...max($0, longest ?? $0) }
        part = reader.string("part", in: parts)
        guard let word else { return nil }
        kind = FaultKind(rawValue: word)
    }
}

extension Weather.Settings {
    fileprivate init(_ reader: ObjectReader) {
        var reader = reader
        defer { reader.finish() }
        let recorded = reader.array("recorded", limit: 100_000).compactMap { value -> Int? in
            guard case .number(let number) = value, (0...9_000).contains(number) else { return nil }
            return Int(number)
        }
        let step = reader.time("step", in: .seconds(1)...(.days(1))) ?? .minutes(5)
        let mean = reader.number("meanTenths", in: 10...5_000) ?? 120
        let humidity = reader.number("meanHumidity", in: 20...100) ?? 60
        self =
            recorded.isEmpty
            ? .generated(meanTenths: Int(mean), meanHumidity: Int(humidity))
            : .recorded(recorded, step: step)
    }
}

extension ObjectReader {
    fileprivate mutating func objects(
        _ key: String,
        limit: Int,
        _ problems: ProblemList
    ) -> [ObjectReader] {
        let place = path(key)
        return array(key, limit: limit).enumerated().compactMap { index, value in
            ObjectReader(value, at: "\(place)[\(index)]", problems)
        }
    }

    fileprivate mutating func texts(_ key: String, limit: Int) -> [String] {
        array(key, limit: limit).compactMap { value in
            if case .string(let text) = value { return text }
            problem(key, "expected texts, found \(value.shown)")
            return nil
        }
    }

    /// `90s`, `15m`, `2h`, `30d`.
    fileprivate mutating func time(_ key: String, in range: ClosedRange<Duration>) -> Duration? {
        guard let text = string(key) else { return nil }
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()),
            number.isFinite, number >= 0, number < 1e9
        else {
            problem(key, "expected a time such as 90s, 15m, 2h or 30d, found \"\(text)\"")
            return nil
        }
        let found = Duration.milliseconds(Int64((number * unit * 1_000).rounded()))
        guard range.contains(found) else {
            let (low, high) = (range.lowerBound.inSeconds, range.upperBound.inSeconds)
            problem(key, "expected \(Int(low)) to \(Int(high)) s, found \(text)")
            return nil
        }
        return found
    }
}
