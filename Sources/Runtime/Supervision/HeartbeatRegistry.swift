import Core
import Synchronization

/// The heartbeats of all running children that are watched, for the HealthMonitor.
///
/// Outlives both: supervisors put heartbeats in, a HealthMonitor reads them. Bound: one for each
/// running child.
package final class HeartbeatRegistry: Sendable {
    /// One watched child.
    package struct Watch: Sendable {
        package let key: UInt64
        /// Supervisor and child: `devices/balcony`.
        package let child: String
        package let heartbeat: Heartbeat
        package let limit: Duration
        /// Whether the node cannot do without it: a permanent child.
        let isCritical: Bool
        /// Requests a new child from its supervisor.
        package let replace: @Sendable (_ reason: String) -> Void
    }

    private struct State {
        var watches: [Watch] = []
        var nextKey: UInt64 = 0
        var plannedWake: MonotonicInstant?
    }

    private let state = Mutex(State())
    /// Raised when a deadline comes before the planned wake-up; one HealthMonitor waits for it.
    let deadlineCameNearer = Signal()

    package init() {}

    package var watches: [Watch] { state.withLock { $0.watches } }

    /// When a watched child last made progress; nil when it is not watched.
    package func lastBeat(of child: String) -> MonotonicInstant? {
        watches.first { $0.child == child }?.heartbeat.snapshot.lastBeat
    }

    /// Sets when the HealthMonitor checks next; nil: it is checking now, and needs every change.
    package func plan(wakeAt instant: MonotonicInstant?) {
        state.withLock { $0.plannedWake = instant }
    }

    /// Makes the heartbeat of a new child, and watches it from now on if its spec asks for it.
    ///
    /// - Returns: The heartbeat, and the key to `unwatch` it with, nil when it is not watched.
    func watch(
        _ spec: ChildSpec,
        of supervisor: String,
        on clock: any NodeClock,
        replace: @escaping @Sendable (String) -> Void
    ) -> (Heartbeat, UInt64?) {
        guard let limit = spec.heartbeatLimit else { return (Heartbeat.unwatched(clock), nil) }
        let heartbeat = Heartbeat(clock: clock, limit: limit) { [weak self] deadline in
            self?.announce(deadline)
        }
        let key = state.withLock { state in
            state.nextKey += 1
            state.watches.append(
                Watch(
                    key: state.nextKey,
                    child: "\(supervisor)/\(spec.id)",
                    heartbeat: heartbeat,
                    limit: limit,
                    isCritical: spec.restart == .permanent,
                    replace: replace
                )
            )
            return state.nextKey
        }
        announce(heartbeat.snapshot.deadline)
        return (heartbeat, key)
    }

    func unwatch(_ key: UInt64) {
        state.withLock { state in state.watches.removeAll { $0.key == key } }
    }

    private func announce(_ deadline: MonotonicInstant) {
        let isNearer = state.withLock { state in
            state.plannedWake.map { deadline < $0 } ?? true
        }
        if isNearer { deadlineCameNearer.raise() }
    }
}

extension Heartbeat {
    /// A heartbeat that is not watched; its deadline is a century away.
    static func unwatched(_ clock: any NodeClock) -> Heartbeat {
        Heartbeat(clock: clock, limit: .days(36_500))
    }
}
