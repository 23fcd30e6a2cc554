import Core

/// Accounts for the time in live mode: each interval has a sample, or a reason why there is none.
struct LiveCoverage: Hashable, Sendable {
    private let interval: Duration
    /// Whether live mode runs; otherwise an unasked measurement is not counted.
    private(set) var isOpen = false
    private(set) var until = MonotonicInstant.boot

    init(every interval: Duration) {
        precondition(interval > .zero, "an interval lasts")
        self.interval = interval
    }

    mutating func begin(at instant: MonotonicInstant) {
        until = max(until, instant)
        isOpen = true
    }

    mutating func end() { isOpen = false }

    /// Leaves out a stretch that another mark accounts for.
    mutating func skip(to instant: MonotonicInstant) { until = max(until, instant) }

    /// The next instant at which an interval without a measurement is over.
    var tick: MonotonicInstant { until.advanced(by: interval) }

    /// All whole intervals until now, without a measurement.
    mutating func miss(until now: MonotonicInstant) -> MissedIntervals? {
        advance(nanoseconds(until: now) / interval.wholeNanoseconds)
    }

    /// Whole intervals before now, rounded, that `count` measurements do not cover.
    mutating func miss(before count: Int, at now: MonotonicInstant) -> MissedIntervals? {
        let step = interval.wholeNanoseconds
        return advance((nanoseconds(until: now) + step / 2) / step - Int64(count))
    }

    /// Closes the account until now, or until when the last of a late burst was measured.
    ///
    /// - Returns: Until when it was closed before.
    mutating func close(at now: MonotonicInstant) -> MonotonicInstant {
        defer { until = max(until, now) }
        return until
    }

    private func nanoseconds(until now: MonotonicInstant) -> Int64 {
        now.nanoseconds - until.nanoseconds
    }

    private mutating func advance(_ count: Int64) -> MissedIntervals? {
        guard count > 0 else { return nil }
        let missed = MissedIntervals(from: tick, each: interval, count: Int(count))
        until = until.advanced(by: interval * Int(count))
        return missed
    }
}
