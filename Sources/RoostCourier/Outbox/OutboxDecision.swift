import Core

/// What an outbox does next.
package enum OutboxDecision: Hashable, Sendable {
    /// Nothing to send before then, or before something is recorded.
    case wait(until: MonotonicInstant?)
    case send(OutboxBatch.Lane, limit: Int)
    /// The first sample after a moment, to see whether the target takes such; it waits on.
    ///
    /// Of one stream, or of all.
    case probe(after: WallTime, of: StreamID?)
}
