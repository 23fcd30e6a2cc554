/// How much an alert matters; receivers choose by it.
package enum AlertSeverity: String, Comparable, Sendable, CaseIterable {
    case notice, warning, critical

    package static func < (left: AlertSeverity, right: AlertSeverity) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Severity of the event that reports the alert.
    ///
    /// From a warning on an event is on the card within two seconds.
    var ofEvent: EventSeverity {
        switch self {
        case .notice: .notice
        case .warning: .warning
        case .critical: .error
        }
    }
}
