/// Receives readings and events from drivers.
///
/// Never waits for the card: an implementation queues, and reports when the queue is full.
package protocol ReadingSink: Sendable {
    /// Receives the readings of one sample together, so that a light decides once.
    func accept(_ readings: [Reading])
    func record(_ event: Event)
}
