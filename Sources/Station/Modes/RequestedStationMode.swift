import Configuration
import Core

/// A mode that a person asked for, as the store keeps it over a restart.
struct RequestedStationMode: Hashable, Sendable {
    static let settingKey = "mode"

    let mode: StationMode
    let boot: BootID
    /// When it ends, in that boot.
    let ends: MonotonicInstant
    /// End by the wall clock; nil when the clock had not been set.
    let wall: WallTime?
    /// How long it was to last, at most a day.
    let length: Duration

    /// nil for a mode without an end.
    init?(_ mode: StationMode, in boot: BootID, by clock: any NodeClock) {
        guard let ends = mode.ends else { return nil }
        let now = clock.now
        self.mode = mode
        self.boot = boot
        self.ends = ends
        length = min(max(.zero, now.duration(to: ends)), StationMode.longestTime)
        let left = length.wholeNanoseconds
        wall = clock.wallTime.map { WallTime(nanoseconds: $0.nanoseconds + left) }
    }

    /// The mode as it goes on at a start; nil when it is over.
    ///
    /// In another boot the wall clock says how much is left, and the store how long it went on
    /// before the power cut. How long there was no power is not known without a clock, and a drive
    /// goes on.
    ///
    /// - Parameters:
    ///   - wall: The present; nil when nothing has set the clock.
    ///   - last: The newest that is stored of the mode's own boot.
    /// - Returns: The mode with its end in this boot.
    func resumed(
        in boot: BootID,
        at now: MonotonicInstant,
        _ wall: WallTime?,
        last: MonotonicInstant? = nil
    ) -> StationMode? {
        var left = length
        if boot == self.boot {
            left = now.duration(to: ends)
        } else {
            if let end = self.wall, let wall {
                left = min(left, .nanoseconds(end.nanoseconds - wall.nanoseconds))
            }
            if let last { left = min(left, last.duration(to: ends)) }
        }
        guard left > .zero else { return nil }
        return StationMode(
            kind: mode.kind,
            name: mode.name,
            ends: now.advanced(by: left),
            isPrivate: mode.isPrivate
        )
    }

    // MARK: As a setting

    /// Kind, `private` or `open`, boot, nanoseconds since it, nanoseconds since 1970 or `-`, length
    /// in nanoseconds, and the rest is the name.
    var settingValue: String {
        let rights = mode.isPrivate ? "private" : "open"
        let date = wall.map { "\($0.nanoseconds)" } ?? "-"
        let numbers = "\(boot) \(ends.nanoseconds) \(date) \(length.wholeNanoseconds)"
        return "\(mode.kind.rawValue) \(rights) \(numbers) \(mode.name ?? "")"
    }

    /// nil for a text of another form.
    init?(setting value: String) {
        let parts = value.split(
            separator: " ",
            maxSplits: 6,
            omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 7, let kind = StationMode.Kind(rawValue: parts[0]),
            let boot = BootID(parts[2]), let tick = Int64(parts[3]), let left = Int64(parts[5]),
            left >= 0
        else { return nil }
        self.boot = boot
        ends = MonotonicInstant(nanoseconds: tick)
        wall = Int64(parts[4]).map { WallTime(nanoseconds: $0) }
        length = min(.nanoseconds(left), StationMode.longestTime)
        mode = StationMode(
            kind: kind,
            name: kind == .survey ? parts[6] : nil,
            ends: ends,
            isPrivate: parts[1] == "private"
        )
    }
}
