import Core
import Synchronization

/// The earliest date that the trusted clock readings of two days allow, for judging age.
///
/// A time server or a person can be wrong for a day, and samples left out for their age are lost to
/// the target. So nothing is too old before the dates of two days are known.
final class LeastDate: Sendable {
    private struct State {
        var dates = AgreedDates()
        /// Seconds since 1970 at which this boot began, by the earlier of two days' dates.
        var start: Int64?
    }

    let clock: any NodeClock
    private let state = Mutex(State())

    init(_ clock: any NodeClock) { self.clock = clock }

    /// The present date, after the clock's reading was added.
    ///
    /// - Returns: Seconds since 1970; nil before the dates are of two days.
    var seconds: Int64? {
        let (age, wall) = (clock.now.nanoseconds / 1_000_000_000, clock.wallTime)
        return state.withLock { state in
            if let wall { state.dates.add(wall.nanoseconds / 1_000_000_000, at: age) }
            if let least = state.dates.leastDate(at: age) {
                state.start = least - age
                _ = state.dates.settle(at: age)
            }
            return state.start.map { $0 + age }
        }
    }
}
