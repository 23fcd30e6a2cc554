/// How large a backlog was that is gone.
struct OutboxDrain: Sendable {
    /// A larger one is worth a word.
    private static let worth = 100

    private var peak = 0

    init() {}

    mutating func see(_ waiting: Int) { peak = max(peak, waiting) }

    /// Nothing waits any more.
    ///
    /// - Parameter limit: What goes in one request is not worth a word either.
    /// - Returns: Events to report.
    mutating func end(worth limit: Int) -> [OutboxNotice] {
        defer { peak = 0 }
        return peak > max(Self.worth, limit) ? [.drained(count: peak)] : []
    }
}
