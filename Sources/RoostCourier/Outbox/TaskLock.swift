import Core
import Synchronization

/// Lock that admits one of several tasks at a time, in no order.
final class TaskLock: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [Signal] = []
    }

    private let clock: any NodeClock
    private let state = Mutex(State())

    init(_ clock: any NodeClock) { self.clock = clock }

    /// Runs `body` while no other task does.
    ///
    /// - Throws: Errors of `body`; `CancellationError` while it waits.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        while let signal = enter() {
            _ = try await clock.wait(for: signal, until: nil, tolerance: .zero)
        }
        defer { leave() }
        return try await body()
    }

    /// Returns nil where the caller may go on, else the signal that it has to wait for.
    private func enter() -> Signal? {
        state.withLock { state in
            guard state.isBusy else {
                state.isBusy = true
                return nil
            }
            let signal = Signal()
            state.waiting.append(signal)
            return signal
        }
    }

    private func leave() {
        let signals = state.withLock { state in
            defer { (state.isBusy, state.waiting) = (false, []) }
            return state.waiting
        }
        for signal in signals { signal.raise() }
    }
}
