/// The open connections, and which one is closed when the limit is reached.
///
/// An address gets at most a quarter of `limit`. At the limit, a newcomer replaces the oldest
/// connection of an address that has more. Failing that, a newcomer from an address with a
/// logged-in person replaces the oldest connection without one. So a few computers cannot hold
/// everything.
struct ConnectionShares {
    enum Answer: Hashable {
        case admitted
        case refused
        /// Admitted; the connection with this number is to be closed.
        case inPlaceOf(Int)
    }

    private struct Open {
        let number: Int
        let address: String
        let isKnown: Bool
    }

    private let limit: Int
    /// The oldest first; as many as `limit`.
    private var open: [Open] = []

    init(limit: Int) { self.limit = limit }

    /// Connections of each address.
    var counts: [String: Int] {
        open.reduce(into: [:]) { counts, one in counts[one.address, default: 0] += 1 }
    }

    /// - Parameters:
    ///   - number: Of the connection, in the order in which they come.
    ///   - address: Where it comes from.
    ///   - isKnown: Whether a person is logged in there.
    /// - Returns: Whether it may stay.
    mutating func admit(_ number: Int, from address: String, isKnown: Bool) -> Answer {
        let counts = counts
        let own = counts[address, default: 0]
        guard own < max(1, limit / 4) else { return .refused }
        let newcomer = Open(number: number, address: address, isKnown: isKnown)
        guard open.count >= limit else {
            open.append(newcomer)
            return .admitted
        }
        let most = counts.values.max() ?? 0
        let index = open.firstIndex { one in
            own + 1 < most
                ? counts[one.address] == most : isKnown && !one.isKnown && one.address != address
        }
        guard let index else { return .refused }
        let old = open.remove(at: index)
        open.append(newcomer)
        return .inPlaceOf(old.number)
    }

    /// A connection has ended, or was not admitted.
    mutating func end(_ number: Int) { open.removeAll { $0.number == number } }
}
