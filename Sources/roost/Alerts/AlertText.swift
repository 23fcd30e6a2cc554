import Alerts
import ClientSupport
import ControlProtocol
import Core

/// Alerts and rules as lines of text.
enum AlertText {
    static func alerts(_ report: AlertsReport, _ paint: Paint) -> [String] {
        var lines: [String] = []
        if !report.isReady { lines.append("no alert is raised before the store is open") }
        let raised = report.alerts.filter { $0.level > 0 }
        if raised.isEmpty { lines.append(paint("nothing is raised", .green)) }
        let titles = report.titles ?? [:]
        lines += raised.flatMap { alert($0, titles, paint) }
        let pending = report.alerts.filter { $0.level == 0 }
        if !pending.isEmpty { lines.append("pending:") }
        lines += pending.flatMap { alert($0, titles, paint) }
        if !report.silences.isEmpty { lines.append("silenced:") }
        lines += report.silences.map { silence in
            let length = durationText(seconds: silence.seconds)
            return "  \(name(silence.key, titles)) (\(silence.key)) for \(length) more"
        }
        for rule in report.rules where rule.origin == .file && rule.source != nil {
            lines.append("your rule \(rule.id) is not in use: roost.json has one of this name")
        }
        if report.leftOutCount > 0 {
            lines.append("\(report.leftOutCount) more are not looked at: there is no place")
        }
        return lines
    }

    /// Returns the raised alerts as lines of the status.
    ///
    /// - Parameter titles: What people call devices, by their names.
    static func summary(
        _ summary: AlertsSummary?,
        titles: [String: String] = [:],
        _ paint: Paint
    ) -> [String] {
        guard let summary, summary.raisedCount > 0 else { return [] }
        let known = summary.acknowledgedCount
        let acknowledged = known > 0 ? ", \(known) acknowledged" : ""
        let head = "alerts  \(summary.raisedCount) raised\(acknowledged): roost alerts"
        return [head]
            + summary.raised.map { alert in
                let colour: Paint.Colour = alert.severity == "critical" ? .red : .yellow
                // Without a value it is not known whether it still holds.
                let length =
                    alert.blind == nil
                    ? "for \(durationText(seconds: alert.sinceSeconds))"
                    : "unknown" + unknown(alert)
                return "        \(paint(name(alert.key, titles), colour))  \(length)"
            }
    }

    private static func name(_ key: String, _ titles: [String: String]) -> String {
        AlertNames.name(of: key, in: .en, titles: titles)
    }

    private static func unknown(_ alert: AlertsReport.Alert) -> String {
        alert.blindSeconds.map { " for \(durationText(seconds: $0))" } ?? ""
    }

    private static func alert(
        _ alert: AlertsReport.Alert,
        _ titles: [String: String],
        _ paint: Paint
    ) -> [String] {
        let number = alert.n.map { "\($0)" } ?? "-"
        let colour: Paint.Colour = alert.severity == "critical" ? .red : .yellow
        let state = alert.state == "pending" ? "not yet raised" : alert.state
        let head =
            "  \(number.aligned(to: 5)) \(paint(alert.severity.column(9), colour))"
            + "\(name(alert.key, titles)), \(state) for "
            + durationText(seconds: alert.sinceSeconds)
        return [head] + facts(alert, titles).map { "        \($0)" }
    }

    private static func facts(
        _ alert: AlertsReport.Alert,
        _ titles: [String: String]
    ) -> [String] {
        let unit = alert.unit.map { " \($0)" } ?? ""
        var facts: [String] = []
        if let value = alert.value {
            let over = alert.overSeconds.map { ", mean of \(span($0))" } ?? ""
            let limit = alert.limit.map { ", limit \(number($0))" } ?? ""
            let worst = alert.worst.map { ", worst \(number($0))" } ?? ""
            facts.append("\(number(value))\(unit)\(over)\(limit)\(worst)\(cover(alert.cover))")
        }
        if let why = alert.why { facts.append(AlertNames.reason(why, in: .en)) }
        if let blind = alert.blind {
            facts.append("unknown\(unknown(alert)): \(WatchSections.reason(blind))")
        }
        facts += alert.flags.map(AlertNames.doubt)
        if alert.isAcknowledged {
            let length = alert.acknowledgedSeconds.map { " for \(durationText(seconds: $0)) more" }
            facts.append("acknowledged\(length ?? "")")
        }
        if let seconds = alert.silencedSeconds {
            facts.append("silenced for \(durationText(seconds: seconds)) more")
        }
        if let other = alert.hiddenBy { facts.append("hidden by \(name(other, titles))") }
        facts.append("key \(alert.key)")
        return facts
    }

