import Core
import DequeModule
import Synchronization

/// A bounded queue in front of one receiving task.
///
/// At the bound `offer` refuses and counts. Order is kept.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: Deque<Element> = []
        var refusedCount = 0
    }

    /// How many elements wait at most, ≥ 1.
    package let capacity: Int
    private let state = Mutex(State())
    private let arrival = Signal()

    package init(capacity: Int) {
        precondition(capacity >= 1, "a mailbox holds at least one element")
        self.capacity = capacity
    }

    package var count: Int { state.withLock { $0.elements.count } }

    /// How many elements were refused at the bound since the start.
    package var refusedCount: Int { state.withLock { $0.refusedCount } }

    /// Puts an element in, or refuses it at the bound.
    @discardableResult
    package func offer(_ element: Element) -> Bool {
        let isTaken = state.withLock { state in
            guard state.elements.count < capacity else {
                state.refusedCount += 1
                return false
            }
            state.elements.append(element)
            return true
        }
        if isTaken { arrival.raise() }
        return isTaken
    }

    /// Removes and returns the oldest element, if there is one.
    package func poll() -> Element? { state.withLock { $0.elements.popFirst() } }

    /// Removes and returns the oldest element, waiting for one until the deadline; nil when it
    /// passed.
    ///
    /// - Parameters:
    ///   - deadline: Start of the wake-up window; nil waits without limit.
    ///   - tolerance: How late the wake-up may come.
    ///   - clock: The clock to wait on.
    /// - Returns: The element, or nil when time came first.
    /// - Throws: `CancellationError`.
    package func next(
        until deadline: MonotonicInstant? = nil,
        tolerance: Duration = .zero,
        on clock: any NodeClock
    ) async throws -> Element? {
        while true {
            if let element = poll() { return element }
            if let deadline, deadline <= clock.now { return nil }
            let isRaised = try await clock.wait(
                for: arrival,
                until: deadline,
                tolerance: tolerance
            )
            if !isRaised { return poll() }
        }
    }
}
