import ControlProtocol
import Core
import Devices
import Synchronization

/// Hours of parts that wear while they are on, for each part by its own id, over restarts of the
/// node.
///
/// Drivers report time that has passed, the store keeps the sums. Bound: `partLimit` parts; at the
/// bound one that is not here is forgotten, the one with the fewest hours, and that is reported.
final class LaserHours: Sendable {
    /// A station has at most 32 devices.
    static let partLimit = 32
    /// Parts that fit into one setting of the store, 600 bytes.
    static let partsPerSetting = 10
    /// The key of the sums in the store; the second to fourth ten follow as `lasers.2` to
    /// `lasers.4`.
    static let key = "lasers"
    static let keys = [key, "\(key).2", "\(key).3", "\(key).4"]
    /// Time between two writes: in `normal` a power cut costs at most 6 min of running time.
    static let saveInterval: Duration = .hours(1)
    /// Unsaved running time below which nothing is written.
    static let leastSaved: Duration = .minutes(5)
    /// A pace is known after so long.
    static let paceTime: Duration = .hours(1)
    private static let nameLimit = 40

    private struct Part {
        var device: String?
        /// Running time from the store, whole seconds.
        var before: Int64 = 0
        var inThisRun: Duration = .zero
        var life: Duration?
        var since: MonotonicInstant

        var total: Duration { .seconds(before) + inThisRun }
    }

    private struct State {
        var parts: [String: Part] = [:]
        var unsaved: Duration = .zero
        /// The content of the store; an equal setting is not written again.
        var stored: [String: String] = [:]
        var savedAt: MonotonicInstant
        var isLoaded = false
    }

    private let state: Mutex<State>

    init(at now: MonotonicInstant) { state = Mutex(State(savedAt: now)) }

    /// Records time that a part of this kind was on.
    ///
    /// - Returns: The part that was forgotten to make room, and its hours; nil at most times.
    @discardableResult
    func add(
        _ time: LaserTime,
        kind: String,
        device: String,
        at now: MonotonicInstant
    ) -> (part: String, hours: Double)? {
        let name = Self.name(kind, time.part ?? device)
        return state.withLock { state in
            var part = state.parts[name] ?? Part(since: now.advanced(by: .zero - time.time))
            part.device = device
            part.life = time.life
            part.inThisRun += time.time
            state.unsaved += time.time
            state.parts[name] = part
            return Self.shorten(&state, keeping: name)
        }
    }

    /// The device has another name.
    func rename(_ device: String, to name: String) {
        state.withLock { state in
            for (part, account) in state.parts where account.device == device {
                state.parts[part]?.device = name
            }
        }
    }

    /// The device is not here any more; the hours of its part stay for its return.
    func leave(_ device: String) {
        state.withLock { state in
            for (part, account) in state.parts where account.device == device {
                state.parts[part]?.device = nil
            }
        }
    }

