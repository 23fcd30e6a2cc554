import Core

/// One thing that happened to an alert, as the station numbered it.
package struct AlertChange: Hashable, Sendable {
    /// Counts up over the store's life.
    package let number: Int64
    package let event: AlertEvent
    /// UTC; nil while no trusted clock dates it.
    package let time: WallTime?
    /// In the present boot; nil of an earlier one.
    package let instant: MonotonicInstant?

    package init(
        number: Int64,
        event: AlertEvent,
        time: WallTime?,
        instant: MonotonicInstant? = nil
    ) {
        (self.number, self.event, self.time) = (number, event, time)
        self.instant = instant
    }

    /// When it was, as the present boot counts: before its start where its date says so, and now
    /// where nothing says it.
    func instant(at now: MonotonicInstant, _ wall: WallTime?) -> MonotonicInstant {
        if let instant { return min(instant, now) }
        guard let time, let wall else { return now }
        let (age, isBeyond) = wall.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
        guard !isBeyond, age > 0 else { return now }
        return now.advanced(by: .zero - .nanoseconds(age))
    }
}
