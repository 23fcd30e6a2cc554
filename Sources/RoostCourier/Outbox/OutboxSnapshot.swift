import Core

/// How far a task has got at one moment, with what it works with, for questions about its samples.
package struct OutboxSnapshot: Sendable {
    package let id: String
    package let marks: [StreamID: StreamCursor]
    package let totals: OutboxTotals
    /// The newest of those that were refused since the task began.
    package let refused: [RefusedSample]
    package let target: any SampleTarget
    package let source: any SampleSource
    package let network: any CourierNetwork
}

/// A sample that a target refused.
package struct RefusedSample: Hashable, Sendable {
    let stream: StreamID
    let place: OutboxPosition
}