    static func rules(_ report: AlertsReport, _ paint: Paint) -> [String] {
        let off = report.off.map(\.id).joined(separator: ", ")
        let end = off.isEmpty ? [] : ["off: \(off)"]
        if report.rules.isEmpty { return ["there are no rules"] + end }
        let lines = report.rules.flatMap { rule -> [String] in
            let head = "\(paint.bold(rule.id))  \(facts(rule))"
            return [head] + rule.parts.map { "  \(shown($0))" }
                + rule.present.map { present in
                    let value = present.value.map(number) ?? "-"
                    return "    \(present.key.padded(to: 30)) \(present.state.column(8))"
                        + value + cover(present.cover)
                }
        }
        return lines + end
    }

    /// One line about a rule that a person has just changed.
    static func changed(_ id: String, in report: AlertsReport) -> String {
        if let rule = report.rules.first(where: { $0.id == id }) {
            return "\(id) is on: \(rule.parts.map(shown).joined(separator: "; ")), \(facts(rule))"
        }
        return report.off.contains { $0.id == id } ? "\(id) is off" : "\(id) is removed"
    }

    private static func facts(_ rule: AlertsReport.Rule) -> String {
        let lasting = rule.forSeconds > 0 ? ", for \(span(rule.forSeconds))" : ""
        let unless = rule.unless.isEmpty ? "" : ", unless \(rule.unless.joined(separator: " "))"
        let owner: [AlertsReport.Rule.Origin: String] = [.ui: ", yours", .file: ", roost.json"]
        let hides = rule.origin == .file && rule.source != nil ? ", hides yours of this name" : ""
        return "\(rule.severity)\(lasting)\(unless)\(owner[rule.origin] ?? "")\(hides)"
    }

    private static func shown(_ part: AlertsReport.Rule.Part) -> String {
        let over = part.overSeconds.map { " of \(span($0))" } ?? ""
        guard let limit = part.limits.first, let end = part.ends.first else {
            return "\(part.channels)  \(part.kind)\(over)"
        }
        let (from, to) = part.isFloor ? ("at most", "above") : ("from", "below")
        let second = part.limits.dropFirst().first.map { ", worse from \(number($0))" } ?? ""
        return "\(part.channels)  \(part.kind)\(over) \(from) \(number(limit)), until \(to) "
            + "\(number(end))\(second)"
    }

    static func replay(_ rows: [AlertReplay.Row], length: Int) -> [String] {
        let days = Double(length) / 86_400
        let head =
            "rule".padded(to: 16) + "episodes".aligned(to: 9) + "hours".aligned(to: 9)
            + "part".aligned(to: 8) + "median".aligned(to: 9)
            + AlertReplay.intervals.map { span($0).aligned(to: 9) }.joined()
        let lines = rows.map { row -> String in
            let part = length > 0 ? Double(row.raisedSeconds) / Double(length) * 100 : 0
            let hours = Double(row.raisedSeconds) / 3_600
            return row.rule.padded(to: 16) + "\(row.episodes)".aligned(to: 9)
                + number((hours * 10).rounded() / 10).aligned(to: 9)
                + "\(number((part * 10).rounded() / 10)) %".aligned(to: 8)
                + span(row.medianSeconds).aligned(to: 9)
                + AlertReplay.intervals.map { "\(row.notices[$0] ?? 0)".aligned(to: 9) }.joined()
        }
        return [
            "\(number((days * 10).rounded() / 10)) days; the last columns are notices of "
                + "a receiver that takes one in so long", head,
        ] + lines
    }

    private static func cover(_ share: Double?) -> String {
        share.map { $0 < 0.995 ? ", \(Int(($0 * 100).rounded())) % has values" : "" } ?? ""
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    }

    /// `24 h`, `15 min`.
    private static func span(_ seconds: Int) -> String {
        if seconds >= 2 * 86_400 { return "\(seconds / 86_400) d" }
        if seconds >= 7_200 { return "\(seconds / 3_600) h" }
        return seconds >= 120 ? "\(seconds / 60) min" : "\(seconds) s"
    }
}
