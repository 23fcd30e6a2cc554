import Alerts
import Configuration
import Core
import Synchronization

/// The level of the air at every device, for the lamp, LEDs, pages and clients alike.
///
/// A sample is judged in the job that brought it, before the lamp looks. After a start the means
/// begin anew. Bound: `deviceLimit` devices; the one whose sample is oldest goes.
final class AirLevels: Sendable {
    /// More than can be configured and found.
    static let deviceLimit = 96

    private struct Entry {
        var machine: LevelMachine
        var at: MonotonicInstant
    }

    private struct State {
        var rule = LevelRule.sampleLevels
        var entries: [String: Entry] = [:]
        /// Time between samples of each device, in normal and in live mode.
        var intervals: [String: (rare: Duration?, continuous: Duration?)] = [:]
    }

    private let modes: ModeState
    private let state = Mutex(State())

    /// Listens to samples from now on; before the lamp and the LEDs do.
    init(_ recorder: Recorder, _ modes: ModeState) {
        self.modes = modes
        recorder.watch { [weak self] in self?.apply($0) }
    }

    /// The limits in use.
    var rule: LevelRule { state.withLock { $0.rule } }

    /// The level of a device's last sample; nil without one.
    func level(of device: String) -> AirLevel? {
        state.withLock { $0.entries[device]?.machine.level }
    }

    /// The level of a device's last sample, and when that was; nil without one.
    func last(of device: String) -> (level: AirLevel?, at: MonotonicInstant)? {
        state.withLock { $0.entries[device].map { ($0.machine.level, $0.at) } }
    }

    /// The quantities that have the level of a device's last sample.
    func decisive(of device: String) -> [String] {
        state.withLock { $0.entries[device]?.machine.decisive ?? [] }
    }

    /// The level of a channel's last sample, and the mean that it comes from, where it is of one.
    func judged(_ channel: Channel) -> (level: AirLevel?, mean: FixedPoint?) {
        state.withLock { state in
            let (machine, name) = (
                state.entries[channel.device]?.machine, channel.quantity.name
            )
            return (machine?.level(of: name), machine?.mean(of: name))
        }
    }

    /// Time that the judged mean of a quantity is of; nil where each sample is judged, and for a
    /// quantity without limits.
    func span(of quantity: String) -> Duration? {
        let rule = rule
        let hasLimits = rule.scales.contains { $0.quantity == quantity }
        return rule.judgesMean && hasLimits ? ShortMean.span : nil
    }

    /// Uses the limits and devices of a configuration; other limits judge the last samples at once.
    func configure(_ configuration: StationConfiguration) {
        state.withLock { state in
            state.intervals = [:]
            for device in configuration.devices {
                state.intervals[device.name] = (
                    device.arrivalInterval(isContinuous: false),
                    device.arrivalInterval(isContinuous: true)
                )
            }
            guard state.rule != configuration.levels else { return }
            state.rule = configuration.levels
            for name in state.entries.keys {
                state.entries[name]?.machine.use(configuration.levels)
            }
        }
    }

    /// Gives the means of a device to its new name.
    func rename(_ device: String, to name: String) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: device) else { return }
            if state.entries[name] == nil { state.entries[name] = entry }
        }
    }

    private func apply(_ sample: [Reading]) {
        guard let first = sample.first else { return }
        let (device, isContinuous) = (first.channel.device, modes.isContinuous)
        state.withLock { state in
            let intervals = state.intervals[device]
            let interval = isContinuous ? intervals?.continuous : intervals?.rare
            if state.entries[device] == nil {
                if state.entries.count >= Self.deviceLimit,
                    let oldest = state.entries.min(by: { $0.value.at < $1.value.at })?.key
                {
                    state.entries[oldest] = nil
                }
                state.entries[device] = Entry(
                    machine: LevelMachine(rule: state.rule),
                    at: first.instant
                )
            }
            state.entries[device]?.at = first.instant
            _ = state.entries[device]?.machine.append(sample, every: interval)
        }
    }
}
