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
        /// Kept over a restart; nil for a mode that does not end.
        var requested: RequestedStationMode?
        /// Whether a mode was set since the start, so that none of before it goes on.
        var isSet = false
        var isLoaded = false
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

    package func change(to mode: StationMode) { change(to: mode, requested: nil) }

    /// Begins a mode that a person asked for; `settle` keeps it over a restart.
    func change(to mode: StationMode, in station: StationContext) {
        let requested = RequestedStationMode(mode, in: station.bootID, by: station.clock)
        change(to: mode, requested: requested)
    }

    private func change(to mode: StationMode, requested: RequestedStationMode?) {
        let observers = state.withLock { state in
            state.mode = mode
            state.requested = requested
            state.isSet = true
            return state.observers.sorted { $0.key < $1.key }.map(\.value)
        }
        for observer in observers { observer(mode) }
        changed.raise()
    }

    // MARK: Over a restart

    /// Copies the requested mode to the settings of an open store; the first time one that goes on
    /// is begun from them.
    ///
    /// - Throws: `StoreError`; a restart may then forget the mode.
    func settle(_ settings: StoreSettings, in station: StationContext) async throws {
        let stored = try await settings.all()[RequestedStationMode.settingKey]
        let isFirst = state.withLock { state in
            defer { state.isLoaded = true }
            return !state.isLoaded && !state.isSet
        }
        if isFirst { resume(stored, in: station) }
        let wanted = state.withLock { $0.requested?.settingValue }
        guard stored != wanted else { return }
        try await settings.set(RequestedStationMode.settingKey, wanted)
    }

    private func resume(_ stored: String?, in station: StationContext) {
        let (now, wall) = (station.clock.now, station.clock.wallTime)
        let kept = stored.flatMap { RequestedStationMode(setting: $0) }
        guard let mode = kept?.resumed(in: station.bootID, at: now, wall) else { return }
        change(to: mode, in: station)
        let details = [
            Event.Detail("mode", mode.text), Event.Detail("why", "goes on after a restart"),
        ]
        station.recorder.record(
            Event(
                at: now,
                source: "mode",
                kind: .plain(.modeAsked),
                severity: .notice,
                details: details
            )
        )
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
