import Alerts
import ControlProtocol
import FoundationEssentials
import HTTPTypes
import Testing

@testable import RoostWeb

@Suite struct AlertRoutesTests {
    private struct Rules: Decodable {
        struct Rule: Decodable { let id: String }

        let items: [Rule]
        let alerts: [AlertsReport.Rule]
    }

    private static let rule = AlertsReport.Rule(
        id: "who-24h",
        severity: "warning",
        times: (0, 0),
        unless: [],
        words: ["en": "say \"dust\""],
        parts: [
            .init(
                channels: "*/pm25",
                kind: "mean",
                limits: [15],
                ends: [13.5],
                isFloor: false,
                overSeconds: 86_400
            )
        ]
    )

    @Test func rulesHaveThoseOfTheLampTheGuidelinesAndTheAlerts() throws {
        let report = AlertsReport(
            isReady: true,
            number: 0,
            alerts: [],
            silences: [],
            rules: [Self.rule],
            leftOutCount: 0
        )
        let rules = RulesView(levels: LevelRule.all[1], alerts: report)
        #expect(rules.items.map(\.id) == ["eaqi", "who-2021"])
        #expect(rules.alerts == [Self.rule])
    }

    /// A silent sensor is an alert and a fault, and one thing for a person.
    @Test func anAlertAboutAFaultIsNamedOnce() {
        func rule(_ id: String, _ kind: String) -> AlertsReport.Rule {
            let part = AlertsReport.Rule.Part(
                channels: "*",
                kind: kind,
                limits: [],
                ends: [],
                isFloor: false,
                overSeconds: nil
            )
            return AlertsReport.Rule(
                id: id,
                severity: "warning",
                times: (0, 0),
                unless: [],
                words: [:],
                parts: [part]
            )
        }
        func alert(_ number: Int64?, _ key: String) -> AlertsReport.Alert {
            AlertsReport.Alert(
                n: number,
                key: key,
                state: "raised",
                level: 1,
                severity: "warning",
                sinceSeconds: 1
            )
        }
        let report = AlertsReport(
            isReady: true,
            number: 4,
            alerts: [
                alert(2, "silent:dust"), alert(3, "door:door"), alert(4, "silent-door:door"),
                alert(nil, "silent:attic"),
            ],
            silences: [],
            rules: [rule("silent", "silent"), rule("door", "event"), Self.rule],
            leftOutCount: 0
        )
        #expect(AlertsView(report).faultNumbers == [2])
    }

    /// A card has its lamp's rules, and no station that could raise anything.
    @Test func aCardHasNoAlerts() async throws {
        let routes = StationRoutes(nil, live: nil, name: "t", zone: "UTC", isSimulated: false)
        let stage = RouteStage(routes.all, as: .member)
        #expect(await stage.ask("/api/v1/alerts").status == .notFound)
        let rules = await stage.ask("/api/v1/rules")
        #expect(rules.status == .ok)
        let bytes = try await RouteStage.bytes(rules)
        #expect(try JSONDecoder().decode(Rules.self, from: Data(bytes)).alerts.isEmpty)
    }

    /// Viewers may not change alerts.
    @Test(arguments: ["/api/v1/alerts/1/ack", "/api/v1/alerts/1/snooze", "/api/v1/alerts/test"])
    func actingNeedsAMember(_ path: String) async {
        let routes = StationRoutes(nil, live: nil, name: "t", zone: "UTC", isSimulated: false).all
        let headers: HTTPFields = [.contentType: "application/json"]
        let viewer = await RouteStage(routes, as: .viewer).ask(path, .post, headers)
        #expect(viewer.status == .forbidden)
        let member = await RouteStage(routes, as: .member).ask(path, .post, headers)
        #expect(member.status != .forbidden)
    }

    @Test func changingRulesNeedsAnOwner() async {
        let routes = StationRoutes(nil, live: nil, name: "t", zone: "UTC", isSimulated: false).all
        let headers: HTTPFields = [.contentType: "application/json"]
        for method in [HTTPRequest.Method.put, .delete] {
            let (path, body) = ("/api/v1/rules/a", method == .put ? #"{"isOn": false}"# : "")
            for (right, code) in [(Right.member, 403), (.owner, 404)] {
                let stage = RouteStage(routes, as: right)
                let answer = await stage.ask(path, method, headers, body: body)
                #expect(answer.status.code == code)
            }
        }
    }

    /// Only an owner's browser clock is used.
    @Test func onlyAnOwnersBrowserMayOfferItsTime() async {
        let routes = StationRoutes(nil, live: nil, name: "t", zone: "UTC", isSimulated: false).all
        let headers: HTTPFields = [.contentType: "application/json"]
        for right in [Right.viewer, .member] {
            let refused = await RouteStage(routes, as: right).ask("/api/v1/time", .post, headers)
            #expect(refused.status == .forbidden)
        }
        let owner = await RouteStage(routes, as: .owner).ask("/api/v1/time", .post, headers)
        #expect(owner.status != .forbidden && owner.status != .notFound)
    }

    @Test(arguments: [
        ("alert raised", true), ("alert resolved", true), ("alerts standing", false),
        ("motion", false),
    ])
    func theLifeOfAnAlertIsAnItemOfItsOwn(_ kind: String, _ isAlert: Bool) throws {
        let event = EventReport(
            instantSeconds: 1,
            ageSeconds: 0,
            source: "alerts",
            kind: kind,
            severity: "warning",
            details: Details([])
        )
        let kinds = try LiveBroadcaster.items(of: LiveItem(event: event)).map(\.kind)
        #expect(kinds.contains("alert") == isAlert && kinds.contains("event"))
    }
}
