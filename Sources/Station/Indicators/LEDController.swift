import Alerts
import Configuration
import Core
import Devices
import Synchronization

/// Sets the pattern of every plain LED of the station, from its samples and events.
///
/// A sample or an event becomes light in the job that brought it. Bound: one entry per device.
final class LEDController: Sendable {
    private struct Entry {
        let light: LEDLight
        var configuration: LEDConfiguration
        /// The sensor whose level it shows, and how long a value is valid.
        var followed: DeviceConfiguration?
        /// Motion sensors that see motion now.
        var moving: Set<String> = []
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var motionSensors: Set<String> = []
        /// Announced end of the camera's recording; nil while it is off.
        var cameraEnd: MonotonicInstant?
        var rule = LevelRule.sampleLevels
        var modes: ModeState?
        var isWell: @Sendable () -> Bool = { true }
        var claiming: @Sendable () -> LEDPattern? = { nil }
    }

    private let clock: any NodeClock
    private let levels: AirLevels
    private let state = Mutex(State())

    init(clock: any NodeClock, levels: AirLevels) { (self.clock, self.levels) = (clock, levels) }

    /// Listens to samples and events from now on; once, before anything happens.
    ///
    /// - Parameter claiming: The pattern of the station's lamp while a person takes it over or
    ///   gives it away; nil for all other times.
    func join(
        _ recorder: Recorder,
        _ modes: ModeState,
        isWell: @escaping @Sendable () -> Bool,
        claiming: @escaping @Sendable () -> LEDPattern?
    ) {
        state.withLock { state in
            (state.isWell, state.claiming, state.modes) = (isWell, claiming, modes)
        }
        recorder.watch { [weak self] in self?.apply($0, modes) }
        recorder.watchEvents { [weak self] in self?.apply($0) }
    }

    /// Applies the list of LEDs; those that stay keep what they show.
    func configure(_ configuration: StationConfiguration) {
        let now = clock.now
        state.withLock { state in
            let (old, isOtherRule) = (state.entries, state.rule != configuration.levels)
            (state.entries, state.rule) = ([:], configuration.levels)
            state.motionSensors = Set(configuration.devices.filter(\.seesMotion).map(\.name))
            for device in configuration.devices {
                guard case .led(let lamp) = device.kind else { continue }
                let followed = configuration.devices.first { other in
                    if let name = lamp.follows { return other.name == name }
                    return other.measuresDust
                }
                // The driver has its light from its start on: the light stays as long as that.
                let known = old[device.name].flatMap {
                    $0.configuration.settings == lamp.settings ? $0 : nil
                }
                var entry = known ?? Entry(light: LEDLight(at: now), configuration: lamp)
                let isOther =
                    known?.configuration != lamp || known?.followed?.name != followed?.name
                (entry.configuration, entry.followed) = (lamp, followed)
                entry.moving.formIntersection(state.motionSensors)
                // The end of a motion that it does not follow is not heard.
                if known != nil, isOther {
                    entry.moving = []
                    entry.light.show(.off, at: now)
                }
                state.entries[device.name] = entry
                if isOther || isOtherRule { showLast(entry, state.modes, at: now) }
            }
        }
        refresh()
    }

    /// Shows the level of the last sample, without waiting for the next one.
    private func showLast(_ entry: Entry, _ modes: ModeState?, at now: MonotonicInstant) {
        guard entry.configuration.shows == .level else { return }
        guard let followed = entry.followed, let last = levels.last(of: followed.name),
            case let validity = followed.ageLimit(isContinuous: modes?.isContinuous == true),
            case let end = last.at.advanced(by: validity), now < end
        else { return entry.light.show(.flashing, at: now) }
        entry.light.show(LEDPattern(last.level), at: now, until: end)
    }

    /// The lamp of that name; it shows unknown when there is none.
    func light(_ name: String) -> LEDLight {
        state.withLock { $0.entries[name]?.light } ?? LEDLight(at: clock.now)
    }

    /// What the lamp of that name shows; nil when there is none.
    func shows(_ name: String) -> LEDConfiguration.Shows? {
        state.withLock { $0.entries[name]?.configuration.shows }
    }

    /// Names of the devices that see motion, in order.
    var motionSensors: [String] { state.withLock { $0.motionSensors.sorted() } }

    /// The camera is read until then, or is off.
    ///
    /// - Returns: How many lamps show it.
    func recordCamera(until end: MonotonicInstant?) -> Int {
        let count = state.withLock { state in
            state.cameraEnd = end
            return state.entries.values.count { $0.configuration.shows == .camera }
        }
        refresh()
        return count
    }

    private func apply(_ sample: [Reading], _ modes: ModeState) {
        guard let first = sample.first else { return }
        let (device, isContinuous) = (first.channel.device, modes.isContinuous)
        let level = levels.level(of: device)
        state.withLock { state in
            for entry in state.entries.values where entry.configuration.shows == .level {
                guard let followed = entry.followed, followed.name == device else { continue }
                // In a stream one missed frame is no news: a level grows stale by itself.
                if level == nil, followed.outlastsMiss(isContinuous: isContinuous) { continue }
                let validity = followed.ageLimit(isContinuous: isContinuous)
                entry.light.show(
                    LEDPattern(level),
                    at: clock.now,
                    until: first.instant.advanced(by: validity)
                )
            }
        }
    }

    private func apply(_ event: Event) {
        guard event.kind == .motion || event.kind == .motionEnded else { return refresh() }
        state.withLock { state in
            guard state.motionSensors.contains(event.source) else { return }
            for (name, entry) in state.entries where entry.configuration.shows == .motion {
                guard entry.configuration.follows ?? event.source == event.source else { continue }
                if event.kind == .motion {
                    state.entries[name]?.moving.insert(event.source)
                } else {
                    state.entries[name]?.moving.remove(event.source)
                }
            }
        }
        refresh()
    }

    /// Shows states that do not come with a sample.
    func refresh() {
        let (isAsked, isWell, claiming) = state.withLock { state in
            let isAsked = state.entries.values.contains { $0.configuration.shows == .station }
            return (isAsked, state.isWell, state.claiming)
        }
        if let pattern = claiming() { return show(station: pattern) }
        show(station: !isAsked || isWell() ? .on : .blinking)
    }

    /// Flashes the lamp when a recording passed its announced end: its state is unknown.
    private func showCamera(
        _ light: LEDLight,
        until end: MonotonicInstant?,
        at now: MonotonicInstant
    ) {
        guard let end else { return light.show(.off, at: now) }
        guard now < end else { return light.show(.flashing, at: now) }
        light.show(.on, at: now, until: end)
    }

    /// Called outside the lock: what it shows was read from every device.
    private func show(station: LEDPattern) {
        let now = clock.now
        state.withLock { state in
            for entry in state.entries.values {
                switch entry.configuration.shows {
                case .station: entry.light.show(station, at: now)
                case .motion: entry.light.show(entry.moving.isEmpty ? .off : .on, at: now)
                case .camera: showCamera(entry.light, until: state.cameraEnd, at: now)
                case .level: break
                }
            }
        }
    }
}

extension LEDPattern {
    fileprivate init(_ level: AirLevel?) {
        self =
            switch level {
            case .good: .on
            case .moderate: .winking
            case .poor: .blinking
            case nil: .flashing
            }
    }
}
