/// One step of a down-sampled series.
package struct HistoryPoint: Hashable, Sendable {
    /// Most points of one answer; more are brought down to it.
    package static let countMax = 10_000

    /// Tenths from the axis' origin to its start.
    package let offset: Int64
    /// Tenths that it spans.
    package let width: Int64
    /// The measured values; count 0 without any.
    package var bucket = RollupBucket()

    package init(offset: Int64, width: Int64) {
        self.offset = offset
        self.width = width
    }

    /// Time that no value covers.
    package var gap: Duration {
        .milliseconds(max(0, width - bucket.covered) * 100)
    }
}
