import Alerts
import Configuration
import ControlProtocol
import HardwareIO
import Profiles

/// Carries out `changeRule` and `switchRule`.
struct ControlRules: Sendable {
    let station: StationState
    let settings: ControlSettings

    private var alerts: AlertsConfiguration { station.configuration.alerts }

    /// Adds or changes a rule; without one the rule is again what it was before the owner.
    ///
    /// - Throws: `ControlFailure`; nothing is changed then.
    func change(_ question: ChangeRule, by asker: ControlAsker) async throws {
        let id = question.name
        try demandOpen(id)
        var entry: [String: JSONValue]?
        if let text = question.rule {
            entry = try ControlSettings.object(text, "rule", as: #"{"when": {"stuck": {}}}"#)
            if entry?["id"] == .string(id) { entry?["id"] = nil }
        } else {
            guard station.settings.overlay.rules[id] != nil else {
                throw unknown(id, "the settings have no rule")
            }
        }
        try await settings.change(rule: id, by: asker) { $0.setting(rule: id, to: entry) }
    }

    /// Switches a rule of the owner, or a shipped one.
    func turn(_ question: SwitchRule, by asker: ControlAsker) async throws {
        let (id, alerts) = (question.name, alerts)
        try demandOpen(id)
        guard alerts.listed.contains(where: { $0.rule.id == id }) else {
            throw unknown(id, "there is no rule")
        }
        try await settings.change(rule: id, by: asker) { overlay in
            var entry: [String: JSONValue] = [:]
            if case .object(let fields)? = overlay.rules[id] { entry = fields }
            entry["isOn"] = nil
            let isOn = !entry.isEmpty || alerts.isUsed(id)
            if isOn != question.isOn { entry["isOn"] = .bool(question.isOn) }
            return overlay.setting(rule: id, to: entry.isEmpty ? nil : entry)
        }
    }

    private func demandOpen(_ id: String) throws(ControlFailure) {
        guard PlainName.fits(id) else {
            throw .badRequest("a rule's id is \(PlainName.form)", at: "/name")
        }
        guard alerts.own.contains(where: { $0.id == id }) else { return }
        let file = station.configuration.file
        throw ControlFailure(
            code: .conflict,
            message: "\(id) is a rule of \(file), which counts; change it there, then "
                + "`sudo systemctl reload roostd`"
        )
    }

    private func unknown(_ id: String, _ words: String) -> ControlFailure {
        let known = alerts.listed.filter { $0.origin != .file }.map(\.rule.id)
        let nearest = Spelling.nearest(to: id, among: known).map { "; did you mean \($0)?" } ?? ""
        return ControlFailure(
            code: .notFound,
            message: "\(words) \(PlainText.shown(id))\(nearest)"
        )
    }
}
