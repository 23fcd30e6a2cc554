import Core

/// Bounds how many measurements of a stream become samples: a part that babbles fills no card.
///
/// Over any time no more than the part's fastest pace allows, and `burst` besides: as many may have
/// waited while no task read. What is too much is counted and left out; its time is covered by the
/// samples around it.
struct SampleBudget: Hashable, Sendable {
    /// Half of what the kernel keeps for a tty, 4 KiB, in frames of 32 bytes.
    static let burst = 64

    /// Time from one measurement to the next at the part's fastest.
    let fastest: Duration
    /// How far ahead of the pace a burst may be; `*` of durations is too dear to compute each time.
    private let lead: Duration
    /// When the next one would be due, had all those admitted kept the pace.
    private var due = MonotonicInstant.boot
    /// Left out since the start.
    private(set) var surplusCount = 0

    init(fastest: Duration) { (self.fastest, lead) = (fastest, fastest * Self.burst) }

    /// Whether a measurement of this moment becomes a sample.
    mutating func admit(at now: MonotonicInstant) -> Bool {
        guard due <= now.advanced(by: lead) else {
            surplusCount += 1
            return false
        }
        due = max(due, now).advanced(by: fastest)
        return true
    }

    /// Details to report when the first sample is left out; nil at every later one.
    var news: [Event.Detail]? {
        guard surplusCount == 1 else { return nil }
        return [Event.Detail("why", "more than one in \(fastest.inSeconds) s")]
    }
}
