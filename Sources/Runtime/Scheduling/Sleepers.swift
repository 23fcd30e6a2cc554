import Core
import Synchronization

/// The waiting tasks of one clock.
///
/// Shared by the real and the simulated clock, so that both wake at the same instants.
package final class Sleepers: Sendable {
    private let plan = Mutex(WakePlan<Signal>())

    package init() {}

    /// The instant to wake at, or nil when no task waits for time.
    package var nextWake: MonotonicInstant? { plan.withLock { $0.nextWake } }

    /// The body of `NodeClock.wait`.
    ///
    /// - Throws: `CancellationError`.
    package func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        try Task.checkCancellation()
        if signal.consume() { return true }
        let ticket = deadline.map { opens in
            plan.withLock { $0.add(from: opens, tolerance: tolerance, signal) }
        }
        let outcome = await withTaskCancellationHandler {
            await signal.park()
        } onCancel: {
            signal.finish(.cancelled)
        }
        if let ticket, outcome != .expired { plan.withLock { $0.remove(ticket) } }
        if outcome == .cancelled { throw CancellationError() }
        return outcome == .raised
    }

    /// Moves the end of the wait for `signal`, if a task waits for it.
    package func move(_ signal: Signal, to deadline: MonotonicInstant) {
        plan.withLock { $0.move(to: deadline, tolerance: .zero) { $0 === signal } }
    }

    /// Resumes every task whose window has opened by `now`.
    ///
    /// - Returns: How many were resumed.
    @discardableResult
    package func wake(at now: MonotonicInstant) -> Int {
        let due = plan.withLock { $0.takeOpen(at: now) }
        for signal in due { signal.finish(.expired) }
        return due.count
    }
}
