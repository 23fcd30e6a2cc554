import Core

/// State of a task at one moment, for questions about its samples.
struct OutboxSnapshot: Sendable {
    let id: String
    let marks: [StreamID: StreamCursor]
    let totals: OutboxTotals
    /// The newest of the samples refused since the task began.
    let refused: [RefusedSample]
    let target: any SampleTarget
    let source: any OutboxSampleSource
    let network: any CourierNetwork
}

/// A sample that a target refused.
struct RefusedSample: Hashable, Sendable {
    let stream: StreamID
    let place: OutboxPosition
}
