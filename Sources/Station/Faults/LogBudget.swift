import Core

/// Bounds the log: a burst, then so many lines an hour, and a count of those left out.
struct LogBudget {
    /// Lines at once after a quiet time.
    static let burst = 60
    /// A line more every minute.
    static let refill: Duration = .minutes(1)

    private var tokens = Self.burst
    private var filledAt: MonotonicInstant?
    private var omitted = 0

    enum Verdict: Equatable {
        /// Write it, after saying that so many were left out before it.
        case write(omittedBefore: Int)
        case omit
    }

    mutating func admit(at now: MonotonicInstant) -> Verdict {
        let since = filledAt ?? now
        let earned = Int(since.duration(to: now) / Self.refill)
        if filledAt == nil || earned > 0 {
            tokens = min(Self.burst, tokens + earned)
            filledAt = since.advanced(by: Self.refill * earned)
        }
        guard tokens > 0 else {
            omitted += 1
            return .omit
        }
        tokens -= 1
        defer { omitted = 0 }
        return .write(omittedBefore: omitted)
    }
}
