import Alerts
import ClientSupport
import Configuration
import ControlProtocol
import SimulationKit
import Testing

@testable import roost

@Suite struct AlertTextTests {
    private static func alert(
        _ key: String,
        state: String = "raised",
        days: Int = 329,
        blindHours: Int? = nil
    ) -> AlertsReport.Alert {
        var alert = AlertsReport.Alert(
            n: state == "pending" ? nil : 17,
            key: key,
            state: state,
            level: state == "pending" ? 0 : 1,
            severity: "warning",
            sinceSeconds: Double(days * 86_400)
        )
        alert.blind = blindHours.map { _ in "stopped" }
        alert.blindSeconds = blindHours.map { Double($0 * 3_600) }
        return alert
    }

    private static func lines(_ alerts: [AlertsReport.Alert]) -> [String] {
        let report = AlertsReport(
            isReady: true,
            number: 17,
            alerts: alerts,
            silences: [.init(key: "rise:attic/pm10", seconds: 600)],
            rules: [],
            leftOutCount: 0
        )
        return AlertText.alerts(report, Paint(isColoured: false))
    }

    @Test func aChangedRuleIsOneLine() {
        func rule(_ id: String) -> AlertsReport.Rule {
            let part = AlertsReport.Rule.Part(
                channels: "*/co2",
                kind: "mean",
                limits: [1_500],
                ends: [1_350],
                isFloor: false,
                overSeconds: 3_600
            )
            return .init(
                id: id,
                severity: "warning",
                times: (600, 0),
                unless: [],
                words: [:],
                parts: [part]
            )
        }
        var stuffy = rule("stuffy")
        stuffy.origin = .ui
        var report = AlertsReport(
            isReady: true,
            number: 0,
            alerts: [],
            silences: [],
            rules: [stuffy],
            leftOutCount: 0
        )
        report.off = [rule("rise")]
        let words = "*/co2  mean of 60 min from 1500, until below 1350, warning, for 10 min, yours"
        #expect(AlertText.changed("stuffy", in: report) == "stuffy is on: \(words)")
        #expect(AlertText.changed("rise", in: report) == "rise is off")
        #expect(AlertText.changed("gone", in: report) == "gone is removed")
        let lines = AlertText.rules(report, Paint(isColoured: false))
        #expect(lines.last == "off: rise")
        #expect(throws: ClientFailure.self) {
            try AlertsAddCommand.demandFree("rise", in: report.rules + report.off, false)
        }
        #expect(throws: Never.self) {
            try AlertsAddCommand.demandFree("rise", in: report.off, true)
            try AlertsAddCommand.demandFree("stuffy", in: report.rules, false)
        }
    }

    @Test func anOwnersRuleThatTheFileHidesIsSaid() {
        var rule = AlertsReport.Rule(
            id: "stuffy",
            severity: "warning",
            times: (0, 0),
            unless: [],
            words: [:],
            parts: []
        )
        (rule.origin, rule.source) = (.file, "{}")
        let report = AlertsReport(
            isReady: true,
            number: 0,
            alerts: [],
            silences: [],
            rules: [rule],
            leftOutCount: 0
        )
        let words = "your rule stuffy is not in use: roost.json has one of this name"
        #expect(AlertText.alerts(report, Paint(isColoured: false)).contains(words))
    }

    /// A replay goes by the rules that the station has, with those of its owner.
    @Test func aReplayKnowsTheOwnersRules() throws {
        let folder = SimulatedFolder()
        let rule = #"{"channel": "*/co2", "when": {"value": {"atLeast": 1500}}}"#
        let overlay = #"{"alerts": {"rules": {"stuffy": \#(rule), "silent": {"isOn": false}}}}"#
        try folder.write(OverlayFile.name, Array(overlay.utf8))
        let base = try StationConfiguration.read(Array("{}".utf8), file: "roost.json")
        let rules = AlertsFile.overlaid(base, folder).rules.map(\.id)
        #expect(rules.contains("stuffy") && !rules.contains("silent"))
    }

    /// Ten months in a drawer: nothing says that the air was bad for so long.
    @Test func theStatusSaysWhatIsUnknown() {
        let summary = AlertsSummary([
            Self.alert("who-24h:balcony/pm25", blindHours: 3), Self.alert("silent:dust", days: 2),
        ])
        let lines = AlertText.summary(summary, Paint(isColoured: false))
        let unknown = lines.first { $0.contains("balcony") }
        #expect(unknown == "        WHO guideline, 24 h: balcony PM2.5  unknown for 3 h 0 min")
        #expect(lines.contains("        No values: dust  for 2 d 0 h"))
        let titles = ["dust": "Class 3b"]
        let titled = AlertText.summary(summary, titles: titles, Paint(isColoured: false))
        #expect(titled.contains("        No values: Class 3b  for 2 d 0 h"))
    }

    /// Neither why nor a doubt is a word of the engine.
    @Test func whyAndDoubtsAreSentences() {
        var silent = Self.alert("silent:dust", days: 2)
        silent.why = "replyTimeout"
        var humid = Self.alert("who-24h:balcony/pm25", days: 2)
        humid.flags = ["outOfRange", "flapping", "omitted:3"]
        var card = Self.alert("card:station", days: 2)
        card.why = "the card has 2 % left"
        let lines = Self.lines([silent, humid, card])
        #expect(lines.contains("        sensor silent"))
        #expect(lines.contains("        no part can give this: it counts nowhere"))
        #expect(lines.contains("        it keeps coming and going"))
        #expect(lines.contains("        values that cannot be, left out: 3"))
        #expect(lines.contains("        the card has 2 % left"))
    }

    @Test func sentencesComeBeforeTheKeysThatCommandsTake() {
        let lines = Self.lines([
            Self.alert("who-24h:balcony/pm25", days: 2, blindHours: 3),
            Self.alert("store:station", days: 2), Self.alert("mine:balcony/co2", state: "pending"),
        ])
        let head = "     17 warning  WHO guideline, 24 h: balcony PM2.5, raised for 2 d 0 h"
        #expect(lines.contains(head))
        #expect(lines.contains("        unknown for 3 h 0 min: was stopped"))
        #expect(lines.contains("        key who-24h:balcony/pm25"))
        #expect(lines.contains("     17 warning  Store in trouble, raised for 2 d 0 h"))
        #expect(lines.contains("      - warning  mine: balcony CO2, not yet raised for 329 d 0 h"))
        #expect(lines.contains("  Sudden rise: attic PM10 (rise:attic/pm10) for 10 min 0 s more"))
    }
}
