import Alerts
import ControlProtocol
import Core

/// Carries out what people ask of alerts.
struct ControlAlerts: Sendable {
    private static let keyLimit = 200
    /// Greater values are no measurement; with their decimals they fit a notice.
    private static let valueLimit = 1e8

    let alerts: AlertService

    /// - Throws: `ControlFailure` `not-found`.
    func acknowledge(
        _ question: AcknowledgeAlert,
        by asker: ControlAsker
    ) throws(ControlFailure) -> AlertsReport {
        let (number, seconds) = (question.n, question.seconds.map { Int($0.rounded()) })
        let event = alerts.act { book, now in
            book.acknowledge(number, by: asker.shown, for: seconds, at: now)
        }
        guard event == nil else { return alerts.report(withRules: true) }
        let raised = alerts.report(withRules: false).alerts.compactMap(\.n).map { "\($0)" }
        throw ControlFailure(
            code: .notFound,
            message: "no alert \(number) is raised; "
                + (raised.isEmpty ? "none is" : "raised: \(raised.joined(separator: ", "))")
        )
    }

    /// Silences a key, or ends its silence.
    ///
    /// - Parameter seconds: Length of the silence; 0 ends it.
    /// - Throws: `ControlFailure` `bad-request`, `not-found`, `busy`,
    ///   `not-offered`.
    func silence(
        _ text: String,
        seconds: Double,
        by asker: ControlAsker
    ) throws(ControlFailure) -> AlertsReport {
        guard text.utf8.count <= Self.keyLimit, text.isOneLine, let key = AlertEvent.Key(text)
        else {
            throw .badRequest(
                "key is a rule and what it is about, as who-24h:balcony/pm25",
                at: "/key"
            )
        }
        let length = Int(seconds.rounded())
        let report = alerts.report(withRules: true)
        guard report.rules.contains(where: { $0.id == key.rule }) else {
            let known = report.rules.map(\.id).joined(separator: ", ")
            throw ControlFailure(
                code: .notFound,
                message: "no rule is named \(key.rule); there are: \(known)"
            )
        }
        if length == 0, !report.silences.contains(where: { $0.key == text }) {
            let silenced = report.silences.map(\.key).joined(separator: ", ")
            throw ControlFailure(
                code: .notFound,
                message: "\(text) is not silenced; "
                    + (silenced.isEmpty ? "nothing is" : "silenced: \(silenced)")
            )
        }
        let event = alerts.act { book, now in
            book.silence(key, for: length, by: asker.shown, at: now)
        }
        guard event == nil else { return alerts.report(withRules: true) }
        guard report.isReady else { throw Self.waiting }
        throw ControlFailure(
            code: .busy,
            message: "\(AlertBounds.silenceLimit) keys are silenced; end one first"
        )
    }

    /// Raises a test with the value that was asked for, else with the rule's last one, if any.
    ///
    /// The same test again within seconds is a second tap, and answered like the first.
    ///
    /// - Throws: `ControlFailure` `not-found`, `not-offered`.
    func test(_ question: TestAlert) throws(ControlFailure) -> AlertsReport {
        let (rule, receiver) = (question.name, question.receiver)
        let present = alerts.report(withRules: true).rules.first { $0.id == rule }?.present
        let last = present?.lazy.compactMap(\.value).first { $0.magnitude < Self.valueLimit }
        func fixed(_ value: Double) -> FixedPoint {
            FixedPoint(Int64((value * 10).rounded()), decimals: 1)
        }
        let (asked, value) = (question.value.map(fixed), (question.value ?? last).map(fixed))
        let event = alerts.act { book, now in
            book.test(rule, value: value, asked: asked, to: receiver, at: now)
        }
        let report = alerts.report(withRules: true)
        guard event == nil else { return report }
        guard report.isReady else { throw Self.waiting }
        if report.rules.contains(where: { $0.id == rule }) { return report }
        let known = report.rules.map(\.id).joined(separator: ", ")
        throw ControlFailure(
            code: .notFound,
            message: "no rule is named \(rule.prefix(64)); there are: \(known)"
        )
    }

    private static let waiting = ControlFailure(
        code: .notOffered,
        message: "the store is not open yet, and alerts wait for it"
    )
}
