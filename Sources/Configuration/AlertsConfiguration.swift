import Alerts
import Core
import Profiles

/// Alert rules of the station: those that come with Roost, and the owner's own.
package struct AlertsConfiguration: Hashable, Sendable {
    /// IANA name of the zone whose hours `unusual` compares; nil is the station's.
    package let zone: String?
    /// The sets in use, in the order of the file.
    package let sets: [AlertSet]
    /// The owner's rules, in the order of the file.
    package let own: [AlertRule]
    /// Entries of the file's `changes` and the owner's settings by id; none has the id of one in
    /// `own`.
    package internal(set) var settings: [String: OwnerRule] = [:]
    /// Ids of the entries in the file's `changes`, which lock them.
    private var changes: Set<String> = []
    /// Entries of the settings that a rule of the file hides, as JSON, by id.
    var hidden: [String: String] = [:]

    /// Rules without the key `alerts`.
    package static let standard = AlertsConfiguration(zone: nil, sets: AlertSet.standard, own: [])

    package init(zone: String?, sets: [AlertSet], own: [AlertRule]) {
        (self.zone, self.sets, self.own) = (zone, sets, own)
    }

    /// All rules in use: of the sets, the file, the settings; `AlertRule.countMax` at most.
    package var rules: [AlertRule] { listed.filter(\.isOn).map(\.rule) }

    /// All rules in their order; behind those in use, those of the sets that are not.
    package var listed: [ListedRule] {
        let shipped = sets.flatMap(\.rules).map { listed($0, isOn: true) }
        let named =
            shipped
            + own.map { rule in
                var listed = ListedRule(rule, .file)
                listed.source = hidden[rule.id]
                return listed
            }
        let names = Set(named.map(\.rule.id))
        let spare = AlertSet.allCases.filter { !sets.contains($0) }.flatMap(\.rules)
            .filter { !names.contains($0.id) }
        let added = Set(settings.keys).subtracting(names).subtracting(spare.map(\.id)).sorted()
            .compactMap { id in settings[id]?.rule.map { listed($0, isOn: true) } }
        return named + added + spare.map { listed($0, isOn: false) }
    }

    /// Whether the file has a rule of this id, or a change of it.
    package func isFixed(_ id: String) -> Bool {
        changes.contains(id) || own.contains { $0.id == id }
    }

    /// Whether a rule of this id is in a set that the file uses.
    package func isUsed(_ id: String) -> Bool {
        sets.contains { $0.rules.contains { $0.id == id } }
    }

    /// A rule as the settings have it, if they say something of it.
    private func listed(_ rule: AlertRule, isOn: Bool) -> ListedRule {
        guard let entry = settings[rule.id] else { return ListedRule(rule, .shipped, isOn: isOn) }
        let isOn = entry.isOn ?? (entry.rule == nil ? isOn : true)
        let isOfFile = changes.contains(rule.id)
        let origin: ListedRule.Origin =
            isOfFile ? .file : entry.rule == nil ? .shipped : .owner
        var listed = ListedRule(entry.rule ?? rule, origin, isOn: isOn)
        listed.source = isOfFile ? hidden[rule.id] : entry.source
        return listed
    }

    init(_ reader: ObjectReader, _ problems: ProblemList) {
        var reader = reader
        zone = reader.zone("zone")
        sets = reader.sets()
        let entries = reader.array("rules", limit: AlertRule.countMax)
        let place = reader.path("rules")
        own = entries.enumerated().compactMap { index, entry in
            ObjectReader(entry, at: "\(place)[\(index)]", problems)
                .flatMap { object in
                    var reader = AlertRuleReader(object)
                    return reader.rule()
                }
        }
        readChanges(&reader, problems)
        reader.finish()
        checkTogether(entries, at: place, problems)
    }

    /// Reads `changes`: what a file says of shipped rules, and rules that it switches off.
    private mutating func readChanges(_ reader: inout ObjectReader, _ problems: ProblemList) {
        let place = reader.path("changes")
        guard let value = reader.value("changes"),
            ObjectReader(value, at: place, problems) != nil, case .object(let entries) = value
        else { return }
        let shipped = Set(AlertSet.allCases.flatMap(\.rules).map(\.id))
        for (id, value) in entries.sorted(by: { $0.key < $1.key }) {
            guard let entry = OwnerRule(value, id: id, at: "\(place).\(id)", problems) else {
                continue
            }
            guard !own.contains(where: { $0.id == id }) else {
                problems.add("\(place).\(id)", "is one of the rules; change it there")
                continue
            }
            guard entry.rule != nil || shipped.contains(id) else {
                problems.add("\(place).\(id)", "no rule has this id")
                continue
            }
            settings[id] = entry
            changes.insert(id)
        }
    }

    /// Finds names that are used twice, and too many rules.
    private func checkTogether(_ entries: [JSONValue], at place: String, _ problems: ProblemList) {
        var places: [String: String] = [AlertBounds.many.rule: "the alert for too many alerts"]
        for set in sets {
            for rule in set.rules { places[rule.id] = "a rule of the set \(set.rawValue)" }
        }
        for (index, entry) in entries.enumerated() {
            guard case .object(let fields) = entry, case .string(let id)? = fields["id"] else {
                continue
            }
            if let other = places.updateValue("\(place)[\(index)]", forKey: id) {
                problems.add("\(place)[\(index)].id", "\(id) is the name of \(other) too")
            }
        }
        if rules.count > AlertRule.countMax {
            problems.add(
                place,
                "with those of the sets \(rules.count) rules; \(AlertRule.countMax) are the limit"
            )
        }
    }
}

extension ObjectReader {
    /// `use`: names of sets, each once.
    fileprivate mutating func sets() -> [AlertSet] {
        guard value("use") != nil else { return AlertSet.standard }
        let names = AlertSet.allCases.map(\.rawValue)
        var sets: [AlertSet] = []
        for (index, entry) in array("use", limit: names.count).enumerated() {
            guard case .string(let text) = entry, let set = AlertSet(rawValue: text) else {
                var nearest: String?
                if case .string(let text) = entry {
                    nearest = Spelling.nearest(to: text, among: names)
                }
                problem(
                    "use[\(index)]",
                    "expected one of \(names.joined(separator: ", ")), found \(entry.shown)",
                    meant: nearest
                )
                continue
            }
            if sets.contains(set) { problem("use[\(index)]", "\(text) is there twice") }
            sets.append(set)
        }
        return sets
    }
}
