import Core
import Synchronization

/// Wakes the followers whose questions have an answer now.
///
/// Bound: `waiterLimit` questions that wait; one more is refused.
final class TailWaiters: Sendable {
    static let waiterLimit = 4

    /// One question that waits.
    final class Waiter: Sendable {
        /// Raised when it should look again.
        let signal = Signal()
        /// Number of new samples that ends the wait.
        fileprivate let wanted: Int
        /// Whether the first sample changes until when it waits.
        fileprivate let hasAge: Bool
        fileprivate let pending = Atomic(0)

        init(wanted: Int, hasAge: Bool) { (self.wanted, self.hasAge) = (wanted, hasAge) }

        /// Sets the number of new samples that were too few to end the wait.
        func set(pending count: Int) { pending.store(count, ordering: .relaxed) }
    }

    private let waiters = Mutex<[Waiter]>([])

    /// False when too many wait.
    func add(_ waiter: Waiter) -> Bool {
        waiters.withLock { waiters in
            guard waiters.count < Self.waiterLimit else { return false }
            waiters.append(waiter)
            return true
        }
    }

    func remove(_ waiter: Waiter) {
        waiters.withLock { $0.removeAll { $0 === waiter } }
    }

    /// A sample was stored.
    func sampleCame() {
        for waiter in waiters.withLock({ $0 }) {
            let count = waiter.pending.add(1, ordering: .relaxed).newValue
            if count == waiter.wanted || count == 1 && waiter.hasAge { waiter.signal.raise() }
        }
    }

    /// An event was stored; one that does not wait wakes all.
    func eventCame(_ event: Event) {
        guard event.isUrgent else { return }
        for waiter in waiters.withLock({ $0 }) { waiter.signal.raise() }
    }
}
