import Alerts
import Configuration
import Core
import Devices
import Profiles
import Testing

@Suite struct OwnerRuleTests {
    private static let file = """
        {"name": "test", "alerts": {"use": ["who-24h", "station"], "rules": [
          {"id": "mine", "channel": "*/pm25", "when": {"value": {"atLeast": 5}}}]}}
        """
    private static let stuffy =
        #""stuffy": {"channel": "*/co2", "when": {"value": {"atLeast": 1500}}}"#

    private static func laid(_ rules: String, over file: String = file) throws
        -> OverlaidConfiguration
    {
        let overlay = #"{"zone": "Europe/Rome", "alerts": {"rules": {\#(rules)}}}"#
        return OverlaidConfiguration(
            try StationConfiguration.read(Array(file.utf8), file: "roost.json"),
            try StationOverlay.read(Array(overlay.utf8), file: "settings.json"),
            catalog: .shipped
        )
    }

    private static func ids(_ laid: OverlaidConfiguration, isOn: Bool) -> [String] {
        laid.configuration.alerts.listed.filter { $0.isOn == isOn }.map(\.rule.id)
    }

    @Test func addsChangesAndSwitchesRules() throws {
        let text = """
            \(Self.stuffy), "who-24h": {"channel": "*/pm25", "when": {"mean": {"overSeconds": 86400,
            "atLeast": 25}}}, "silent": {"isOn": false}, "rise": {"isOn": true}
            """
        let laid = try Self.laid(text)
        #expect(laid.problems.isEmpty)
        let alerts = laid.configuration.alerts
        let station = ["stuck", "laser", "card", "power", "clock", "store", "outbox"]
        let on = ["who-24h"] + station + ["mine", "stuffy", "rise"]
        #expect(Self.ids(laid, isOn: true) == on && alerts.rules.map(\.id) == on)
        #expect(Self.ids(laid, isOn: false).first == "silent")
        let steps = alerts.rules[0].parts.compactMap(\.condition.scale).flatMap(\.steps)
        #expect(steps.map(\.limit) == [25] && steps.map(\.until) == [22.5])
        let origins = Dictionary(alerts.listed.map { ($0.rule.id, $0.origin) }) { $1 }
        #expect(origins["who-24h"] == .owner && origins["mine"] == .file)
        #expect(origins["rise"] == .shipped && origins["silent"] == .shipped)
        // Every rule that comes with Roost is there, once.
        let shipped = AlertSet.allCases.flatMap(\.rules).map(\.id)
        #expect(alerts.listed.count == shipped.count + 2)
        #expect(Set(shipped).isSubset(of: alerts.listed.map(\.rule.id)))
    }

