import Core
import Synchronization

/// Reports that a child makes progress.
///
/// The supervisor makes one for each start of a child. A beat is a promise of the next one. A child
/// that breaks it is warned about, then replaced.
package final class Heartbeat: Sendable {
    package struct State: Sendable {
        /// When the last beat came; the start counts as one.
        package var lastBeat: MonotonicInstant
        /// Instant by which the next beat was promised.
        package var deadline: MonotonicInstant
        package var count: Int
    }

    private let clock: any NodeClock
    private let limit: Duration
    private let state: Mutex<State>
    // Called when a deadline moves nearer than the HealthMonitor may be planning for.
    private let deadlineCameNearer: @Sendable (MonotonicInstant) -> Void

    package init(
        clock: any NodeClock,
        limit: Duration,
        deadlineCameNearer: @escaping @Sendable (MonotonicInstant) -> Void = { _ in }
    ) {
        let now = clock.now
        self.clock = clock
        self.limit = limit
        self.deadlineCameNearer = deadlineCameNearer
        state = Mutex(State(lastBeat: now, deadline: now.advanced(by: limit), count: 0))
    }

    package var snapshot: State { state.withLock { $0 } }

    /// Reports progress, and promises the next report within `promise`.
    ///
    /// - Parameter promise: Time to the next beat; nil means the limit of the child spec.
    package func beat(nextWithin promise: Duration? = nil) {
        let now = clock.now
        let deadline = now.advanced(by: promise ?? limit)
        let isNearer = state.withLock { state in
            defer { state = State(lastBeat: now, deadline: deadline, count: state.count + 1) }
            return deadline < state.deadline
        }
        if isNearer { deadlineCameNearer(deadline) }
    }
}
