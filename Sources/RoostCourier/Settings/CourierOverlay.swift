import ControlProtocol
import HardwareIO
import Profiles

/// Targets and receivers that the owner added while the courier ran, with their secrets.
///
/// One file of the courier's own folder, readable by its user only:
///
///     {"receivers": {"phone": {"type": "ntfy", "topic": "balcony"}},
///      "secrets": {"influx": {"token": "…"}},
///      "targets": {"influx": {"type": "influx2", "url": "…", "org": "home", "bucket": "air"}}}
///
/// Secrets stand beside their entries, so that a change is one replacement of one file: never an
/// entry without its secret. Nothing that is shown is made of `secrets`.
struct CourierOverlay: Sendable {
    static let name = "settings.json"
    /// The content before the last change.
    static let last = "settings.json.last"
    /// A file that could not be read, for people to look at.
    static let damaged = "settings.json.damaged"
    static let byteLimit = 256 << 10
    /// Names of these secrets begin so; the administrator's have other names.
    static let secretPrefix = "page."

    /// One entry as the owner gave it, without its id and secrets.
    struct Entry: Hashable, Sendable {
        let section: EntrySection
        let fields: [String: JSONValue]

        /// Its type as JSON, such as `"influx2"`.
        var type: String { fields["type"]?.text ?? "null" }
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var secrets: [String: [String: Secret]] = [:]

    init() {}

    /// Reads a file's content; options are checked where they are used.
    ///
    /// - Throws: `ConfigurationError` for what is no such file.
    init(_ bytes: [UInt8]) throws(ConfigurationError) {
        let root: JSONValue
        do throws(JSONParser.Fault) { root = try JSONParser.parse(bytes) } catch {
            let text = JSONParser.text(for: error, in: bytes)
            throw ConfigurationError(file: Self.name, message: "not JSON: \(text)")
        }
        let lists = try Self.object(root, at: "the file")
        for section in EntrySection.allCases {
            let list = try Self.object(lists[section.rawValue], at: section.rawValue)
            for (id, value) in list {
                let fields = try Self.object(value, at: "\(section.rawValue).\(id)")
                entries[id] = Entry(section: section, fields: fields)
            }
        }
        for (id, value) in try Self.object(lists["secrets"], at: "secrets") {
            secrets[id] = try Self.object(value, at: "secrets.\(id)")
                .compactMapValues { value in
                    if case .string(let text) = value { Secret(text) } else { nil }
                }
        }
    }

    private static func object(
        _ value: JSONValue?,
        at place: String
    ) throws(ConfigurationError) -> [String: JSONValue] {
        switch value {
        case nil: [:]
        case .object(let fields): fields
        case .some:
            throw ConfigurationError(
                file: name,
                message: "\(place) is no object"
            )
        }
    }

    /// Content of the file, with the secrets, ending with a newline.
    var bytes: [UInt8] {
        var root: [String: JSONValue] = [:]
        for section in EntrySection.allCases {
            let list = entries.filter { $0.value.section == section }
            guard !list.isEmpty else { continue }
            root[section.rawValue] = .object(list.mapValues { .object($0.fields) })
        }
        let secrets = secrets.filter { !$0.value.isEmpty }
        if !secrets.isEmpty {
            root["secrets"] = .object(
                secrets.mapValues { .object($0.mapValues { .string($0.reveal()) }) }
            )
        }
        return Array((JSONValue.object(root).text + "\n").utf8)
    }

    /// An entry as the readers of `courier.json` take it: with its id and the names of its secrets.
    func value(of id: String) -> JSONValue? {
        guard let entry = entries[id] else { return nil }
        var fields = entry.fields
        fields["id"] = .string(id)
        for key in secrets[id, default: [:]].keys {
            fields[key] = .object(["secret": .string(Self.secretName(id, key))])
        }
        return .object(fields)
    }

    /// Name of a secret of an entry.
    static func secretName(_ id: String, _ key: String) -> String {
        "\(secretPrefix)\(id).\(key)"
    }

    /// All secrets by their names.
    var named: [String: Secret] {
        var named: [String: Secret] = [:]
        for (id, secrets) in secrets {
            for (key, secret) in secrets { named[Self.secretName(id, key)] = secret }
        }
        return named
    }

    /// Adds or replaces an entry with all its secrets.
    mutating func set(_ id: String, _ entry: Entry, _ secrets: [String: Secret]) {
        entries[id] = entry
        self.secrets[id] = secrets.isEmpty ? nil : secrets
    }

    /// The same without the secrets of an entry, for the copy of what was before.
    func withoutSecrets(of id: String) -> CourierOverlay {
        var overlay = self
        overlay.secrets[id] = nil
        return overlay
    }

    mutating func remove(_ id: String) {
        entries[id] = nil
        secrets[id] = nil
    }
}