    /// Adds the sums of the store, from the settings of `keys`; a second call does nothing.
    func load(_ settings: [String: String], at now: MonotonicInstant) {
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            state.stored = settings.filter { Self.keys.contains($0.key) }
            let entries = Self.keys.compactMap { settings[$0] }.flatMap { $0.split(separator: ";") }
            for entry in entries {
                let parts = entry.split(separator: "=")
                guard parts.count == 2, let seconds = Int64(parts[1]), seconds >= 0 else {
                    continue
                }
                let name = Self.name(String(parts[0]))
                state.parts[name, default: Part(since: now)].before += seconds
            }
            _ = Self.shorten(&state, keeping: nil)
        }
    }

    /// Whole seconds of each part, for a backup.
    var seconds: [String: Int64] {
        state.withLock { $0.parts.mapValues { $0.total.components.seconds } }
    }

    /// Seconds that a part can have run: up to a hundred years.
    static let secondsRange: ClosedRange<Int64> = 0...3_155_760_000

    /// Raises sums to those of a backup: hours of a part never become fewer.
    func restore(_ seconds: [String: Int64], at now: MonotonicInstant) {
        state.withLock { state in
            for (name, sum) in seconds.prefix(Self.partLimit) where Self.secondsRange ~= sum {
                let name = Self.name(name)
                var part = state.parts[name] ?? Part(since: now)
                let missing = sum - part.total.components.seconds
                guard missing > 0 else { continue }
                part.before += missing
                state.parts[name] = part
                state.unsaved += .seconds(missing)
            }
            _ = Self.shorten(&state, keeping: nil)
        }
    }

    /// Whether the sums of the store are included.
    var isLoaded: Bool { state.withLock { $0.isLoaded } }

    /// The settings to be saved, if that is due; nil before the store was read.
    ///
    /// The last time is always time enough. A setting that is empty now has no value.
    func due(at now: MonotonicInstant, isLast: Bool = false) -> [(key: String, value: String?)]? {
        state.withLock { state in
            let isTime = isLast || state.savedAt.advanced(by: Self.saveInterval) <= now
            let least: Duration = isLast ? .seconds(1) : Self.leastSaved
            guard state.isLoaded, isTime, state.unsaved >= least else { return nil }
            let entries = state.parts.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.total.components.seconds)" }
            return Self.keys.enumerated().compactMap {
                index,
                key -> (key: String, value: String?)? in
                let some = entries.dropFirst(index * Self.partsPerSetting)
                    .prefix(Self.partsPerSetting)
                let value = some.isEmpty ? nil : some.joined(separator: ";")
                return value == state.stored[key] ? nil : (key, value)
            }
        }
    }

    /// Marks the settings that `due` returned as stored.
    func saved(_ settings: [(key: String, value: String?)], at now: MonotonicInstant) {
        state.withLock { state in
            (state.unsaved, state.savedAt) = (.zero, now)
            for (key, value) in settings { state.stored[key] = value }
        }
    }

    /// Puts the next attempt off after a failure to store the settings of `due`.
    func postpone(at now: MonotonicInstant) { state.withLock { $0.savedAt = now } }

    /// Every part, by name.
    func reports(at now: MonotonicInstant, _ wall: WallTime?) -> [LaserReport] {
        state.withLock { $0.parts }.sorted { $0.key < $1.key }
            .map { Self.report($0.key, $0.value, now, wall) }
    }

    /// The hours of the part that a device has now.
    func report(of device: String, at now: MonotonicInstant, _ wall: WallTime?) -> LaserReport? {
        reports(at: now, wall).last { $0.device == device }
    }

    private static func report(
        _ name: String,
        _ part: Part,
        _ now: MonotonicInstant,
        _ wall: WallTime?
    ) -> LaserReport {
        let seen = part.since.duration(to: now)
        var left: Duration?
        if let life = part.life, seen >= paceTime, part.inThisRun > .zero {
            let seconds = max(life - part.total, .zero).inSeconds * (seen / part.inThisRun)
            // Ten times the life of a sensor counts as endless.
            left = .seconds(Int64(min(seconds, 100 * 365 * 86_400)))
        }
        let end = left.flatMap { left in
            wall.map { WallTime(nanoseconds: $0.nanoseconds + left.wholeNanoseconds).iso8601 }
        }
        return LaserReport(
            part: name,
            device: part.device,
            hours: (part.total.inSeconds / 3_600).rounded(toDecimals: 2),
            lifeHours: part.life.map { $0.inSeconds / 3_600 },
            daysLeft: left.map { ($0.inSeconds / 86_400).rounded(toDecimals: 1) },
            endOfLife: end
        )
    }

    /// `nova-sds011 A160`, without what separates entries.
    private static func name(_ words: String...) -> String {
        let text = words.joined(separator: " ").map { ";=".contains($0) ? "_" : $0 }
        return String(String(text.prefix(nameLimit)))
    }

    /// Makes room at the bound: for a part that is here, one goes that is not.
    private static func shorten(
        _ state: inout State,
        keeping kept: String?
    ) -> (part: String, hours: Double)? {
        var forgotten: (part: String, hours: Double)?
        while state.parts.count > partLimit {
            let least = state.parts.filter { $0.key != kept }.min { one, other in
                let (isHere, isOtherHere) = (one.value.device != nil, other.value.device != nil)
                guard isHere == isOtherHere else { return !isHere }
                return (one.value.total, one.key) < (other.value.total, other.key)
            }
            guard let least else { break }
            state.parts[least.key] = nil
            let hours = (least.value.total.inSeconds / 3_600).rounded(toDecimals: 2)
            forgotten = (least.key, hours)
        }
        return forgotten
    }
}
