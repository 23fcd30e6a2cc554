import Core

/// Compares successive wall times of a part with the running clock.
///
/// A receiver that has just found its satellites may say any date for a moment.
struct TimeRun: Sendable {
    /// Number of consistent times in a row that are believed.
    static let least = 3
    /// A sentence comes somewhere within its second.
    static let slack: Duration = .milliseconds(500)

    private var last: (wall: WallTime, at: MonotonicInstant)?
    private var count = 0

    /// Checks a time of the years 1980 to 2099.
    ///
    /// - Returns: Whether it is believed; not for a second that came before.
    mutating func confirm(_ wall: WallTime, at now: MonotonicInstant) -> Bool {
        guard wall != last?.wall else { return false }
        let isNext = last.map { last in
            let said = wall.nanoseconds - last.wall.nanoseconds
            let passed = last.at.duration(to: now).wholeNanoseconds
            return abs(said - passed) <= Self.slack.wholeNanoseconds
        }
        count = isNext == true ? min(count + 1, Self.least) : 1
        last = (wall, now)
        return count >= Self.least
    }
}
