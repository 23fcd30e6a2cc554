import ControlProtocol
import Core
import HardwareIO
import Profiles

/// Parsed `courier.json`: where samples go, whom notices reach, and what is fetched.
package struct CourierConfiguration: Sendable {
    /// Where the configuration is, unless a command says otherwise.
    package static let standardPath = "/etc/roost/courier.json"
    /// Entries of targets and receivers together, and of feeds.
    package static let entryLimit = 16
    /// Bytes of the file that are read at most.
    package static let byteLimit = 256 << 10

    /// The file's members, as `ExportedEntries` writes them again.
    let source: [String: JSONValue]
    package let network: NetworkSettings
    package internal(set) var targets: [TargetEntry]
    package internal(set) var receivers: [ReceiverEntry]
    package let feeds: [FeedEntry]
    package let stations: StationsEntry
    /// Streams that no target gets, as patterns of `device/quantity`.
    package let left: [String]

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - presets: The services that receivers may name.
    /// - Throws: `ConfigurationError` with all mistakes at once.
    package init(
        _ bytes: [UInt8],
        file: String,
        presets: PresetCatalog = .shipped
    ) throws(ConfigurationError) {
        guard bytes.count <= Self.byteLimit else {
            throw ConfigurationError(
                file: file,
                message: "is larger than \(Self.byteLimit >> 10) KiB: it is no configuration"
            )
        }
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch {
            throw ConfigurationError(file: file, message: JSONParser.text(for: error, in: bytes))
        }
        let problems = ProblemList()
        guard var root = ObjectReader(value, at: "", problems) else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
        if case .object(let members) = value { source = members } else { source = [:] }
        network = NetworkSettings(root.object("network"))
        var targets: [TargetEntry] = []
        let known = Self.receiverTypes(presets)
        for (index, value) in root.array("targets", limit: Self.entryLimit).enumerated() {
            let place = "targets[\(index)]"
            let entry = TargetEntry(value, at: place, receivers: known, problems)
            if let entry { targets.append(entry) }
        }
        var receivers: [ReceiverEntry] = []
        for (index, value) in root.array("receivers", limit: Self.entryLimit).enumerated() {
            let place = "receivers[\(index)]"
            if let entry = ReceiverEntry(value, at: place, presets, problems) {
                receivers.append(entry)
            }
        }
        var feeds: [FeedEntry] = []
        for (index, value) in root.array("feeds", limit: Self.entryLimit).enumerated() {
            let place = "feeds[\(index)]"
            if let entry = FeedEntry(value, at: place, problems) { feeds.append(entry) }
        }
        (self.targets, self.receivers, self.feeds) = (targets, receivers, feeds)
        stations = StationsEntry(root.object("stations"))
        left = Self.left(root.object("leave"), problems)
        let ids = targets.map(\.id) + receivers.map(\.id)
        let all = ids + feeds.map(\.id)
        for id in Set(all).sorted() where all.count(where: { $0 == id }) > 1 {
            problems.add("", "the id \(id) is there twice: each entry has its own")
        }
        if ids.count > Self.entryLimit {
            problems.add("", "\(ids.count) targets and receivers; \(Self.entryLimit) are the limit")
        }
        root.finish()
        guard problems.problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems.problems)
        }
    }

    /// Types of receivers that are no types of targets.
    static func receiverTypes(_ presets: PresetCatalog) -> Set<String> {
        Set(ReceiverKinds.names(presets)).subtracting(TargetKind.allCases.map(\.rawValue))
    }

    /// Whether an option names a secret whose value was given on the page or by a command.
    package static func isOwnSecret(_ value: JSONValue) -> Bool {
        guard case .object(let fields) = value, case .string(let name)? = fields["secret"] else {
            return false
        }
        return name.hasPrefix(CourierOverlay.secretPrefix)
    }

    /// Names of all secrets in the configuration.
    package var secrets: [SecretName] {
        Set(
            targets.flatMap(\.secrets) + receivers.flatMap(\.secrets) + feeds.flatMap(\.secrets)
        )
        .sorted { $0.text < $1.text }
    }

    /// Paths of all files of certificate authorities, each with its place in the configuration.
    package var authorityFiles: [(place: String, path: String)] {
        let all: [(String, ServerTrust)] =
            targets.enumerated().map { ("targets[\($0)].trust", $1.common.trust) }
            + receivers.enumerated().map { ("receivers[\($0)].trust", $1.common.trust) }
            + feeds.enumerated().map { ("feeds[\($0)].trust", $1.trust) }
        return all.compactMap { place, trust in
            if case .authority(let path) = trust { (place, path) } else { nil }
        }
    }

    private static func left(_ reader: ObjectReader?, _ problems: ProblemList) -> [String] {
        guard var reader else { return [] }
        var patterns: [String] = []
        for (index, value) in reader.array("channels", limit: 64).enumerated() {
            let place = "\(reader.path("channels"))[\(index)]"
            if case .string(let text) = value, (1...200).contains(text.utf8.count) {
                if !StreamChoice.isPattern(text) { problems.add(place, StreamChoice.advice(text)) }
                patterns.append(text)
            } else {
                problems.add(place, "expected a pattern like \"door/*\", found \(value.shown)")
            }
        }
        reader.finish()
        return patterns
    }
}

