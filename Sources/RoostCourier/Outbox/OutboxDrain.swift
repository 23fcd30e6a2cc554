/// Measures a backlog, for the notice when it is sent.
struct OutboxDrain: Sendable {
    /// Samples in a backlog above which its end is a notice.
    private static let worth = 100

    private var peak = 0

    init() {}

    mutating func see(_ waiting: Int) { peak = max(peak, waiting) }

    /// Records that no sample waits any more.
    ///
    /// - Parameter limit: Samples in one request; a backlog that fits in one is no notice either.
    /// - Returns: Events to report.
    mutating func end(worth limit: Int) -> [DeliveryNotice] {
        defer { peak = 0 }
        return peak > max(Self.worth, limit) ? [.drained(peak)] : []
    }
}
