import Synchronization

/// A wake-up call for one waiting task that may come before its time.
///
/// Raised while no task waits, it is remembered once: the next wait returns at once. One task waits
/// at a time; a second would be a programmer error and traps. Wait through `NodeClock`.
package final class Signal: Sendable {
    /// Why a wait ended.
    package enum Outcome: Sendable { case raised, expired, cancelled }

    private enum State {
        case idle
        // Left in the same step that reads the continuation, so it is resumed once; `Unsafe`
        // because a checked one costs two allocations on the way from a frame to its light.
        case waiting(UnsafeContinuation<Outcome, Never>)
        case pending(Outcome)
    }

    private let state = Mutex(State.idle)

    package init() {}

    /// Wakes the waiting task, or the next one to wait.
    package func raise() { finish(.raised) }

    /// Ends a wait for another reason than being raised.
    ///
    /// For clocks alone.
    package func finish(_ outcome: Outcome) {
        let waiter = state.withLock { state -> UnsafeContinuation<Outcome, Never>? in
            switch state {
            case .waiting(let continuation):
                state = .idle
                return continuation
            case .pending(.raised):
                return nil  // A raised signal is never reset.
            case .idle, .pending:
                state = .pending(outcome)
                return nil
            }
        }
        waiter?.resume(returning: outcome)
    }

    /// Consumes a raise that came earlier, and ignores a time-out or cancellation that came too
    /// late.
    package func consume() -> Bool {
        state.withLock { state in
            switch state {
            case .pending(let outcome):
                state = .idle
                return outcome == .raised
            case .idle:
                return false
            case .waiting:
                preconditionFailure("two tasks wait for one signal")
            }
        }
    }

    /// Suspends until `finish`.
    ///
    /// For clocks alone: others wait through `NodeClock.wait`.
    ///
    /// - Returns: Why the wait ended.
    package func park() async -> Outcome {
        await withUnsafeContinuation { continuation in
            let early = state.withLock { state -> Outcome? in
                switch state {
                case .pending(let outcome):
                    state = .idle
                    return outcome
                case .idle:
                    state = .waiting(continuation)
                    return nil
                case .waiting:
                    preconditionFailure("two tasks wait for one signal")
                }
            }
            if let early { continuation.resume(returning: early) }
        }
    }
}
