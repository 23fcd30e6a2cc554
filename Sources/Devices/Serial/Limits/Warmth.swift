import Core

/// Warm state of a part: it has had power for its preheat, and has run for its warm-up.
struct Warmth: Hashable, Sendable {
    /// From power to the first value that counts.
    let preheat: Duration
    /// When it got power, at the latest; nil when that is not known.
    private var poweredAt: MonotonicInstant?
    /// When its values begin to count; nil before it was woken.
    private(set) var warmAt: MonotonicInstant?

    init(poweredAt: MonotonicInstant?, preheat: Duration) {
        (self.poweredAt, self.preheat) = (poweredAt, preheat)
    }

    /// The part has been woken.
    mutating func begin(at now: MonotonicInstant, warmUp: Duration) {
        let warm = now.advanced(by: warmUp)
        warmAt = max(warm, poweredAt?.advanced(by: preheat) ?? warm)
    }

    /// The line was opened anew: another adapter may have come to its place since the last opening.
    mutating func reopen(poweredAt instant: MonotonicInstant) {
        if let poweredAt, instant <= poweredAt { return }
        poweredAt = instant
        warmAt = warmAt.map { max($0, instant.advanced(by: preheat)) }
    }

    /// The part may have had no power until now; of one whose time of power is not known, that says
    /// nothing.
    mutating func restart(at now: MonotonicInstant) {
        guard poweredAt != nil else { return }
        poweredAt = now
        warmAt = max(warmAt ?? now, now.advanced(by: preheat))
    }
}
