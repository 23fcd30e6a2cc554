import Core
import Profiles
import Testing

@testable import Alerts
@testable import Configuration

@Suite struct AlertsConfigurationTests {
    private func read(_ text: String) throws -> AlertsConfiguration {
        let whole = #"{"alerts": \#(text)}"#
        return try StationConfiguration.read(Array(whole.utf8), file: "roost.json").alerts
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    private func rule(_ rest: String) -> String {
        #"{"use": [], "rules": [{"id": "mine", \#(rest)}]}"#
    }

    @Test func withoutTheKeyTheStandardSetsAreInUse() throws {
        let configuration = try StationConfiguration.read(Array("{}".utf8), file: "roost.json")
        #expect(configuration.alerts == .standard)
        #expect(configuration.alerts.sets == [.who24h, .usNowCast, .station])
        #expect(try read("{}") == .standard)
        #expect(try read(#"{"use": []}"#).rules.isEmpty)
        #expect(try read(#"{"zone": "Europe/Rome"}"#).zone == "Europe/Rome")
        let all = AlertSet.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        #expect(try read(#"{"use": [\#(all)]}"#).sets == AlertSet.allCases)
    }

    @Test func theExampleOfTheDocumentsIsOneRule() throws {
        let text = rule(
            """
            "channel": "milano/co2", "when": {"mean": {"overSeconds": 900, "atLeast": 1400}},
            "forSeconds": 600, "until": {"below": 1200}, "severity": "critical",
            "unless": ["humid", "jump"],
            "words": {"en": "Open a window: CO2 {value} {unit}", "it": "Apri la finestra"}
            """
        )
        let scale = AlertScale([.init(1_400, until: 1_200, .critical)])
        let condition = AlertRule.Condition.mean(over: 900, scale)
        let part = AlertRule.Part("milano/co2", condition)
        var expected = AlertRule("mine", [part], for: 600, .critical)
        expected.unless = [.humid, .jump]
        expected.words = [
            "en": "Open a window: CO2 {value} {unit}", "it": "Apri la finestra",
        ]
        #expect(try read(text).own == [expected])
    }

    @Test(arguments: [
        (#""value": {"atLeast": 5}"#, AlertRule.Condition.value(scale(5, 4.5))),
        (#""value": {"atMost": -10}"#, .value(scale(-10, -9, isFloor: true))),
        (
            #""mean": {"overSeconds": 60, "atMost": 20}"#,
            .mean(over: 60, scale(20, 22, isFloor: true))
        ),
        (#""rise": {"by": 15}"#, .rise(over: 900, by: 15, times: 2)),
        (#""unusual": {}"#, .unusual(score: 4, by: 10, days: 14)),
        (#""stuck": {}"#, .flagged(.unchanging, orStuck: true)),
        (#""flagged": {"flags": ["ceiling"]}"#, .flagged(.ceiling, orStuck: false)),
    ])
    func everyKindOfValuesIsRead(_ when: String, _ condition: AlertRule.Condition) throws {
        let rules = try read(rule(#""channel": "*/pm25", "when": {\#(when)}"#)).own
        #expect(rules.map(\.parts) == [[AlertRule.Part("*/pm25", condition)]])
        #expect(rules.map(\.severity) == [.warning])
    }

    @Test(arguments: [
        (#""silent": {}"#, AlertRule.Condition.silent(intervals: 3)),
        (#""laser": {"usedPercent": 80}"#, .laser(usedPercent: 80, daysLeft: 60)),
        (
            #""event": {"kind": "motion", "source": "door", "count": 3, "withinSeconds": 60}"#,
            .event(kind: "motion", source: "door", count: 3, within: 60)
        ),
        (#""card": {}"#, .trouble(.card)), (#""power": {}"#, .trouble(.power)),
        (#""clock": {}"#, .trouble(.clock)), (#""store": {}"#, .trouble(.store)),
        (#""outbox": {}"#, .trouble(.outbox)),
    ])
    func everyKindOfTheStationIsRead(_ when: String, _ condition: AlertRule.Condition) throws {
        let rules = try read(rule(#""when": {\#(when)}"#)).own
        #expect(rules.map(\.parts) == [[AlertRule.Part("*", condition)]])
    }

    @Test func anIndexIsARuleForEachQuantityThatThePatternHas() throws {
        let when = #""when": {"index": {"of": "us-nowcast", "atLeast": "unhealthy"}}"#
        let both = try read(rule(#""channel": "balcony/*", \#(when)"#)).own[0].parts
        #expect(both.map(\.pattern) == ["balcony/pm25", "balcony/pm10"])
        let starts = both.compactMap { $0.condition.scale?.steps[0] }
        #expect(starts.map(\.limit) == [55.5, 255])
        let one = try read(rule(#""channel": "*/pm10", \#(when)"#)).own[0].parts
        #expect(one.map(\.pattern) == ["*/pm10"])
        let none = problems(rule(#""channel": "*/co2", \#(when)"#))
        #expect(none == ["alerts.rules[0].channel: us-nowcast knows pm25, pm10, not co2"])
    }

    @Test(arguments: [
        (#"{"zon": "x"}"#, ["alerts.zon: unknown key; did you mean zone?"]),
        (
            #"{"use": ["who24h"]}"#,
            [
                "alerts.use[0]: expected one of who-24h, us-nowcast, eaqi, psi-sg, sample-levels, "
                    + #"rise, unusual, station, motion, found "who24h"; did you mean who-24h?"#
            ]
        ),
        (#"{"use": ["rise", "rise"]}"#, ["alerts.use[1]: rise is there twice"]),
        (
            #"{"rules": [{"id": "silent", "when": {"silent": {}}}]}"#,
            ["alerts.rules[0].id: silent is the name of a rule of the set station too"]
        ),
        (
            #"{"rules": [{"id": "a", "when": {"silent": {}}}, {"id": "a", "when": {"card": {}}}]}"#,
            ["alerts.rules[1].id: a is the name of alerts.rules[0] too"]
        ),
    ])
    func mistakesOfThePartAreNamed(_ text: String, _ expected: [String]) {
        #expect(problems(text) == expected)
    }

    @Test(arguments: [
        (#""channel": "*/pm25""#, ["when: is missing"]),
        (
            #""channel": "*/pm25", "when": {"value": {"atLeast": 5, "atMost": 3}}"#,
            ["when.value.atMost: either atLeast or atMost, not both"]
        ),
        (
            #""when": {"value": {"atLeast": 5}}"#,
            ["channel: is missing, as */pm25 or balcony/co2"]
        ),
        (
            #""channel": "pm25", "when": {"value": {"atLeast": 5}}"#,
            [#"channel: expected a pattern like */pm25 or balcony/*, found "pm25""#]
        ),
        (
            #""channel": "*/pm25", "when": {"mean": {"overSeconds": 1000, "atLeast": 5}}"#,
            ["when.mean.overSeconds: expected a multiple of 300 s, found 1000; did you mean 900?"]
        ),
        (
            #""channel": "*/pm25", "when": {"value": {"atLeast": 5}}, "until": {"below": 6}"#,
            ["until.below: expected at most the limit 5, found 6"]
        ),
        (
            #""channel": "*/pm25", "when": {"value": {"atLeast": 5}}, "until": {"above": 4}"#,
            ["until.above: expected below, as the rule is for values beyond"]
        ),
        (
            #""when": {"event": {"kind": "motoin"}}"#,
            [#"when.event.kind: no event is named "motoin"; did you mean motion?"#]
        ),
        (
            #""when": {"event": {"kind": "alert raised"}}"#,
            ["when.event.kind: events of alerts raise no alerts"]
        ),
        (
            #""when": {"silent": {}, "card": {}}, "severity": "bad", "unless": ["fog"]"#,
            [
                #"severity: expected one of notice, warning, critical, found "bad""#,
                "when: expected one of value, mean, index, rise, unusual, silent, stuck, flagged, "
                    + "event, laser, card, power, clock, store, outbox, found silent and card",
                "unless[0]: expected one of ceiling, inconsistent, unchanging, outOfRange, humid, "
                    + #"jump, disagrees, zero, estimated, found "fog""#,
            ]
        ),
    ])
    func mistakesOfARuleAreNamedAllAtOnce(_ rest: String, _ expected: [String]) {
        #expect(problems(rule(rest)) == expected.map { "alerts.rules[0].\($0)" })
    }

    /// An accepted part keeps the promises of its types, whatever the file was.
    @Test func noSpoiltPartCrashesOrIsTakenInPart() throws {
        let text = """
            {"alerts": {"zone": "Europe/Rome", "use": ["who-24h", "station"], "rules": [
              {"id": "a", "channel": "*/co2", "when": {"mean": {"overSeconds": 900, "atLeast": 9}},
               "forSeconds": 600, "until": {"below": 8, "forSeconds": 60}, "severity": "notice"},
              {"id": "b", "channel": "*/pm25",
               "when": {"index": {"of": "eaqi", "atLeast": "poor"}}, "unless": ["humid"]},
              {"id": "c", "when": {"event": {"kind": "motion", "count": 2}},
               "words": {"en": "x", "de": "y"}},
              {"id": "d", "channel": "*", "when": {"unusual": {"days": 9}}},
              {"id": "e", "channel": "*/t*", "when": {"value": {"atMost": 3}}}]}}
            """
        let original = Array(text.utf8)
        var (mutator, taken) = (JSONSpoiler(seed: 6), 0)
        for round in 0..<2_000 {
            let bytes =
                round % 2 == 0
                ? mutator.spoil(original)
                : Array(mutator.spoil(try JSONParser.parse(original)).text.utf8)
            do throws(ConfigurationError) {
                let alerts = try StationConfiguration.read(bytes, file: "roost.json").alerts
                taken += 1
                #expect(Self.isSound(alerts), "\(String(decoding: bytes, as: UTF8.self))")
            } catch { #expect(!error.problems.isEmpty) }
        }
        #expect(taken > 0 && taken < 2_000)
    }

    private static func isSound(_ alerts: AlertsConfiguration) -> Bool {
        let ids = alerts.rules.map(\.id)
        return ids.count <= AlertRule.countMax && Set(ids).count == ids.count
            && alerts.own.allSatisfy { rule in
                (1...16).contains(rule.parts.count) && rule.forSeconds >= 0
                    && rule.parts.allSatisfy { part in
                        guard let scale = part.condition.scale else { return true }
                        return scale.steps.allSatisfy {
                            scale.isFloor ? $0.until >= $0.limit : $0.until <= $0.limit
                        }
                    }
            }
    }
}

private func scale(_ limit: Double, _ until: Double, isFloor: Bool = false) -> AlertScale {
    AlertScale([.init(limit, until: until, .warning)], isFloor: isFloor)
}
