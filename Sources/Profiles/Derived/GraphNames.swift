import Core

/// Names that the inputs of a graph's nodes may have.
struct GraphNames {
    /// Inputs from other devices that a graph may name; more are refused.
    static let externalLimit = 16

    /// Channels of the station with a fixed unit.
    private static let stationUnits = ["humidity": "%", "temperature": "°C", "pressure": "Pa"]

    let channels: [Quantity]
    private let problems: ProblemList
    private(set) var externals: [GraphExternal] = []
    private var sources: [String: GraphSource] = [:]
    private var nodes: Set<String> = []

    init(channels: [Quantity], problems: ProblemList) {
        (self.channels, self.problems) = (channels, problems)
        for (index, channel) in channels.enumerated() where sources[channel.name] == nil {
            sources[channel.name] = .channel(index)
        }
    }

    // MARK: Inputs from elsewhere

    mutating func readExternals(_ value: JSONValue?, at place: String) {
        guard let value else { return }
        guard case .object(let fields) = value else {
            return problems.add(place, "expected an object, found \(value.shown)")
        }
        guard fields.count <= Self.externalLimit else {
            return problems.add(place, "expected at most \(Self.externalLimit) inputs")
        }
        // An object has no order of its own.
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let here = "\(place).\(name.prefix(32))"
            guard var reader = ObjectReader(value, at: here, problems) else { continue }
            let external = Self.external(&reader)
            reader.finish()
            guard add(name, .external(externals.count), at: here), let external else { continue }
            externals.append(external)
        }
    }

    private static func external(_ reader: inout ObjectReader) -> GraphExternal? {
        let address = reader.required("from")
        let unit = reader.string("unit")
        let limit = reader.seconds("ageLimitSeconds", in: 1...86_400)
        guard let address else { return nil }
        guard let known = self.unit(ofAddress: address) else {
            let example = "expected station:humidity or garden/humidity"
            reader.problem("from", "\(example), found \"\(address.prefix(36))\"")
            return nil
        }
        guard let name = unit ?? (known.isEmpty ? nil : known) else {
            reader.problem("unit", "is missing; only of station:humidity and the like it is known")
            return nil
        }
        return GraphExternal(
            address,
            unit: name,
            ageLimit: limit ?? GraphExternal.defaultAgeLimit
        )
    }

    /// The unit that an address implies, empty for none; nil when it is no address.
    private static func unit(ofAddress address: String) -> String? {
        let parts = address.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == "/" || $0 == ":" }
        )
        let isPlain = address.utf8.count <= 64 && parts.count == 2
        guard isPlain, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        guard address.contains(":") else { return "" }
        return parts[0] == "station" ? stationUnits[String(parts[1])] ?? "" : nil
    }

    // MARK: Names

    /// Gives a node its name; adds a problem when it cannot be one.
    mutating func add(node name: String, at place: String) {
        if isFree(name, at: place) { nodes.insert(name) }
    }

    private mutating func add(_ name: String, _ source: GraphSource, at place: String) -> Bool {
        guard isFree(name, at: place) else { return false }
        sources[name] = source
        return true
    }

    private func isFree(_ name: String, at place: String) -> Bool {
        let letters = name.utf8.prefix(33)
        let isPlain = letters.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
        }
        guard let first = letters.first, isPlain, letters.count <= 32, first >= 0x61 else {
            let rule = "expected 1 to 32 of a-z, 0-9 and _, beginning with a letter"
            problems.add(place, "\(rule), found \"\(name.prefix(36))\"")
            return false
        }
        let owner: String
        switch sources[name] {
        case .channel?: owner = "a channel"
        case .external?: owner = "an input"
        case nil: owner = nodes.contains(name) ? "a node" : ""
        }
        guard !owner.isEmpty else { return true }
        problems.add(place, "\(name) is the name of \(owner) already; names are unique")
        return false
    }

    /// Finds the source with a name; adds a problem and returns nil when there is none.
    mutating func resolve(_ name: String, at place: String) -> GraphSource? {
        if let source = sources[name] { return source }
        if let unit = Self.unit(ofAddress: name) {
            guard !unit.isEmpty else {
                let advice = "give it a name and a unit under inputs, and use that name here"
                problems.add(place, "the unit of \(name) is not known; \(advice)")
                return nil
            }
            guard externals.count < Self.externalLimit else {
                problems.add(place, "expected at most \(Self.externalLimit) inputs from elsewhere")
                return nil
            }
            sources[name] = .external(externals.count)
            externals.append(GraphExternal(name, unit: unit))
            return sources[name]
        }
        let known = sources.keys.sorted()
        let nearest = Spelling.nearest(to: name, among: known)
        let all = "; known are \(known.prefix(24).joined(separator: ", "))"
        let reason = "nothing is called \"\(name.prefix(36))\"" + (nearest == nil ? all : "")
        problems.add(place, reason, meant: nearest)
        return nil
    }

    /// The unit of a source, as its profile or the graph has it.
    func unit(of source: GraphSource) -> String {
        switch source {
        case .channel(let index): channels[index].unit
        case .external(let index): externals[index].unit
        }
    }

    // MARK: Humidity as a flag

    mutating func readHumid(
        _ value: JSONValue?,
        at place: String
    ) -> GraphDescription.HumidRule? {
        if value == .bool(false) { return nil }
        guard let value else { return defaultHumid() }
        guard var reader = ObjectReader(value, at: place, problems) else { return nil }
        let limit = reader.number("above", in: 20...100)
        let listed = reader.array("channels", limit: 64)
        let named = reader.string("humidity")
        reader.finish()
        guard let rule = defaultHumid(named, at: reader.path("humidity")) else { return nil }
        let places = listed.enumerated().compactMap { index, name -> Int? in
            let here = "\(reader.path("channels"))[\(index)]"
            guard case .string(let name) = name, case .channel(let place)? = sources[name] else {
                let hint = "; known are \(channels.map(\.name).joined(separator: ", "))"
                problems.add(here, "expected a channel, found \(name.shown)\(hint)")
                return nil
            }
            return place
        }
        return GraphDescription.HumidRule(
            humidity: rule.humidity,
            above: limit ?? rule.above,
            channels: listed.isEmpty ? rule.channels : places
        )
    }

    /// Dust is doubted above 70 %, by the device's own humidity or the station's.
    private mutating func defaultHumid(
        _ named: String? = nil,
        at place: String = ""
    ) -> GraphDescription.HumidRule? {
        let doubted = channels.indices.filter {
            GraphOperation.massUnits.contains(channels[$0].unit)
        }
        guard !doubted.isEmpty || named != nil else { return nil }
        let own = channels.firstIndex { $0.name == "humidity" && $0.unit == "%" }
        let source = named ?? (own == nil ? "station:humidity" : "humidity")
        if externals.count >= Self.externalLimit, named == nil, own == nil { return nil }
        guard let humidity = resolve(source, at: place) else { return nil }
        let unit = unit(of: humidity)
        guard unit == "%" else {
            problems.add(place, "expected a humidity in %, found one in \(unit)")
            return nil
        }
        return GraphDescription.HumidRule(
            humidity: humidity,
            above: GraphDescription.HumidRule.defaultLimit,
            channels: doubted
        )
    }
}