/// How the courier uses the network.
package struct NetworkSettings: Hashable, Sendable {
    /// Whether a connection that is paid by volume carries data.
    package enum Metered: String, Hashable, Sendable, CaseIterable {
        /// Follows NetworkManager; without it, no connection counts as metered.
        case auto
        case yes
        case no
    }

    package let metered: Metered
    /// The proxy's URL, such as `http://proxy.example:3128`; nil for none.
    package let proxy: String?
    /// URL of the dashboard for links in notices; nil means the one that the station announces.
    package let address: String?

    init(_ reader: ObjectReader?) {
        guard var reader else {
            (metered, proxy, address) = (.auto, nil, nil)
            return
        }
        address = reader.string("address").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        if let address, !address.hasPrefix("http://"), !address.hasPrefix("https://") {
            reader.problem("address", "expected an address like https://air.example.org")
        }
        let words = reader.string("metered", in: Metered.allCases.map(\.rawValue))
        metered = words.flatMap(Metered.init) ?? .auto
        proxy = reader.string("proxy")
        if let proxy, !proxy.hasPrefix("http://") {
            reader.problem("proxy", "expected an address like http://proxy.example:3128")
        }
        reader.finish()
    }
}

extension CourierConfiguration {
    /// Whether a target, receiver or feed has this id.
    func hasEntry(_ id: String) -> Bool { entries.contains { $0.id == id } }

    /// Adds an entry of the owner.
    ///
    /// - Throws: `ControlFailure` that names the field as `/entry/url` or `/secrets/token`.
    mutating func add(
        _ id: String,
        _ overlay: CourierOverlay,
        _ presets: PresetCatalog
    ) throws(ControlFailure) {
        guard let own = overlay.entries[id], let value = overlay.value(of: id) else { return }
        guard !hasEntry(id) else {
            throw ControlFailure(
                code: .conflict,
                message: "courier.json has an entry of this id, which counts",
                pointer: "/id"
            )
        }
        guard targets.count + receivers.count < Self.entryLimit else {
            throw ControlFailure(
                code: .conflict,
                message: "there are \(Self.entryLimit) targets and receivers already; remove one"
            )
        }
        let problems = ProblemList()
        switch own.section {
        case .targets:
            let known = Self.receiverTypes(presets)
            if let entry = TargetEntry(value, at: "", receivers: known, problems) {
                targets.append(entry)
            }
        case .receivers:
            if let entry = ReceiverEntry(value, at: "", presets, problems) {
                receivers.append(entry)
            }
        }
        guard let first = problems.problems.first else { return }
        let key = first.place.split(separator: ".").first.map(String.init) ?? ""
        let place = first.place.split { $0 == "." || $0 == "[" || $0 == "]" }
            .joined(separator: "/")
        let hint = first.suggestion.map { "; did you mean \($0)?" } ?? ""
        let list = overlay.secrets[id]?[key] == nil ? "entry" : "secrets"
        throw ControlFailure(
            code: .badRequest,
            message: (key.isEmpty ? "" : "\(first.place): ") + first.message + hint,
            pointer: first.place == "id" ? "/id" : "/\(list)" + (place.isEmpty ? "" : "/\(place)")
        )
    }
}
