import ControlProtocol

/// The alerts of the station as they are now, and what people call its devices.
struct PresentAlerts: Sendable {
    /// By the numbers of their raises.
    var alerts: [Int64: AlertsReport.Alert] = [:]
    /// Titles of devices, by their names.
    var titles: [String: String] = [:]
}

extension PresentAlerts {
    init(_ report: AlertsReport) {
        let pairs = report.alerts.compactMap { one in one.n.map { ($0, one) } }
        self.init(alerts: Dictionary(pairs) { first, _ in first }, titles: report.titles ?? [:])
    }
}
