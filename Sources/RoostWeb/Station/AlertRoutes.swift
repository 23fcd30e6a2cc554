import Alerts
import ControlProtocol
import HTTPTypes

/// Routes to read alerts and to acknowledge or silence them.
struct AlertRoutes: Sendable {
    /// Longest snooze of an alert in seconds, a day: then notices are sent again.
    private static let snoozeMax = 86_400.0

    let questions: StationQuestions

    var all: [Route] {
        [
            Route(.get, "/api/v1/alerts", .viewer, scope: .read) { request in
                try .json(AlertsView(try await report()))
            }
            .about("What is raised, what waits, and what is silenced.", answers: AlertsView.self),
            Route(.get, "/api/v1/rules", .viewer, scope: .read) { request in
                try .json(await rules())
            }
            .about(
                "The limits that lamp and levels go by, and the rules of alerts.",
                answers: RulesView.self
            ),
            Route(.put, "/api/v1/rules/{id}", .owner) { request in
                try await change(request, to: String(decoding: request.body, as: UTF8.self))
            }
            .about(
                "Adds or changes a rule of the owner, without a restart.",
                headers: [Self.match],
                takes: RuleEntry.self,
                answers: RulesView.self
            ),
            Route(.delete, "/api/v1/rules/{id}", .owner) { try await change($0, to: nil) }
                .about(
                    "Removes a rule of the owner, or takes back what was changed of a shipped one.",
                    headers: [Self.match],
                    answers: RulesView.self
                ),
            Route(.post, "/api/v1/alerts/{n}/ack", .member, scope: .write) {
                try await acknowledge($0)
            }
            .about(
                "Says that a person knows of an alert, for a while or not.",
                takes: Length.self,
                answers: AlertsView.self
            ),
            Route(.post, "/api/v1/alerts/{n}/snooze", .member, scope: .write) {
                try await snooze($0)
            }
            .about(
                "Holds its notices back, for a day at most.",
                takes: Length.self,
                answers: AlertsView.self
            ),
            Route(.post, "/api/v1/alerts/test", .member, scope: .write) {
                try await test($0)
            }
            .about(
                "Raises a notice of a rule, marked as a test.",
                takes: Test.self,
                answers: AlertsView.self
            ),
        ]
    }

    /// The `tag` of the rule in `/rules`, `none` for a new one: another state is not overwritten.
    private static let match = RequestHeader("If-Match")

    private func report() async throws -> AlertsReport {
        try await questions.ask(GetAlerts())
    }

    /// Returns the rules; no alerts' for a card without its station and for one that is away.
    private func rules() async throws -> RulesView {
        let none = RulesView(levels: .sampleLevels, alerts: nil)
        guard questions.station != nil else { return none }
        do {
            let levels = try await questions.ask(GetStatus()).levels.flatMap(LevelRule.named)
            return RulesView(levels: levels ?? .sampleLevels, alerts: try await report())
        } catch let problem as Problem where problem.kind == .stationDown {
            return none
        }
    }

    private func change(_ request: WebRequest, to rule: String?) async throws -> WebResponse {
        let question = ChangeRule(
            request.parameters["id"] ?? "",
            rule: rule,
            tag: try Self.match.value(in: request).flatMap(EntityTag.value)
        )
        _ = try await questions.ask(question, for: request)
        return try .json(await rules())
    }

    private struct Length: Decodable { let seconds: Double? }

    private func acknowledge(_ request: WebRequest) async throws -> WebResponse {
        let body = try length(request)
        let question = AcknowledgeAlert(try number(request), seconds: body.seconds)
        return try await answer(question, request)
    }

    /// Holds back the notices of an alert, and never what the lamp shows.
    private func snooze(_ request: WebRequest) async throws -> WebResponse {
        let body = try length(request)
        guard let seconds = body.seconds, (1...Self.snoozeMax).contains(seconds) else {
            throw Problem.badRequest("seconds is 1 to \(Int(Self.snoozeMax))")
        }
        let number = try number(request)
        guard let alert = try await report().alerts.first(where: { $0.n == number }) else {
            throw Problem(.notFound, "no alert \(number) is raised")
        }
        return try await answer(SilenceAlerts(alert.key, seconds: seconds), request)
    }

    private struct Test: Decodable {
        let rule: String
        let value: Double?
        let receiver: String?
    }

    private func test(_ request: WebRequest) async throws -> WebResponse {
        let body = try request.decoded(Test.self)
        let question = TestAlert(body.rule, value: body.value, receiver: body.receiver)
        return try await answer(question, request)
    }

    private func length(_ request: WebRequest) throws -> Length {
        guard !request.body.isEmpty else { return Length(seconds: nil) }
        return try request.decoded(Length.self)
    }

    private func number(_ request: WebRequest) throws -> Int64 {
        guard let text = request.parameters["n"], let number = Int64(text), number > 0 else {
            throw Problem(.notFound, "an alert has a number")
        }
        return number
    }

    private func answer<Asked: Question>(
        _ question: Asked,
        _ request: WebRequest
    ) async throws -> WebResponse where Asked.Answer == AlertsReport {
        try .json(AlertsView(try await questions.ask(question, for: request)))
    }
}

/// The alerts as `/alerts` has them: all but the rules, which `/rules` has.
struct AlertsView: Codable, Sendable {
    let isReady: Bool
    let number: Int64
    let alerts: [AlertsReport.Alert]
    let silences: [AlertsReport.Silence]
    let leftOutCount: Int
    /// Numbers of alerts about what the station also names as a fault.
    let faultNumbers: [Int64]

    init(_ report: AlertsReport) {
        let rules = report.rules.filter { $0.parts.contains { Self.faults.contains($0.kind) } }
        faultNumbers = report.alerts
            .filter { alert in rules.contains { alert.key.hasPrefix("\($0.id):") } }
            .compactMap(\.n)
        (isReady, number, alerts) = (report.isReady, report.number, report.alerts)
        (silences, leftOutCount) = (report.silences, report.leftOutCount)
    }

    /// Kinds of rules whose condition is a fault of the station, too.
    private static let faults: Set = [
        "silent", "stuck", "card", "power", "clock", "store", "outbox",
    ]
}
