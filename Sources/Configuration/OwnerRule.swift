import Alerts
import Core
import HardwareIO
import Profiles

/// An entry of the owner's settings about one alert rule: a rule, a switch, or both.
///
///     {"channel": "*/co2", "when": {"value": {"atLeast": 1500}}, "forSeconds": 600}
///     {"isOn": false}
package struct OwnerRule: Hashable, Sendable {
    /// Stands in the place of a shipped rule of its id, or is a new one; nil only switches.
    package let rule: AlertRule?
    /// Without it a shipped rule stays as it is, and a rule of the owner is on.
    package let isOn: Bool?
    let source: String

    /// Reads an entry; nil, with the problems noted, when something needed is wrong.
    init?(_ value: JSONValue, id: String, at place: String, _ problems: ProblemList) {
        let before = problems.problems.count
        guard PlainName.fits(id), id != AlertBounds.many.rule else {
            problems.add(place, "expected \(PlainName.form) as its id, and not many")
            return nil
        }
        guard var entry = ObjectReader(value, at: place, problems),
            case .object(var fields) = value
        else { return nil }
        isOn = entry.bool("isOn")
        fields["isOn"] = nil
        if fields.isEmpty {
            if isOn == nil { problems.add(place, "expected a rule, or isOn") }
            rule = nil
        } else {
            fields["id"] = .string(id)
            rule = ObjectReader(.object(fields), at: place, problems).flatMap { object in
                var reader = AlertRuleReader(object)
                return reader.rule()
            }
        }
        source = value.text
        guard problems.problems.count == before else { return nil }
    }

    /// Reads one from JSON that belongs to no station yet.
    ///
    /// - Throws: `ConfigurationError` with all mistakes and their places: `when.mean.atLeast`.
    package static func read(_ text: [UInt8]) throws(ConfigurationError) -> OwnerRule {
        let value: JSONValue
        do throws(JSONParser.Fault) { value = try JSONParser.parse(text) } catch {
            let words = JSONParser.text(for: error, in: text)
            throw ConfigurationError(file: "rule", message: "not JSON: \(words)")
        }
        let problems = ProblemList()
        guard let found = OwnerRule(value, id: "rule", at: "", problems) else {
            throw ConfigurationError(file: "rule", problems: problems.problems)
        }
        return found
    }
}
