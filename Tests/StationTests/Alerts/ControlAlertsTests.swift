import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

@Suite struct ControlAlertsTests {
    private static let text = #"""
        {"name": "test",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "alerts": {"use": ["who-24h"], "rules": [
            {"id": "bad", "channel": "*/pm25", "when": {"value": {"atLeast": 5}}}]}}
        """#

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable (TestStation) async throws -> Value
    ) throws -> Value {
        try simulate { clock in
            let air = SDS011Air.constant(SDS011Measurement(pm25Tenths: 161, pm10Tenths: 300))
            let test = try TestStation(clock, text, air: air)
            return try await test.run { test in
                try await test.sleep(.minutes(11))
                return try await body(test)
            }
        }
    }

    @Test func theReportHasWhatIsRaisedAndEachRuleWithItsValues() throws {
        let (report, summary) = try Self.run { test in
            let answer = try await test.ask(GetAlerts())
            return (try #require(answer.body), test.station.status.alerts)
        }
        #expect(report.isReady && report.number == 1 && report.leftOutCount == 0)
        let alert = try #require(report.alerts.first)
        #expect(report.alerts.count == 1 && alert.n == 1 && alert.key == "bad:dust/pm25")
        #expect(alert.state == "raised" && alert.level == 1 && alert.severity == "warning")
        #expect(alert.value == 16.1 && alert.worst == 16.1 && alert.limit == 5)
        #expect(alert.unit == "µg/m³" && (200...700).contains(alert.sinceSeconds))
        #expect(report.rules.map(\.id) == ["who-24h", "bad"])
        let day = report.rules[0]
        #expect(
            day.parts.map(\.limits) == [[15], [45]] && day.parts.map(\.ends) == [[13.5], [40.5]]
        )
        #expect(day.present.map(\.key) == ["who-24h:dust/pm10", "who-24h:dust/pm25"])
        // Minutes of a day.
        #expect(day.present.allSatisfy { (0.001...0.02).contains($0.cover ?? 0) })
        #expect(summary?.raisedCount == 1 && summary?.raised.map(\.n) == [1])
        #expect(summary?.acknowledgedCount == 0 && summary?.pendingCount == 0)
    }

    @Test func aPersonAcknowledgesAndSilencesAndEventsSayWho() throws {
        let (acknowledged, silenced, after, events) = try Self.run { test in
            let first = try await test.ask(AcknowledgeAlert(1, seconds: 3_600), for: "Ada")
            let second = try await test.ask(SilenceAlerts("bad:dust/pm25", seconds: 600))
            let third = try await test.ask(UnsilenceAlerts("bad:dust/pm25"))
            return (first.body, second.body, third.body, test.events)
        }
        #expect((3_590...3_600).contains(acknowledged?.alerts.first?.acknowledgedSeconds ?? 0))
        #expect(acknowledged?.alerts.first?.isAcknowledged == true)
        #expect(silenced?.silences.map(\.key) == ["bad:dust/pm25"])
        #expect((590...600).contains(silenced?.alerts.first?.silencedSeconds ?? 0))
        #expect(after?.silences.isEmpty == true)
        let own = events.filter { $0.source == "alerts" }
        #expect(
            own.map(\.kind.name) == [
                "alert raised", "alert acknowledged", "alert silenced", "alert silenced",
            ]
        )
        #expect(own[1]["by"] == "Ada" && own[1]["n"] == "2" && own[1]["raise"] == "1")
        #expect(own[3]["for"] == "0 s")
    }

    @Test func whatIsAcknowledgedForGoodHasNoEnd() throws {
        let (alert, summary) = try Self.run { test in
            let answer = try await test.ask(AcknowledgeAlert(1))
            return (answer.body?.alerts.first, test.station.status.alerts)
        }
        #expect(alert?.isAcknowledged == true && alert?.acknowledgedSeconds == nil)
        #expect(summary?.raised.isEmpty == true && summary?.acknowledgedCount == 1)
    }

    @Test func aTestIsANoticeAndNoAlert() throws {
        let (report, event) = try Self.run { test in
            let refused = try await test.ask(TestAlert("who-24h", value: 1e9))
            #expect(refused.error?.code == .badRequest)
            let made = try await test.ask(TestAlert("who-24h", value: 31))
            return (made.body, test.events.last { $0.source == "alerts" })
        }
        #expect(report?.number == 2 && report?.alerts.count == 1)
        #expect(event?.kind.name == "alert raised" && event?["flags"] == "test")
        #expect(event?["value"] == "31.0" && event?["key"] == "who-24h:test")
    }

    /// It has the rule's own last value, and a second tap sends nothing more.
    @Test func aTestHasNoInventedValue() throws {
        let (reports, events) = try Self.run { test in
            let first = try await test.ask(TestAlert("bad")).body
            let second = try await test.ask(TestAlert("bad")).body
            let events = test.events.filter { $0["flags"] == "test" }
            return ([first, second], events)
        }
        #expect(reports.map(\.?.number) == [2, 2])
        #expect(events.map { $0["value"] } == ["16.1"])
    }

    @Test func whatCannotBeDoneIsRefusedWithWhatThereIs() throws {
        let failures = try Self.run { test in
            let answers = [
                try await test.ask(TestAlert("bad", receiver: "A")),
                try await test.ask(AcknowledgeAlert(7)),
                try await test.ask(AcknowledgeAlert(1, seconds: -1)),
                try await test.ask(SilenceAlerts("dust", seconds: 60)),
                try await test.ask(SilenceAlerts("bad:dust/pm25", seconds: 0)),
                try await test.ask(SilenceAlerts("worse:dust/pm25", seconds: 60)),
                try await test.ask(UnsilenceAlerts("bad:dust/pm25")),
            ]
            return answers.map(\.error)
        }
        #expect(
            failures.map(\.?.code) == [
                .badRequest, .notFound, .badRequest, .badRequest, .badRequest,
                .notFound, .notFound,
            ]
        )
        #expect(failures[1]?.message == "no alert 7 is raised; raised: 1")
    }
}
