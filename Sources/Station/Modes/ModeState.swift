import Configuration
import Core
import Supervision
import Synchronization

/// The station's mode, and the observers of its changes.
///
/// Observers are called synchronously, in the order they came. Bound: one per device.
package final class ModeState: Sendable {
    private struct State {
        var mode: StationMode
        /// The mode after a requested mode ends.
        var base: StationMode
        var observers: [String: @Sendable (StationMode) -> Void] = [:]
    }

    private let state: Mutex<State>
    /// Wakes the task that ends modes.
    let changed = Signal()

    package init(_ mode: StationMode) {
        state = Mutex(State(mode: mode, base: mode))
    }

    package var mode: StationMode { state.withLock { $0.mode } }

    var isContinuous: Bool { state.withLock { $0.mode.isContinuous } }

    /// The mode the configuration names; it holds while no other is requested.
    package func configure(_ base: StationMode) {
        let hasChanged = state.withLock { state in
            defer { state.base = base }
            return state.base != base
        }
        if hasChanged { change(to: base) }
    }

    fileprivate func end() { change(to: state.withLock { $0.base }) }

    package func change(to mode: StationMode) {
        let observers = state.withLock { state in
            state.mode = mode
            return state.observers.sorted { $0.key < $1.key }.map(\.value)
        }
        for observer in observers { observer(mode) }
        changed.raise()
    }

    /// Calls `observer` on every change from now on; it replaces an earlier one under this name.
    func observe(_ name: String, _ observer: (@Sendable (StationMode) -> Void)?) {
        state.withLock { $0.observers[name] = observer }
    }
}

/// Ends modes that have an end, and writes down every change; closes the claim window in time.
package actor ModeTask: Child {
    /// How late a mode may end before its keeper counts as hung.
    private static let endPatience: Duration = .minutes(1)

    private let modes: ModeState
    private let claims: ClaimWindow
    private let clock: any NodeClock
    private let sink: any ReadingSink
    private let heartbeat: Heartbeat

    package init(
        modes: ModeState,
        claims: ClaimWindow,
        clock: any NodeClock,
        sink: any ReadingSink,
        heartbeat: Heartbeat
    ) {
        self.modes = modes
        self.claims = claims
        self.clock = clock
        self.sink = sink
        self.heartbeat = heartbeat
    }

    package func run() async throws {
        var known = modes.mode
        while !Task.isCancelled {
            let ends = [modes.mode.ends, claims.end].compactMap(\.self).min()
            let end = ends.map { max(.zero, clock.now.duration(to: $0)) + Self.endPatience }
            heartbeat.beat(nextWithin: end ?? .days(36_500))
            _ = try await clock.wait(
                for: modes.changed,
                until: ends,
                tolerance: .seconds(1)
            )
            claims.expire()
            if let ends = modes.mode.ends, ends <= clock.now {
                modes.end()
            }
            guard modes.mode != known else { continue }
            await record(from: known, to: modes.mode)
            known = modes.mode
        }
    }

    private func record(from old: StationMode, to new: StationMode) async {
        sink.record(
            Event(
                at: clock.now,
                source: "mode",
                kind: .plain(.modeChanged),
                severity: .notice,
                ["mode": new.text, "was": old.text]
            )
        )
    }
}
