import HardwareIO
import Profiles

/// Owner's changes while the station ran: they override defaults, but not the configuration file.
///
/// An object of JSON, kept as it was read, so that a key of a later version survives an earlier
/// one:
///
///     {"devices": {"board": {"type": "milano-board", "address": "http://192.168.1.20/",
///                            "intervalSeconds": 5},
///                  "dust": {"record": false}},
///      "alerts": {"rules": {"stuffy": {"channel": "*/co2",
///                                      "when": {"value": {"atLeast": 1500}}},
///                           "who-24h": {"isOn": false}}},
///      "title": "Klasse 3b", "zone": "Europe/Berlin"}
package struct StationOverlay: Hashable, Sendable {
    /// Devices with something changed at most: as many as a station has.
    package static let deviceLimit = StationConfiguration.deviceLimit * 2

    package private(set) var fields: [String: JSONValue]

    package init(_ fields: [String: JSONValue] = [:]) { self.fields = fields }

    /// Reads a file's content; what its keys mean is checked where it is applied.
    ///
    /// - Throws: `ConfigurationError` for what is no object of JSON, or more than 64 KiB.
    package static func read(
        _ text: [UInt8],
        file: String
    ) throws(ConfigurationError) -> StationOverlay {
        guard text.count <= FolderFilesLimit.byteMax else {
            throw ConfigurationError(file: file, message: "larger than 64 KiB")
        }
        let root: JSONValue
        do throws(JSONParser.Fault) { root = try JSONParser.parse(text) } catch {
            let words = JSONParser.text(for: error, in: text)
            throw ConfigurationError(file: file, message: "not JSON: \(words)")
        }
        guard case .object(var fields) = root else {
            throw ConfigurationError(file: file, message: "no object, but \(root.shown)")
        }
        // Version 0.1.0 called the title a name.
        if let name = fields.removeValue(forKey: "name"), fields["title"] == nil {
            fields["title"] = name
        }
        return StationOverlay(fields)
    }

    /// Content of the file, ending with a newline.
    package var text: [UInt8] { Array((JSONValue.object(fields).text + "\n").utf8) }

    /// Changes with the content: what a change was made from, and what is there now.
    package var tag: String { String(CRC32.checksum(text), radix: 16) }

    /// Changes with the entry about a rule; `none` without one.
    package func tag(rule id: String) -> String { Self.tag(ofRule: rules[id]?.text) }

    /// The tag of an entry about a rule, as JSON text; `none` without one.
    package static func tag(ofRule source: String?) -> String {
        source.map { String(CRC32.checksum(Array($0.utf8)), radix: 16) } ?? "none"
    }

    package var devices: [String: JSONValue] {
        if case .object(let devices)? = fields["devices"] { devices } else { [:] }
    }

    /// Changes to a device; empty for one that is as it was found or configured.
    package func device(_ name: String) -> [String: JSONValue] {
        if case .object(let fields)? = devices[name] { fields } else { [:] }
    }

    /// Whether the owner added a device of this name.
    package func adds(_ name: String) -> Bool { device(name)["type"] != nil }

    /// Entries about alert rules, by the rules' ids.
    package var rules: [String: JSONValue] {
        if case .object(let alerts)? = fields["alerts"],
            case .object(let rules)? = alerts["rules"]
        {
            rules
        } else {
            [:]
        }
    }

    /// The overlay with another entry about a rule; nil removes it.
    package func setting(rule id: String, to entry: [String: JSONValue]?) -> StationOverlay {
        var (next, rules, alerts) = (fields, rules, [String: JSONValue]())
        if case .object(let found)? = fields["alerts"] { alerts = found }
        rules[id] = entry.map(JSONValue.object)
        alerts["rules"] = rules.isEmpty ? nil : .object(rules)
        next["alerts"] = alerts.isEmpty ? nil : .object(alerts)
        return StationOverlay(next)
    }

    /// The overlay in which lamps that show a device follow its new name; nil lets them follow any.
    package func following(_ old: String, as name: String?) -> StationOverlay {
        let lamps = devices.keys.filter { device($0)["follows"] == .string(old) }
        let entry = JSONValue.object(["follows": name.map(JSONValue.string) ?? .null])
        let patch = Dictionary(uniqueKeysWithValues: lamps.map { ($0, entry) })
        return patch.isEmpty ? self : patched(by: ["devices": .object(patch)])
    }

    /// The overlay with a merge patch applied (RFC 7396): null removes a key.
    ///
    /// Objects that are empty after it are removed too.
    package func patched(by patch: [String: JSONValue]) -> StationOverlay {
        StationOverlay(Self.merged(fields, patch))
    }

    private static func merged(
        _ fields: [String: JSONValue],
        _ patch: [String: JSONValue]
    ) -> [String: JSONValue] {
        var fields = fields
        for (key, value) in patch {
            guard case .object(let inner) = value else {
                fields[key] = value == .null ? nil : value
                continue
            }
            var before: [String: JSONValue] = [:]
            if case .object(let found)? = fields[key] { before = found }
            let next = merged(before, inner)
            fields[key] = next.isEmpty ? nil : .object(next)
        }
        return fields
    }
}

extension StationOverlay {
    /// One value that differs between two overlays.
    package struct Change: Hashable, Sendable {
        /// `zone`, `devices.board.address`; `devices.board` for a device that came or went.
        package let key: String
        /// Old value as JSON; nil for a value that is not set.
        package let before: String?
        package let after: String?
    }

    /// Returns the changes that turn `self` into `next`, in the order of its keys.
    package func changes(to next: StationOverlay) -> [Change] {
        let keys = Set(fields.keys).union(next.fields.keys).subtracting(["alerts", "devices"])
        let plain = keys.sorted().compactMap { Self.change($0, fields[$0], next.fields[$0]) }
        let ids = Set(rules.keys).union(next.rules.keys).sorted()
        let names = Set(devices.keys).union(next.devices.keys).sorted()
        return plain
            + ids.compactMap { Self.change("alerts.rules.\($0)", rules[$0], next.rules[$0]) }
            + names.flatMap { name -> [Change] in
                let (old, new) = (device(name), next.device(name))
                guard adds(name) == next.adds(name) else {
                    let change = Self.change("devices.\(name)", devices[name], next.devices[name])
                    return [change].compactMap(\.self)
                }
                return Set(old.keys).union(new.keys).sorted().compactMap { key in
                    Self.change("devices.\(name).\(key)", old[key], new[key])
                }
            }
    }

    private static func change(
        _ key: String,
        _ before: JSONValue?,
        _ after: JSONValue?
    ) -> Change? {
        before == after ? nil : Change(key: key, before: before?.text, after: after?.text)
    }
}
