import ControlProtocol
import Synchronization

/// A rule with sentences of its owner, as a scripted station reports it.
enum OwnRule {
    static let id = "stuffy"

    static func report(_ alerts: [AlertsReport.Alert]) -> AlertsReport {
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
            alerts: alerts,
            silences: [],
            rules: [rule],
            leftOutCount: 0
        )
    }
}

/// The zone and the alerts of a scripted station, which a test may change.
final class StationSays: Sendable {
    private let state = Mutex(
        (zone: String?.none, alerts: [AlertsReport.Alert](), finds: Bool?.none)
    )

    var zone: String? { state.withLock { $0.zone } }
    var alerts: [AlertsReport.Alert] { state.withLock { $0.alerts } }
    var findsStations: Bool? { state.withLock { $0.finds } }

    func set(findsStations finds: Bool?) { state.withLock { $0.finds = finds } }
    func set(zone: String) { state.withLock { $0.zone = zone } }
    func set(alerts: [AlertsReport.Alert]) { state.withLock { $0.alerts = alerts } }
}
