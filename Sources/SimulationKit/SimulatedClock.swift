import Core
import Runtime
import Synchronization

/// A clock that stands still until everything that can run has run, then jumps to the next wake-up.
package final class SimulatedClock: NodeClock {
    private struct State {
        var now: MonotonicInstant
        var wallOffset: Int64?
        var trust = ClockTrust.synchronised
        var wakeUps = 0
    }

    private let sleepers = Sleepers()
    private let state: Mutex<State>
    /// Seed of this run; it seeds every random choice.
    package let seed: UInt64

    package init(seed: UInt64 = 1, startingAt start: MonotonicInstant = .boot) {
        self.seed = seed
        state = Mutex(State(now: start))
    }

    package var now: MonotonicInstant { state.withLock { $0.now } }

    package var wallTime: WallTime? {
        wallReading.flatMap { $0.trust == .synchronised ? $0.wall : nil }
    }

    package var wallReading: WallReading? {
        state.withLock { state in
            state.wallOffset.map { offset in
                let wall = WallTime(nanoseconds: state.now.nanoseconds + offset)
                return WallReading(wall, state.trust)
            }
        }
    }

    /// How often the processor would have been woken by this clock.
    package var wakeUps: Int { state.withLock { $0.wakeUps } }

    /// Makes wall time known, as the first time sync does; nil makes it unknown.
    ///
    /// - Parameters:
    ///   - wall: What the clock says now.
    ///   - trust: How far it can be trusted.
    package func setWallTime(_ wall: WallTime?, trust: ClockTrust = .synchronised) {
        state.withLock { state in
            state.trust = trust
            state.wallOffset = wall.map { $0.nanoseconds - state.now.nanoseconds }
        }
    }

    package func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        // A window that opened already still lets other tasks run first.
        try await sleepers.wait(for: signal, until: deadline, tolerance: tolerance)
    }

    /// Advances time in which no task runs, as in a suspended or stopped machine.
    package func skip(_ duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    /// Jumps to the next wake-up and resumes the tasks that are due.
    ///
    /// - Returns: false when no task waits for time.
    package func jump() -> Bool {
        guard let wake = sleepers.nextWake else { return false }
        let now = state.withLock { state in
            state.now = max(state.now, wake)
            state.wakeUps += 1
            return state.now
        }
        sleepers.wake(at: now)
        return true
    }
}
