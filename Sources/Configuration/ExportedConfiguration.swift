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
        problems.reduce(overlay) { used, problem in
            let place = problem.place
            // Looked up in all that was set: what an earlier problem removed is no other's place.
            if let id = longest(of: overlay.rules.keys, at: place, behind: "alerts.rules.") {
                return used.setting(rule: id, to: nil)
            }
            if let name = longest(of: overlay.devices.keys, at: place, behind: "devices.") {
                let (keys, prefix) = (overlay.device(name).keys, "devices.\(name).")
                guard !overlay.adds(name), let key = longest(of: keys, at: place, behind: prefix)
                else { return used.patched(by: ["devices": .object([name: .null])]) }
                return used.patched(by: ["devices": .object([name: .object([key: .null])])])
            }
            guard let key = longest(of: overlay.fields.keys, at: place, behind: ""),
                key != "alerts", key != "devices"
            else { return used }
            return used.patched(by: [key: .null])
        }
    }

    /// The longest of the names that a place is, or begins with: names may have points.
    private static func longest(
        of names: some Sequence<String>,
        at place: String,
        behind prefix: String
    ) -> String? {
        names.filter { name in
            let whole = prefix + name
            return place == whole || place.hasPrefix(whole + ".") || place.hasPrefix(whole + "[")
        }.max { $0.utf8.count < $1.utf8.count }
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
