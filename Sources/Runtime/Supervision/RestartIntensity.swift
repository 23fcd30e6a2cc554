import Core
import DequeModule

/// How many restarts a supervisor tolerates within a period.
///
/// Pure. One more than `limit` means that restarting does not help; the next level decides.
///
/// - Source: Erlang/OTP, *supervisor* behaviour, `intensity` and `period`.
package struct RestartIntensity: Sendable {
    /// Restarts admitted within a period, ≥ 0; none at 0.
    package let limit: Int
    package let period: Duration
    // At most `limit` instants: the restarts of the last period, oldest first.
    private var restarts: Deque<MonotonicInstant> = []

    package init(limit: Int, within period: Duration) {
        precondition(limit >= 0 && period > .zero, "a limit counts within some time")
        self.limit = limit
        self.period = period
    }

    /// Counts a restart, or refuses it at the bound.
    ///
    /// A restart exactly one period ago still counts, as in OTP.
    mutating func admitsRestart(at now: MonotonicInstant) -> Bool {
        while let oldest = restarts.first, oldest.advanced(by: period) < now {
            restarts.removeFirst()
        }
        guard restarts.count < limit else { return false }
        restarts.append(now)
        return true
    }
}
