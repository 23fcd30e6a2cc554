import ControlProtocol

/// A rule with its owner's sentences, as a scripted station has it.
enum OwnRule {
    static let id = "stuffy"

    static var report: AlertsReport {
        let rule = AlertsReport.Rule(
            id: id,
            severity: "warning",
            times: (0, 0),
            unless: [],
            words: [
                "en": "Open a window: {value} {unit}", "it": "Apri la finestra: {value} {unit}",
            ],
            parts: []
        )
        return AlertsReport(
            isReady: true,
            number: 0,
            alerts: [],
            silences: [],
            rules: [rule],
            leftOutCount: 0
        )
    }
}
