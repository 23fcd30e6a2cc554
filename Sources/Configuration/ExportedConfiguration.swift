import Alerts
import Profiles

/// The configuration file with what the owner set written into it: a file for another card.
///
/// It has no secret, as none of both has one. Settings that are not in use are left out, so that
/// they do not keep another station from its start.
package struct ExportedConfiguration {
    /// The file, as people write it, ending with a newline.
    package let text: String
    /// Settings that are left out, each with its reason.
    package let leftOut: [String]

    /// - Parameters:
    ///   - base: As the file has it.
    ///   - catalog: Knows the types of devices.
    /// - Throws: `ConfigurationError` for a file that could not be read again.
    package init(
        _ base: StationConfiguration,
        _ overlay: StationOverlay,
        catalog: ProfileCatalog
    ) throws(ConfigurationError) {
        let problems = OverlaidConfiguration(base, overlay, catalog: catalog).problems
        let used = Self.used(overlay, problems)
        leftOut = problems.map { "\($0.place): \($0.message)" }
        var fields = base.source
        for (key, value) in used.fields where key != "alerts" && key != "devices" {
            if fields[key] == nil { fields[key] = value }
        }
        Self.merge(rules: used.rules, into: &fields)
        for name in used.devices.keys.sorted() { Self.merge(name, used.device(name), &fields) }
        let file = JSONValue.object(fields)
        text = file.lines + "\n"
        _ = try StationConfiguration.read(
            Array(text.utf8),
            file: "the exported roost.json",
            profiles: catalog.profiles,
            broken: catalog.broken,
            board: base.board
        )
    }

    /// The overlay without what has a problem: a device or a rule as a whole, or one setting.
    private static func used(
        _ overlay: StationOverlay,
        _ problems: [ConfigurationProblem]
    ) -> StationOverlay {
        problems.reduce(overlay) { overlay, problem in
            let parts = problem.place.split(separator: ".").map(String.init)
            switch parts.first {
            case "alerts" where parts.count > 2: return overlay.setting(rule: parts[2], to: nil)
            case "devices" where parts.count > 2 && !overlay.adds(parts[1]):
                let change = JSONValue.object([parts[1]: .object([parts[2]: .null])])
                return overlay.patched(by: ["devices": change])
            case "devices" where parts.count > 1:
                return overlay.patched(by: ["devices": .object([parts[1]: .null])])
            case let key?: return overlay.patched(by: [key: .null])
            case nil: return overlay
            }
        }
    }

    /// New rules go into the list of a file's rules, all others into its `changes`.
    private static func merge(rules: [String: JSONValue], into fields: inout [String: JSONValue]) {
        guard !rules.isEmpty else { return }
        var alerts = members(of: fields["alerts"])
        var (list, changes) = ([JSONValue](), members(of: alerts["changes"]))
        if case .array(let found)? = alerts["rules"] { list = found }
        let shipped = Set(AlertSet.allCases.flatMap(\.rules).map(\.id))
        for (id, value) in rules.sorted(by: { $0.key < $1.key }) {
            var entry = members(of: value)
            if shipped.contains(id) || entry["isOn"] == .bool(false) {
                changes[id] = value
            } else {
                (entry["id"], entry["isOn"]) = (.string(id), nil)
                list.append(.object(entry))
            }
        }
        if !list.isEmpty { alerts["rules"] = .array(list) }
        if !changes.isEmpty { alerts["changes"] = .object(changes) }
        fields["alerts"] = .object(alerts)
    }

    private static func merge(
        _ name: String,
        _ settings: [String: JSONValue],
        _ fields: inout [String: JSONValue]
    ) {
        var (device, about) = (settings, [String: JSONValue]())
        let isAdded = device["type"] != nil
        for key in isAdded ? ["title", "record"] : Array(settings.keys) {
            about[key] = device.removeValue(forKey: key)
        }
        if device["type"] == .string("traffic-light") {
            device["type"] = nil
            fields["lights"] = .object(device)
        } else if isAdded {
            var list: [JSONValue] = []
            if case .array(let found)? = fields["devices"] { list = found }
            device["name"] = .string(name)
            fields["devices"] = .array(list + [.object(device)])
        }
        guard !about.isEmpty else { return }
        var all = members(of: fields["deviceSettings"])
        all[name] = .object(members(of: all[name]).merging(about) { file, _ in file })
        fields["deviceSettings"] = .object(all)
    }

    private static func members(of value: JSONValue?) -> [String: JSONValue] {
        if case .object(let members)? = value { members } else { [:] }
    }
}
