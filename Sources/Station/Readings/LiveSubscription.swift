import Core
import Runtime

/// Bounded queue of readings and events for one listener.
///
/// Bound: 256 items; items beyond it are dropped, counted and reported.
package final class LiveSubscription: Sendable {
    package enum Item: Sendable {
        case reading(Reading)
        case event(Event)
    }

    static let capacity = 256
    let mailbox = Mailbox<Item>(capacity: LiveSubscription.capacity)

    init() {}

    /// How many items were left out at the bound so far.
    package var omittedCount: Int { mailbox.refusedCount }

    /// The next item, waiting for it.
    ///
    /// - Throws: `CancellationError`.
    package func next(on clock: any NodeClock) async throws -> Item? {
        try await mailbox.next(on: clock)
    }
}
