import Core

/// Bounds how many events one driver records, so that a part that flaps does not fill the log.
///
/// At the bound events are withheld and counted until the hour is over.
struct EventBudget: Hashable, Sendable {
    enum Decision: Hashable {
        case record
        /// The first that is too much: say that more are withheld.
        case recordLast
        case withhold
    }

    private static let window: Duration = .hours(1)

    private let limit: Int
    private var windowStart = MonotonicInstant.boot
    private var count = 0
    /// Withheld since the start.
    private(set) var withheldCount = 0

    /// A budget of so many events an hour, ≥ 1.
    init(perHour limit: Int) {
        precondition(limit >= 1, "a budget admits something")
        self.limit = limit
    }

    mutating func admit(at now: MonotonicInstant) -> Decision {
        if windowStart.duration(to: now) >= Self.window { (windowStart, count) = (now, 0) }
        count += 1
        if count < limit { return .record }
        if count == limit { return .recordLast }
        withheldCount += 1
        return .withhold
    }
}