    @Test func aRuleOfTheOwnerIsSwitchedOffAndStays() throws {
        let text = """
            "stuffy": {"channel": "*/co2", "when": {"value": {"atLeast": 1500}}, "isOn": false}
            """
        let laid = try Self.laid(text)
        let found = try #require(
            laid.configuration.alerts.listed.first { $0.rule.id == "stuffy" }
        )
        #expect(!found.isOn && found.origin == .owner)
        #expect(found.source?.contains(#""isOn":false"#) == true)
    }

    @Test(arguments: [
        (#""mine": {"isOn": false}"#, "alerts.rules.mine: is set in roost.json, which counts"),
        (#""other": {"isOn": true}"#, "alerts.rules.other: no rule has this id"),
        (#""other": {}"#, "alerts.rules.other: expected a rule, or isOn"),
        (#""other": 5"#, "alerts.rules.other: expected an object, found 5"),
        (#""many": {"isOn": true}"#, "alerts.rules.many: expected 1 to 64 letters"),
        (#""a b": {"isOn": true}"#, "alerts.rules.a b: expected 1 to 64 letters"),
        (#""silent": {"isOn": 1}"#, "alerts.rules.silent.isOn: expected true or false, found 1"),
        (
            #""other": {"channel": "*/co2", "when": {"mean": {"overSeconds": 61}}}"#,
            "alerts.rules.other.when.mean.overSeconds: expected a multiple of 10 s, found 61"
        ),
        (
            #""other": {"channel": "*/co2", "when": {"value": {"atLeast": 1}}, "evry": 1}"#,
            "alerts.rules.other.evry: unknown key"
        ),
    ])
    func leavesOutWhatIsWrongAndNothingElse(rule: String, words: String) throws {
        let laid = try Self.laid(rule + "," + Self.stuffy)
        #expect(laid.problems.first?.description.hasPrefix(words) == true, "\(laid.problems)")
        let plain = try Self.laid(Self.stuffy)
        #expect(laid.configuration.alerts.rules == plain.configuration.alerts.rules)
        #expect(laid.configuration.zone == "Europe/Rome" && plain.problems.isEmpty)
    }

    @Test func aRuleOfTheFileSaysWhatItHides() throws {
        let laid = try Self.laid(#""mine": {"isOn": false}"#)
        let rule = laid.configuration.alerts.listed.first { $0.rule.id == "mine" }
        #expect(rule?.origin == .file && rule?.isOn == true)
        #expect(rule?.source == #"{"isOn":false}"#)
    }

    /// The shipped rule as an owner would write it is that rule.
    @Test func aRuleHasPartsWithLimitsOfTheirOwn() throws {
        func part(_ channel: String, _ limit: Double) -> String {
            let mean = #"{"overSeconds": 86400, "atLeast": \#(limit)}"#
            return #"{"channel": "\#(channel)", "when": {"mean": \#(mean)}}"#
        }
        let text = #""who-24h": {"parts": [\#(part("*/pm25", 15)), \#(part("*/pm10", 45))]}"#
        let laid = try Self.laid(text)
        #expect(laid.problems.isEmpty, "\(laid.problems)")
        #expect(laid.configuration.alerts.rules.first == AlertSet.who24h.rules.first)
    }

    @Test(arguments: [
        (#"{"parts": []}"#, "parts: expected 1…16 objects"),
        (#"{"parts": [5]}"#, "parts[0]: expected an object, found 5"),
        (#"{"parts": [{"when": {"value": {"atLeast": 1}}}]}"#, "parts[0].channel: is missing"),
        (
            #"{"parts": [{"channel": "*/a", "when": {"value": {"atLeast": "x"}}}]}"#,
            "parts[0].when.value.atLeast: expected a number"
        ),
        (
            #"{"parts": [{"when": {"silent": {}}}]}"#,
            "parts[0].when: silent is a rule of its own"
        ),
        (
            #"""
            {"channel": "*/a", "parts": [{"channel": "*/a", "when": {"value": {"atLeast": 1}}}]}
            """#,
            "channel: belongs into each of parts"
        ),
        (
            #"""
            {"until": {"below": 1}, "parts": [{"channel": "*/a",
             "when": {"value": {"atLeast": 1}}}]}
            """#,
            "until: belongs into each of parts"
        ),
    ])
    func mistakesInPartsAreNamed(rule: String, words: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try OwnerRule.read(Array(rule.utf8))
        }
        let found = error?.problems.map(\.description) ?? []
        #expect(found.first?.hasPrefix(words) == true, "\(found)")
    }

    @Test func aStationHasNoMoreRulesThanItsLimit() throws {
        let rules = (0..<70).map { number in
            #""r\#(number)": {"channel": "*/co2", "when": {"value": {"atLeast": 9}}}"#
        }
        let laid = try Self.laid(rules.joined(separator: ","))
        #expect(laid.configuration.alerts.rules.count == AlertRule.countMax)
        let words = "64 rules are the limit; remove one"
        #expect(laid.problems.count == 70 - (64 - 10))
        #expect(laid.problems.allSatisfy { $0.message == words })
    }

    @Test func anEntryTakesThePlaceOfTheWholeOneBefore() throws {
        let first = StationOverlay().setting(
            rule: "a",
            to: ["when": .object(["stuck": .object([:])]), "severity": .string("notice")]
        )
        let second = first.setting(rule: "a", to: ["when": .object(["silent": .object([:])])])
        #expect(second.rules["a"]?.text == #"{"when":{"silent":{}}}"#)
        #expect(first.changes(to: second).map(\.key) == ["alerts.rules.a"])
        #expect(second.setting(rule: "a", to: nil) == StationOverlay())
    }

    @Test func aRuleOfNoStationNamesItsMistakesFromItsBeginning() throws {
        let text = #"{"channel": "co2", "when": {"value": {"atLeast": "x"}}}"#
        let error = #expect(throws: ConfigurationError.self) {
            try OwnerRule.read(Array(text.utf8))
        }
        #expect(error?.problems.map(\.place) == ["channel", "when.value.atLeast"])
    }
}
