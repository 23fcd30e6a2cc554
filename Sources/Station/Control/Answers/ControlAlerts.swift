import Alerts
import ControlProtocol
import Core

/// Carries out what people ask of alerts.
struct ControlAlerts: Sendable {
    /// The longest that an alert is acknowledged or a key silenced.
    static let longest = 366 * 86_400.0
    private static let keyLimit = 200

    let alerts: AlertService

    /// The line that answers `alerts`, `acknowledge`, `silence`, `unsilence` or `testAlert`.
    func answer(
        _ request: ControlRequest,
        by asker: ControlAsker
    ) throws(ControlFailure) -> AlertsReport {
        switch request.command {
        case .acknowledge: try acknowledge(request, by: asker)
        case .silence, .unsilence: try silence(request, by: asker)
        case .testAlert: try test(request)
        default: break
        }
        return alerts.report(withRules: true)
    }

    private func acknowledge(
        _ request: ControlRequest,
        by asker: ControlAsker
    ) throws(ControlFailure) {
        guard let number = request.n else {
            throw ControlFailure(code: .badRequest, message: "n is the number of an alert")
        }
        let seconds = try seconds(request)
        let event = alerts.act { book, now in
            book.acknowledge(number, by: asker.shown, for: seconds, at: now)
        }
        guard event == nil else { return }
        let raised = alerts.report(withRules: false).alerts.compactMap(\.n).map { "\($0)" }
        throw ControlFailure(
            code: .notFound,
            message: "no alert \(number) is raised; "
                + (raised.isEmpty ? "none is" : "raised: \(raised.joined(separator: ", "))")
        )
    }

    private func silence(
        _ request: ControlRequest,
        by asker: ControlAsker
    ) throws(ControlFailure) {
        guard let text = request.key, text.utf8.count <= Self.keyLimit,
            ControlAsker.isPlain(text), let key = AlertEvent.Key(text)
        else {
            throw ControlFailure(
                code: .badRequest,
                message: "key is a rule and what it is about, as who-24h:balcony/pm25",
                pointer: "/key"
            )
        }
        let isEnd = request.command == .unsilence
        let length = isEnd ? 0 : try seconds(request)
        guard let length else {
            throw ControlFailure(code: .badRequest, message: "seconds is how long")
        }
        let report = alerts.report(withRules: true)
        guard report.rules.contains(where: { $0.id == key.rule }) else {
            let known = report.rules.map(\.id).joined(separator: ", ")
            throw ControlFailure(
                code: .notFound,
                message: "no rule is named \(key.rule); there are: \(known)"
            )
        }
        if isEnd, !report.silences.contains(where: { $0.key == text }) {
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
        guard event == nil else { return }
        guard report.isReady else { throw Self.waiting }
        throw ControlFailure(
            code: .busy,
            message: "\(AlertBounds.silenceLimit) keys are silenced; end one first"
        )
    }

    private func test(_ request: ControlRequest) throws(ControlFailure) {
        guard let rule = request.name else {
            throw ControlFailure(code: .badRequest, message: "name is a rule's")
        }
        let value = request.value
        guard value.map({ abs($0) < 1e9 }) ?? true else {
            throw ControlFailure(code: .badRequest, message: "value is below 1e9")
        }
        let fixed = value.map { FixedPoint(Int64(($0 * 10).rounded()), decimals: 1) }
        let receiver = request.receiver
        guard receiver.map(Self.isID) ?? true else {
            throw ControlFailure(
                code: .badRequest,
                message: "receiver is the id of one: 1 to 32 of a…z, 0…9, - and _",
                pointer: "/receiver"
            )
        }
        let event = alerts.act { book, _ in book.test(rule, value: fixed, to: receiver) }
        guard event == nil else { return }
        let report = alerts.report(withRules: true)
        guard report.isReady else { throw Self.waiting }
        let known = report.rules.map(\.id).joined(separator: ", ")
        throw ControlFailure(
            code: .notFound,
            message: "no rule is named \(rule.prefix(64)); there are: \(known)"
        )
    }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122) ~= $0 || (48...57) ~= $0 || $0 == 45 || $0 == 95
            }
    }

    private static let waiting = ControlFailure(
        code: .notOffered,
        message: "the store is not open yet, and alerts wait for it"
    )

    private func seconds(_ request: ControlRequest) throws(ControlFailure) -> Int? {
        guard let seconds = request.seconds else { return nil }
        guard (1...Self.longest).contains(seconds) else {
            throw ControlFailure(
                code: .badRequest,
                message: "seconds is 1 to \(Int(Self.longest))",
                pointer: "/seconds"
            )
        }
        return Int(seconds.rounded())
    }
}
