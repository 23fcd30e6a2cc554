import Core

/// Next step of an outbox.
enum OutboxDecision: Hashable, Sendable {
    /// Nothing to send before then, or before something is recorded.
    case wait(until: MonotonicInstant?)
    case send(OutboxBatch.Lane, limit: Int)
    /// Send the first sample after a moment, to see whether the target accepts it; it still waits.
    ///
    /// The sample is of one stream, or of any.
    case probe(after: WallTime, of: StreamID?)
}
