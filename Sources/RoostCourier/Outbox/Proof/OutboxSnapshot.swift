import Core

/// State of a task at one moment, for questions about its samples.
package struct OutboxSnapshot: Sendable {
    package let id: String
    package let marks: [StreamID: StreamCursor]
    package let totals: OutboxTotals
    /// The newest of the samples refused since the task began.
    package let refused: [RefusedSample]
    package let target: any SampleTarget
    package let source: any OutboxSampleSource
    package let network: any CourierNetwork
}

/// A sample that a target refused.
package struct RefusedSample: Hashable, Sendable {
    let stream: StreamID
    let place: OutboxPosition
}
