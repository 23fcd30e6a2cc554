import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

@Suite struct ControlRulesTests {
    private static func text(_ folder: TestFolder) -> String {
        """
        {"name": "test", "mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "alerts": {"use": ["who-24h", "rise"], "rules": [
            {"id": "mine", "channel": "*/pm10", "when": {"value": {"atLeast": 900}}}]},
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static let bad = #"{"channel": "*/pm25", "when": {"value": {"atLeast": 5}}}"#

    private static func station(
        _ clock: SimulatedClock,
        _ folder: TestFolder,
        after earlier: TestStation? = nil
    ) throws -> TestStation {
        let air = SDS011Air.constant(SDS011Measurement(pm25Tenths: 161, pm10Tenths: 300))
        let card = earlier?.platform.card ?? SimulatedCard()
        return try TestStation(clock, text(folder), air: air, card: card)
    }

    private static func kinds(_ test: TestStation) -> [String] {
        test.events.filter { $0.source == "alerts" }.map(\.kind.name)
    }

    @Test func aRuleIsInUseAtOnceAndItsAlertEndsWithIt() throws {
        let folder = try TestFolder(isInMemory: true)
        let (added, removed, kinds, changes) = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                #expect(Self.kinds(test).isEmpty)
                let added = try await test.ask(ChangeRule("bad", rule: Self.bad), for: "Anna")
                try await test.sleep(.minutes(1))
                let raised = try await test.ask(GetAlerts()).body?.alerts.map(\.key)
                #expect(raised == ["bad:dust/pm25"])
                let removed = try await test.ask(ChangeRule("bad", rule: nil))
                return (
                    added.body, removed.body, Self.kinds(test),
                    test.events.filter { $0.kind == .plain(.settingsChanged) }
                )
            }
        }
        let rule = try #require(added?.rules.last)
        #expect(rule.id == "bad" && rule.origin == .ui && rule.parts.map(\.limits) == [[5]])
        #expect(rule.source == #"{"channel":"*/pm25","when":{"value":{"atLeast":5}}}"#)
        #expect(removed?.alerts.isEmpty == true && removed?.rules.last?.id == "mine")
        #expect(kinds == ["alert raised", "alert resolved"])
        #expect(changes.map { $0["setting"] } == ["alerts.rules.bad", "alerts.rules.bad"])
        #expect(changes[0]["actor"] == "Anna" && changes[0]["before"] == "default")
        #expect(changes[1]["now"] == "default" && changes[1]["before"] == rule.source)
    }

    /// Two owners at once: the second one overwrites nothing that she has not seen.
    @Test func aChangeFromAnotherStateIsRefused() throws {
        let folder = try TestFolder(isInMemory: true)
        try simulate { clock in
            let test = try Self.station(clock, folder)
            try await test.run { test in
                try await test.sleep(.seconds(5))
                func rule(_ id: String) async throws -> AlertsReport.Rule? {
                    let report = try await test.ask(GetAlerts()).body
                    return report.flatMap { ($0.rules + $0.off).first { $0.id == id } }
                }
                func change(_ id: String, _ text: String?, _ tag: String?, _ by: String)
                    async throws -> RefusalCode?
                {
                    let question = ChangeRule(id, rule: text, tag: tag)
                    return try await test.ask(question, for: by).error?.code
                }
                let shipped = try await rule("who-24h")?.tag
                #expect(shipped == "none")
                // Both begin from the same page.
                #expect(try await change("who-24h", #"{"isOn":false}"#, shipped, "Anna") == nil)
                let off = try await rule("who-24h")
                #expect(off?.tag != shipped && off?.source == #"{"isOn":false}"#)
                #expect(try await change("who-24h", Self.bad, shipped, "Ben") == .precondition)
                let on = SwitchRule("who-24h", isOn: true, tag: shipped)
                #expect(try await test.ask(on, for: "Ben").error?.code == .precondition)
                #expect(try await rule("who-24h") == off)
                // A change of another rule is none of this one, and her own way back is open.
                #expect(try await change("bad", Self.bad, "none", "Ben") == nil)
                #expect(try await change("bad", Self.bad, "none", "Anna") == .precondition)
                #expect(try await change("who-24h", nil, off?.tag, "Anna") == nil)
                #expect(try await rule("who-24h")?.tag == "none")
                // What another person removed is not removed twice.
                #expect(try await change("who-24h", nil, off?.tag, "Ben") == .precondition)
                #expect(try await change("who-24h", nil, nil, "Ben") == .notFound)
            }
        }
    }

    @Test func rulesAndSwitchesAreThereAfterARestart() throws {
        let folder = try TestFolder(isInMemory: true)
        let (off, on, second) = try simulate { clock in
            let one = try Self.station(clock, folder)
            let (off, on) = try await one.run { test in
                try await test.sleep(.seconds(5))
                _ = try await test.ask(ChangeRule("bad", rule: Self.bad))
                let off = try await test.ask(SwitchRule("bad", isOn: false)).body
                _ = try await test.ask(SwitchRule("who-24h", isOn: false))
                _ = try await test.ask(SwitchRule("rise", isOn: false))
                _ = try await test.ask(SwitchRule("rise", isOn: true))
                return (off, try await test.ask(SwitchRule("unusual", isOn: true)).body)
            }
            let two = try Self.station(clock, folder, after: one)
            let second = try await two.run { test in
                try await test.sleep(.seconds(5))
                return try await test.ask(GetAlerts()).body
            }
            return (off, on, second)
        }
        let bad = try #require(off?.off.first { $0.id == "bad" })
        #expect(bad.origin == .ui && bad.source?.contains(#""isOn":false"#) == true)
        #expect(on?.rules.last?.id == "unusual" && on?.rules.last?.origin == .shipped)
        #expect(on?.rules.first { $0.id == "rise" }?.source == nil, "as it was shipped")
        #expect(second?.rules.map(\.id) == on?.rules.map(\.id))
        #expect(second?.off.map(\.id) == on?.off.map(\.id))
        #expect(second?.off.contains { $0.id == "who-24h" } == true)
    }

    @Test func mistakesAreNamedAndTheFileWins() throws {
        let folder = try TestFolder(isInMemory: true)
        let errors = try simulate { clock in
            let test = try Self.station(clock, folder)
            return try await test.run { test in
                try await test.sleep(.seconds(5))
                let wrong = #"{"channel": "*/pm25", "when": {"mean": {"atLeast": 5}}}"#
                var answers = [try await test.ask(ChangeRule("bad", rule: wrong))]
                for (id, rule) in [
                    ("bad", "{"), ("bad", "[]"), ("a b", Self.bad), ("bad", nil),
                    ("mine", Self.bad), ("mine", nil),
                ] {
                    answers.append(try await test.ask(ChangeRule(id, rule: rule)))
                }
                for id in ["mine", "whoo-24h"] {
                    answers.append(try await test.ask(SwitchRule(id, isOn: false)))
                }
                let report = try await test.ask(GetAlerts()).body
                #expect(report?.rules.last?.id == "mine", "nothing is changed")
                return answers.map(\.error)
            }
        }
        #expect(
            errors.map { $0?.code } == [
                .badRequest, .badRequest, .badRequest, .badRequest, .notFound, .conflict, .conflict,
                .conflict, .notFound,
            ]
        )
        #expect(errors[0]?.pointer == "/when/mean/overSeconds")
        #expect(errors[5]?.message.contains(", which counts; change it there") == true)
        #expect(errors[8]?.message.hasSuffix("did you mean who-24h?") == true)
    }
}
