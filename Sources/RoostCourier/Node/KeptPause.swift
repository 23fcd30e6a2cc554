import Core

/// A pause that the owner ordered, in the form that survives a restart.
struct KeptPause: Hashable, Sendable {
    /// End of a pause.
    struct End: Hashable, Sendable {
        /// The kernel's id of the boot in which `instant` counts; nil where it gave none.
        let boot: BootID?
        let instant: MonotonicInstant
        /// The end by the wall clock; nil when the clock was not set.
        let wall: WallTime?
        let length: Duration
    }

    /// Remainder of a pause in the present boot.
    struct Rest: Hashable, Sendable {
        /// End of the pause; nil lasts until `resume`.
        let end: MonotonicInstant?
        /// Whether the end may change once the clock is set.
        var waitsForClock = false
    }

    /// End of the pause; nil lasts until `resume`.
    let end: End?

    init(for length: Duration?, in boot: BootID?, by clock: any NodeClock) {
        end = length.map { length in
            let nanoseconds = length.wholeNanoseconds
            return End(
                boot: boot,
                instant: clock.now.advanced(by: length),
                wall: clock.wallTime.map { WallTime(nanoseconds: $0.nanoseconds + nanoseconds) },
                length: length
            )
        }
    }

    /// Computes the remainder of the pause.
    ///
    /// In another boot the wall clock decides. Without a clock the pause has its whole length
    /// again: an owner who pauses a target wants nothing sent.
    func rest(in boot: BootID?, by clock: any NodeClock) -> Rest {
        guard let end else { return Rest(end: nil) }
        if let boot, boot == end.boot { return Rest(end: end.instant) }
        guard let wall = end.wall, let now = clock.wallTime else {
            return Rest(end: clock.now.advanced(by: end.length), waitsForClock: end.wall != nil)
        }
        let left = Duration.nanoseconds(wall.nanoseconds - now.nanoseconds)
        return Rest(end: clock.now.advanced(by: min(left, end.length)))
    }

    // MARK: As a line

    /// Writes the line of the pause in the file.
    ///
    /// It has the target and, for a pause with an end, its boot, nanoseconds since that,
    /// nanoseconds since 1970, and length in nanoseconds; `-` where a value is unknown.
    func line(of target: String) -> String {
        guard let end else { return target }
        let boot = end.boot.map { "\($0)" } ?? "-"
        let wall = end.wall.map { "\($0.nanoseconds)" } ?? "-"
        return "\(target) \(boot) \(end.instant.nanoseconds) \(wall) \(end.length.wholeNanoseconds)"
    }

    /// Parses a line; nil for another form.
    static func read(_ line: Substring) -> (target: String, pause: KeptPause)? {
        let parts = line.split(separator: " ").map(String.init)
        if parts.count == 1 { return (parts[0], KeptPause(end: nil)) }
        guard parts.count == 5, parts[1] == "-" || BootID(parts[1]) != nil,
            let tick = Int64(parts[2]), parts[3] == "-" || Int64(parts[3]) != nil,
            let length = Int64(parts[4]), length >= 0
        else { return nil }
        let end = End(
            boot: BootID(parts[1]),
            instant: MonotonicInstant(nanoseconds: tick),
            wall: Int64(parts[3]).map { WallTime(nanoseconds: $0) },
            length: .nanoseconds(length)
        )
        return (parts[0], KeptPause(end: end))
    }

    private init(end: End?) { self.end = end }
}
