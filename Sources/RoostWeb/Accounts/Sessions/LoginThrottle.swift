import ControlProtocol
import HTTPTypes

/// Slows down guesses of passwords, and never locks an account.
struct LoginThrottle: Sendable {
    static let addressMax = 10
    static let addressSeconds = 600.0
    static let allMax = 60
    static let allSeconds = 3_600.0
    /// Seconds between the reserved tries of an e-mail address once the hour's tries are used up.
    ///
    /// So guessers do not exhaust the budget of the owner at a new device. The reserve is for every
    /// address, with an account or not, and for clients with few tries in that hour.
    static let reserveSeconds = 60.0
    static let reserveTries = 3
    /// E-mail addresses whose failures are counted; the one unused longest makes room.
    static let accountsMax = 64

    /// Tries that did not succeed, or not yet.
    private var tries: [(at: Double, address: String)] = []
    private var failures: [String: (count: Int, at: Double)] = [:]
    /// Time of the last reserved try of an e-mail address; as many as are counted.
    private var reserve: [String: Double] = [:]

    init() {}

    /// Counts a try.
    ///
    /// - Parameters:
    ///   - address: Where it comes from.
    ///   - email: Whose account is tried, whether there is one or not.
    ///   - isKnown: An address with a live session: the limit of all does not hold for it, so that
    ///     a guesser elsewhere cannot keep the owner out.
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
        let key = email.lowercased()
        if !isKnown, tries.count >= Self.allMax { try useReserve(of: key, from: address, at: now) }
        // Known addresses may exceed the bound, each by 10 in 10 min: this many stay at most.
        if tries.count >= 2 * Self.allMax { tries.removeFirst() }
        tries.append((now, address))
        let before = failures[key].flatMap { now - $0.at < Self.allSeconds ? $0.count : nil } ?? 0
        if failures[key] == nil, failures.count >= Self.accountsMax,
            let oldest = failures.min(by: { $0.value.at < $1.value.at })?.key
        {
            failures[oldest] = nil
        }
        failures[key] = (before + 1, now)
        return before < 3 ? 0 : 1 << Int64(min(before - 3, 3))
    }

    private mutating func useReserve(
        of key: String,
        from address: String,
        at now: Double
    ) throws(Problem) {
        reserve = reserve.filter { now - $0.value < Self.reserveSeconds }
        let own = tries.filter { $0.address == address }
        if own.count >= Self.reserveTries, let oldest = own.first {
            throw Self.problem("60 tries in an hour", until: oldest.at + Self.allSeconds - now)
        }
        if let last = reserve[key] {
            let end = last + Self.reserveSeconds
            throw Self.problem("60 tries in an hour, and then one a minute", until: end - now)
        }
        if reserve.count >= Self.accountsMax,
            let oldest = reserve.min(by: { $0.value < $1.value })
        {
            reserve[oldest.key] = nil
        }
        reserve[key] = now
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
