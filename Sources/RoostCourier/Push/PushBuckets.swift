import Core

/// Token bucket for each interval, for notices that other programs send.
///
/// Kept in the runtime folder as text lines of interval and instant, so that a restart of the
/// process changes nothing; after a start of the machine each token counts as just used.
struct PushBuckets: Hashable, Sendable {
    /// Intervals that are remembered; there are 86 340, and a handful are used.
    static let limit = 1_440

    /// Time when the token was used, by the interval in seconds.
    private var used: [Int: MonotonicInstant] = [:]

    init() {}

    /// Returns when an interval has its token.
    func ready(_ interval: Int) -> MonotonicInstant {
        (used[interval] ?? .boot).advanced(by: .seconds(interval))
    }

    /// - Parameters:
    ///   - intervals: Intervals whose tokens may be used.
    /// - Returns: Those that had a token, which is used now.
    mutating func use(_ intervals: Set<Int>, at now: MonotonicInstant) -> Set<Int> {
        let free = intervals.filter { ready($0) <= now }
        for interval in free { used[interval] = now }
        if used.count > Self.limit {
            used = used.filter { ready($0.key) > now }
        }
        return free
    }

    /// Seconds until the first of these has a token, rounded up, at least 1.
    func wait(_ intervals: Set<Int>, at now: MonotonicInstant) -> Int {
        let first = intervals.map(ready).min() ?? now
        return max(Int(now.duration(to: first).inSeconds.rounded(.up)), 1)
    }

    // MARK: In the runtime folder

    var bytes: [UInt8] {
        let lines = used.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.nanoseconds)\n" }
        return Array(lines.joined().utf8)
    }

    /// Parses what `bytes` wrote; a damaged line counts as used at the machine's start.
    init(_ bytes: [UInt8], at now: MonotonicInstant) {
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(Self.limit) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2, let interval = Int(words[0]), let instant = Int64(words[1]),
                Subscriber.intervals.contains(interval), instant >= 0, instant <= now.nanoseconds
            else { continue }
            used[interval] = MonotonicInstant(nanoseconds: instant)
        }
    }
}
