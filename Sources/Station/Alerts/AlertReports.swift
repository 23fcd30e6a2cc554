import Alerts
import Configuration
import ControlProtocol
import Core

/// Makes reports of an engine.
struct AlertReports {
    let engine: AlertEngine
    /// Rules of the configuration, in use or not.
    let listed: [ListedRule]
    let isReady: Bool
    /// The second of now.
    let now: Int

    func report(withRules: Bool) -> AlertsReport {
        let shown = engine.tracks.filter { $0.life.phase != .quiet }
        let raised = shown.filter { $0.life.level > 0 }.sorted { $0.raise < $1.raise }
        let pending = shown.filter { $0.life.level == 0 }
        var report = AlertsReport(
            isReady: isReady,
            number: engine.number,
            alerts: (raised + pending).map(alert),
            silences: engine.silences.filter { now < $0.value }
                .map { .init(key: "\($0.key)", seconds: Double($0.value - now)) }
                .sorted { $0.key < $1.key },
            rules: withRules ? rules : [],
            leftOutCount: engine.leftOut.count
        )
        if withRules { report.off = listed.filter { !$0.isOn }.map(Self.report) }
        return report
    }

    private func alert(_ track: AlertTrack) -> AlertsReport.Alert {
        let isRaised = track.life.level > 0
        let since = isRaised ? track.life.raisedAt : track.life.pendingSince ?? now
        var alert = AlertsReport.Alert(
            n: isRaised ? track.raise : nil,
            key: "\(track.key)",
            state: track.life.phase.rawValue,
            level: track.life.level,
            severity: engine.severity(of: track).rawValue,
            sinceSeconds: Double(now - since)
        )
        alert.value = track.shown(track.value)?.doubleValue
        alert.worst = track.shown(track.worst)?.doubleValue
        alert.limit = track.shown(limit(track))?.doubleValue
        (alert.unit, alert.overSeconds) = (track.unit, track.condition?.averagingSeconds)
        alert.cover = engine.coverage(of: track, at: now)
        (alert.blind, alert.why) = (track.life.blind?.why, track.why)
        alert.blindSeconds = track.life.blind.map { Double(now - $0.since) }
        alert.flags = track.doubts
        alert.hiddenBy = track.hiddenBy
        alert.isAcknowledged = track.life.isAcknowledged(at: now)
        if alert.isAcknowledged, let until = track.life.acknowledgedUntil, until < .max {
            alert.acknowledgedSeconds = Double(until - now)
        }
        if let until = engine.silences[track.key], now < until {
            alert.silencedSeconds = Double(until - now)
        }
        return alert
    }

    /// Limit of the step that the alert has reached.
    private func limit(_ track: AlertTrack) -> Double? {
        guard let scale = track.condition?.scale else { return track.limit }
        return scale.steps[max(0, min(track.life.level, scale.steps.count) - 1)].limit
    }

    private var rules: [AlertsReport.Rule] {
        let tracks = Dictionary(grouping: engine.tracks, by: \.key.rule)
        return listed.filter(\.isOn).map { listed in
            var report = Self.report(listed)
            report.present = (tracks[listed.rule.id] ?? []).map { track in
                AlertsReport.Rule.Present(
                    key: "\(track.key)",
                    state: track.life.phase.rawValue,
                    value: track.shown(track.value)?.doubleValue,
                    cover: engine.coverage(of: track, at: now)
                )
            }
            return report
        }
    }

    private static func report(_ listed: ListedRule) -> AlertsReport.Rule {
        let rule = listed.rule
        var report = AlertsReport.Rule(
            id: rule.id,
            severity: rule.severity.rawValue,
            times: (rule.forSeconds, rule.untilSeconds),
            unless: rule.unless.names,
            words: rule.words,
            parts: rule.parts.map(part)
        )
        report.origin =
            switch listed.origin {
            case .shipped: .shipped
            case .file: .file
            case .owner: .ui
            }
        report.source = listed.source
        report.tag = StationOverlay.tag(ofRule: listed.source)
        return report
    }

    private static func part(_ part: AlertRule.Part) -> AlertsReport.Rule.Part {
        let scale = part.condition.scale
        var report = AlertsReport.Rule.Part(
            channels: part.pattern,
            kind: part.condition.kind,
            limits: scale?.steps.map(\.limit) ?? [],
            ends: scale?.steps.map(\.until) ?? [],
            isFloor: scale?.isFloor ?? false,
            overSeconds: part.condition.averagingSeconds
        )
        switch part.condition {
        case .silent(let intervals): report.intervalCount = intervals
        case .laser(let used, let days): (report.usedPercent, report.daysLeft) = (used, days)
        default: break
        }
        return report
    }
}
