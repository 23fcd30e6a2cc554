import Core
import Store

/// Times to record the wall clock in the store: every hour, and as soon as it is trusted more.
struct AnchorSchedule {
    static let interval: Duration = .hours(1)

    private var next = MonotonicInstant.boot
    /// How far the clock was trusted at the last anchor.
    private var trust: ClockTrust?

    /// The anchor that is due now; nil when none is, or there is no wall clock.
    mutating func due(_ clock: any NodeClock, in boot: BootID) -> ClockAnchor? {
        let now = clock.now
        guard let reading = clock.wallReading,
            next <= now || reading.trust.rank > (trust?.rank ?? -1)
        else { return nil }
        (next, trust) = (now.advanced(by: Self.interval), reading.trust)
        return ClockAnchor(boot: boot, tick: Tick(now), wall: reading.wall, trust: reading.trust)
    }
}
