import Core

/// Time that a target waits after a failure.
///
/// It doubles from 5 s to 15 min, times a random part in [0.5, 1), so that many stations behind one
/// router do not come back together.
struct RetryDelay: Sendable {
    static let shortest: Duration = .seconds(5)
    static let longest: Duration = .seconds(900)
    /// Longest wait while a machine of the own network refuses: its server is starting.
    static let longestNear: Duration = .seconds(10)
    /// Time that a held target waits before it tries one item.
    static let probe: Duration = .seconds(3_600)
    /// Time within which waiting data is tried after a new route.
    static let afterRoute: Duration = .seconds(30)

    private var random: SplitMix64
    /// Failures in a row.
    private(set) var failureCount = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Returns the wait after one more failure.
    ///
    /// - Parameters:
    ///   - asked: Seconds that the receiver asked for; never shortened.
    /// - Returns: How long to wait, 2.5 s or more.
    mutating func fail(
        _ reason: DeliveryReason? = nil,
        afterSeconds asked: Int? = nil
    ) -> Duration {
        let doubled = Self.shortest * Double(1 << min(failureCount, 8))
        failureCount += 1
        let longest = reason?.isNear == true ? Self.longestNear : Self.longest
        let wait = min(doubled, longest) * part()
        return max(wait, .seconds(asked ?? 0))
    }

    /// Returns a random wait of up to `time`, so that not all targets act at once.
    mutating func spread(_ time: Duration) -> Duration { time * part() }

    mutating func succeed() { failureCount = 0 }

    /// Returns a random number in [0.5, 1).
    private mutating func part() -> Double {
        0.5 + Double(random.next() >> 11) / Double(1 << 54)
    }
}
