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
            let overlay = station.settings.overlay
            // What another person removed meanwhile is no mistake of this one.
            try demand(question.tag, of: id, in: overlay)
            guard overlay.rules[id] != nil else {
                throw unknown(id, "the settings have no rule")
            }
        }
        try await settings.change(rule: id, by: asker) { overlay throws(ControlFailure) in
            try demand(question.tag, of: id, in: overlay)
            return overlay.setting(rule: id, to: entry)
        }
    }

    /// Switches a rule of the owner, or a shipped one.
    func turn(_ question: SwitchRule, by asker: ControlAsker) async throws {
        let (id, alerts) = (question.name, alerts)
        try demandOpen(id)
        guard alerts.listed.contains(where: { $0.rule.id == id }) else {
            throw unknown(id, "there is no rule")
        }
        try await settings.change(rule: id, by: asker) { overlay throws(ControlFailure) in
            try demand(question.tag, of: id, in: overlay)
            var entry: [String: JSONValue] = [:]
            if case .object(let fields)? = overlay.rules[id] { entry = fields }
            entry["isOn"] = nil
            let isOn = !entry.isEmpty || alerts.isUsed(id)
            if isOn != question.isOn { entry["isOn"] = .bool(question.isOn) }
            return overlay.setting(rule: id, to: entry.isEmpty ? nil : entry)
        }
    }

    /// Refuses a change that was made from another state of a rule.
    private func demand(
        _ tag: String?,
        of id: String,
        in overlay: StationOverlay
    ) throws(ControlFailure) {
        guard let tag, tag != overlay.tag(rule: id) else { return }
        // An entry that does not count, as of a later version, is shown as none.
        let isShown = alerts.listed.contains { $0.rule.id == id && $0.source != nil }
        guard isShown || tag != StationOverlay.tag(ofRule: nil) else { return }
        throw ControlFailure(
            code: .precondition,
            message: "the rule \(id) was changed meanwhile, and stays so; read it again"
        )
    }

    private func demandOpen(_ id: String) throws(ControlFailure) {
        guard PlainName.fits(id) else {
            throw .badRequest("a rule's id is \(PlainName.form)", at: "/name")
        }
        guard alerts.isFixed(id) else { return }
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
