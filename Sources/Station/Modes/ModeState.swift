import Configuration
import Core
import Runtime
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
        /// Whether it is known what went on before the start.
        var isLoaded = false
        /// Since when the mode goes on; nil for the moment of its change.
        var since: MonotonicInstant?
        var observers: [String: @Sendable (StationMode) -> Void] = [:]
    }

    private let state: Mutex<State>
    /// Wakes the task that ends modes.
    let changed = Signal()

    package init(_ mode: StationMode) {
        state = Mutex(State(mode: mode, base: mode))
    }

    package var mode: StationMode { state.withLock { $0.mode } }

    /// Whether the store has said what went on before the start: until then a reading may belong to
    /// a survey that is kept from uploads, and nothing may follow the store.
    var isKnown: Bool { state.withLock { $0.isLoaded } }

    /// Since when the mode goes on; nil for the moment of its change.
    var since: MonotonicInstant? { state.withLock { $0.since } }

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
    func change(to mode: StationMode, in boot: BootID, by clock: any NodeClock) {
        let requested = RequestedStationMode(mode, in: boot, by: clock)
        change(to: mode, requested: requested)
    }

    private func change(
        to mode: StationMode,
        requested: RequestedStationMode?,
        since: MonotonicInstant? = nil
    ) {
        let observers = state.withLock { state in
            (state.mode, state.since) = (mode, since)
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
    /// - Parameters:
    ///   - start: Of the process: what goes on has gone on since then.
    ///   - last: The newest that the store has of a boot.
    /// - Throws: `StoreError`; a restart may then forget the mode.
    func settle(
        _ store: OpenStore,
        in boot: BootID,
        recorder: Recorder,
        since start: MonotonicInstant,
        last: (BootID) async throws -> MonotonicInstant?
    ) async throws {
        let stored = try await store.settings()[RequestedStationMode.settingKey]
        if !isKnown {
            let kept = stored.flatMap { RequestedStationMode(setting: $0) }
            var newest: MonotonicInstant?
            if let kept, kept.boot != boot { newest = try await last(kept.boot) }
            let isFirst = state.withLock { !$0.isLoaded && !$0.isSet }
            if isFirst, let kept { resume(kept, newest, in: boot, recorder, since: start) }
            // A mode that continues has its gap mark by now.
            state.withLock { $0.isLoaded = true }
        }
        let wanted = state.withLock { $0.requested?.settingValue }
        guard stored != wanted else { return }
        try await store.set(RequestedStationMode.settingKey, wanted)
    }

    private func resume(
        _ kept: RequestedStationMode,
        _ last: MonotonicInstant?,
        in boot: BootID,
        _ recorder: Recorder,
        since start: MonotonicInstant
    ) {
        let clock = recorder.clock
        let (now, wall) = (clock.now, clock.wallTime)
        guard let mode = kept.resumed(in: boot, at: now, wall, last: last) else { return }
        let requested = RequestedStationMode(mode, in: boot, by: clock)
        change(to: mode, requested: requested, since: start)
        let left = mode.ends.map { Int(now.duration(to: $0).inSeconds) } ?? 0
        let isSurvey = mode.kind == .survey
        let details = [
            Event.Detail(isSurvey ? "name" : "mode", mode.name ?? mode.text),
            Event.Detail("for", "\(left) s"),
        ]
        recorder.record(
            Event(
                at: now,
                source: "mode",
                kind: .plain(isSurvey ? .surveyGoesOn : .modeGoesOn),
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
actor ModeTask: Child {
    /// How late a mode may end before its keeper counts as hung.
    private static let endPatience: Duration = .minutes(1)

    private let modes: ModeState
    private let claims: ClaimWindow
    private let clock: any NodeClock
    private let sink: any ReadingSink
    private let heartbeat: Heartbeat

    init(
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

    func run() async throws {
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
