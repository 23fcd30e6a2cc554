import HTTPTypes

/// Slows down who guesses passwords, and never locks an account.
struct LoginThrottle: Sendable {
    static let addressMax = 10
    static let addressSeconds = 600.0
    static let allMax = 60
    static let allSeconds = 3_600.0
    /// E-mail addresses whose failures are counted; the one unused longest makes room.
    static let accountsMax = 64

    /// Tries that did not succeed, or not yet.
    private var tries: [(at: Double, address: String)] = []
    private var failures: [String: (count: Int, at: Double)] = [:]

    init() {}

    /// Counts a try.
    ///
    /// - Parameters:
    ///   - address: Where it comes from.
    ///   - email: Whose account is tried, whether there is one or not.
    ///   - isKnown: An address with a live session: the limit of all does not hold for it, so that
    ///     a guesser elsewhere cannot keep the owner out.
    ///   - now: The machine's running time.
    /// - Returns: Seconds to wait before the password is looked at: 1, 2, 4, 8 from the 4th try on.
    /// - Throws: `Problem` `rate-limited`.
    mutating func admit(
        address: String,
        email: String,
        isKnown: Bool,
        at now: Double
    ) throws(Problem) -> Int64 {
        tries.removeAll { now - $0.at >= Self.allSeconds }
        let own = tries.filter { $0.address == address && now - $0.at < Self.addressSeconds }
        if own.count >= Self.addressMax, let oldest = own.first {
            throw Self.problem("10 tries in 10 min", until: oldest.at + Self.addressSeconds - now)
        }
        if !isKnown, tries.count >= Self.allMax, let oldest = tries.first {
            throw Self.problem("60 tries in an hour", until: oldest.at + Self.allSeconds - now)
        }
        // Known addresses may go beyond the bound, each by 10 in 10 min: so many stay at most.
        if tries.count >= 2 * Self.allMax { tries.removeFirst() }
        tries.append((now, address))
        let key = email.lowercased()
        let before = failures[key].flatMap { now - $0.at < Self.allSeconds ? $0.count : nil } ?? 0
        if failures[key] == nil, failures.count >= Self.accountsMax,
            let oldest = failures.min(by: { $0.value.at < $1.value.at })?.key
        {
            failures[oldest] = nil
        }
        failures[key] = (before + 1, now)
        return before < 3 ? 0 : 1 << Int64(min(before - 3, 3))
    }

    /// Takes a try back: it was the right password.
    mutating func succeed(address: String, email: String) {
        failures[email.lowercased()] = nil
        if let index = tries.lastIndex(where: { $0.address == address }) { tries.remove(at: index) }
    }

    private static func problem(_ words: String, until seconds: Double) -> Problem {
        let wait = Int(max(1, seconds.rounded(.up)))
        return Problem(
            .rateLimited,
            "\(words) are allowed; try again in \(wait) s",
            headers: [.retryAfter: String(wait)]
        )
    }
}
