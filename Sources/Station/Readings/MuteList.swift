import Core
import Store
import Synchronization

/// Devices and channels that a person left out, and until when.
///
/// For a motion sensor its motion events are left out; events of other devices stay.
struct Mute: Hashable, Sendable {
    /// An end, by the clocks that were available at the request.
    struct End: Hashable, Sendable {
        let boot: BootID
        let instant: MonotonicInstant
        /// Wall time of the end; nil when the clock had not been set.
        let wall: WallTime?
    }

    /// `balcony` or `balcony/pm25`.
    let target: String
    /// End of the mute; nil until a person ends it.
    let end: End?

    func covers(_ channel: Channel) -> Bool {
        channel.device == target || channel.description == target
    }

    /// Returns the same mute for the device's new name.
    func renamed(_ device: String, to name: String) -> Mute {
        guard target == device || target.hasPrefix(device + "/") else { return self }
        return Mute(target: name + target.dropFirst(device.count), end: end)
    }

    /// Whether it still counts; `boot` and `now` are those of this moment.
    ///
    /// In another boot only the wall clock can decide: until it is set a mute with a date stays,
    /// and one without is over, since the time without power is not known.
    func holds(in boot: BootID, at now: MonotonicInstant, _ wall: WallTime?) -> Bool {
        guard let end else { return true }
        if end.boot == boot { return now < end.instant }
        guard let date = end.wall else { return false }
        return wall.map { $0 < date } ?? true
    }
}

// MARK: - As a setting

extension Mute {
    static let settingPrefix = "mute."

    var settingKey: String { Self.settingPrefix + target }

    /// `always`, or boot, nanoseconds since it, and nanoseconds since 1970 or `-`.
    var settingValue: String {
        guard let end else { return "always" }
        let wall = end.wall.map { "\($0.nanoseconds)" } ?? "-"
        return "\(end.boot) \(end.instant.nanoseconds) \(wall)"
    }

    /// Parses a stored setting; nil for a setting of another kind.
    init?(setting key: String, _ value: String) {
        guard key.hasPrefix(Self.settingPrefix) else { return nil }
        target = String(key.dropFirst(Self.settingPrefix.count))
        guard value != "always" else {
            end = nil
            return
        }
        let parts = value.split(separator: " ").map(String.init)
        guard parts.count == 3, let boot = BootID(parts[0]), let tick = Int64(parts[1]) else {
            return nil
        }
        end = End(
            boot: boot,
            instant: MonotonicInstant(nanoseconds: tick),
            wall: Int64(parts[2]).map { WallTime(nanoseconds: $0) }
        )
    }
}

/// The present mutes: every sample passes here.
///
/// A muted channel goes on being measured, and each of its values becomes *no data: muted* before
/// lamp, store or listeners see it; a reason why there is none stays. Kept in the settings of the
/// store; without one it ends with the process. Between a start and the opening of the store
/// nothing is muted.
package final class MuteList: Sendable {
    /// Mutes at once; one more is refused.
    static let countMax = 8
    /// The longest that one with an end can be, a year.
    static let longest = Duration.days(366)

    private struct State {
        var mutes: [Mute] = []
        /// Whether the stored settings equal this list; before that they may hold more.
        var isLoaded = false
    }

    private let clock: any NodeClock
    private let boot: BootID
    private let state = Mutex(State())

    package init(clock: any NodeClock, boot: BootID) { (self.clock, self.boot) = (clock, boot) }

    /// The present mutes, in the order of their requests.
    var current: [Mute] {
        let mutes = state.withLock { $0.mutes }
        return mutes.isEmpty ? [] : holding(mutes)
    }

    private func holding(_ mutes: [Mute]) -> [Mute] {
        let (now, wall) = (clock.now, clock.wallTime)
        return mutes.filter { $0.holds(in: boot, at: now, wall) }
    }

    /// Whether all of a device is muted.
    func covers(device: String) -> Bool { current.contains { $0.target == device } }

    /// The readings without muted values.
    func applied(to readings: [Reading]) -> [Reading] {
        let mutes = current
        guard !mutes.isEmpty else { return readings }
        return readings.map { reading in
            guard reading.outcome.value != nil,
                mutes.contains(where: { $0.covers(reading.channel) })
            else { return reading }
            return Reading(reading.channel, at: reading.instant, .noData(.muted))
        }
    }

    /// Mutes a target for so long, nil until it is ended; replaces an earlier mute of it.
    ///
    /// - Returns: false at the bound.
    func mute(_ target: String, for length: Duration?) -> Bool {
        let end = length.map { length in
            let length = min(length, Self.longest)
            let wall = clock.wallTime.map {
                WallTime(nanoseconds: $0.nanoseconds + length.wholeNanoseconds)
            }
            return Mute.End(boot: boot, instant: clock.now.advanced(by: length), wall: wall)
        }
        return state.withLock { state in
            let known = holding(state.mutes).filter { $0.target != target }
            guard known.count < Self.countMax else { return false }
            state.mutes = known + [Mute(target: target, end: end)]
            return true
        }
    }

    /// Ends a mute.
    ///
    /// - Returns: Whether there was one.
    func unmute(_ target: String) -> Bool {
        state.withLock { state in
            let known = holding(state.mutes)
            state.mutes = known.filter { $0.target != target }
            return known.contains { $0.target == target }
        }
    }

    /// Moves the mutes of a device to its new name.
    ///
    /// - Returns: Whether anything of it is muted.
    func rename(_ device: String, to name: String) -> Bool {
        state.withLock { state in
            let known = holding(state.mutes)
            state.mutes = known.map { $0.renamed(device, to: name) }
            return state.mutes != known
        }
    }

    // MARK: Settings

    /// Copies the mutes to the settings of an open store; the first time also from them.
    ///
    /// - Throws: `StoreError`; the settings may then be behind until the next time.
    func settle(_ store: OpenStore) async throws {
        let stored = try await store.settings().filter { $0.key.hasPrefix(Mute.settingPrefix) }
        if !state.withLock({ $0.isLoaded }) { merge(stored) }
        let wanted = Dictionary(current.map { ($0.settingKey, $0.settingValue) }) { $1 }
        for key in stored.keys.sorted() where wanted[key] == nil {
            try await store.set(key, nil)
        }
        for (key, value) in wanted.sorted(by: { $0.key < $1.key }) where stored[key] != value {
            try await store.set(key, value)
        }
    }

    /// Requests since the start have priority over stored ones.
    private func merge(_ stored: [String: String]) {
        let mutes = stored.sorted { $0.key < $1.key }.compactMap { Mute(setting: $0, $1) }
        state.withLock { state in
            let said = state.mutes
            let old = mutes.filter { mute in !said.contains { $0.target == mute.target } }
            state.mutes = old.suffix(Self.countMax - min(said.count, Self.countMax)) + said
            state.isLoaded = true
        }
    }
}
