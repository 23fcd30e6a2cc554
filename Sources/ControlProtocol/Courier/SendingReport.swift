/// How one target or receiver of the courier stands, in short.
package struct SendingReport: Codable, Hashable, Sendable {
    package let id: String
    package let state: OutboxReport.State
    /// The state as text: `all is delivered`.
    package let sentence: String
    /// Reason as text without a secret; nil while all is well.
    package let why: String?
    /// Samples and notices that wait.
    package let waitingCount: Int
    /// Seconds since the last delivery; nil before the first of this process.
    package let lastDeliverySeconds: Double?

    package init(_ report: OutboxReport) {
        (id, state, sentence) = (report.id, report.state, report.sentence)
        (why, lastDeliverySeconds) = (report.why, report.lastDeliverySeconds)
        waitingCount = Int(report.samples?.waiting ?? 0) + Int(report.notices?.waiting ?? 0)
    }

    /// Whether a person has to do something, or something has failed.
    package var needsAttention: Bool { [.broken, .held, .later].contains(state) }
}

extension OutboxReport {
    /// The state as text.
    package var sentence: String {
        switch state {
        case .broken: "cannot start"
        case .waitsForStation: "waits for the station"
        case .idle where values != nil: "up to date"
        case .idle where waitsForPeriod: "all is delivered of periods that are over"
        case .idle: "all is delivered"
        case .waiting: "sends"
        case .later: "tries again"
        case .held: "held until you act"
        case .paused: "paused"
        }
    }
}
