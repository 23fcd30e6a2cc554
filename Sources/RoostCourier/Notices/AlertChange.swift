import Core

/// One change of an alert, as the station numbered it.
struct AlertChange: Hashable, Sendable {
    /// Number that counts up over the store's life.
    let number: Int64
    let event: AlertEvent
    /// Time in UTC; nil while no trusted clock dates it.
    let time: WallTime?
    /// Time in the present boot; nil for an earlier boot.
    let instant: MonotonicInstant?

    init(
        number: Int64,
        event: AlertEvent,
        time: WallTime?,
        instant: MonotonicInstant? = nil
    ) {
        (self.number, self.event, self.time) = (number, event, time)
        self.instant = instant
    }

    /// Returns the time in the present boot, before its start for an older date; else now.
    func instant(at now: MonotonicInstant, _ wall: WallTime?) -> MonotonicInstant {
        if let instant { return min(instant, now) }
        guard let time, let wall else { return now }
        let (age, isBeyond) = wall.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
        guard !isBeyond, age > 0 else { return now }
        return now.advanced(by: .zero - .nanoseconds(age))
    }
}
