import ControlProtocol
import HTTPTypes
import Synchronization

/// Bounds requests a second: 20 an address without a session, 50 a session or token.
///
/// Refused requests count at their address.
///
/// A first visit asks for a page's files at once, so two seconds' worth may come together.
final class RequestRate: Sendable {
    /// Addresses and sessions that are counted; beyond it the one unused longest is forgotten.
    static let countMax = 256

    private struct Bucket {
        var tokens: Double
        var at: Double
    }

    private let clock: WebClock
    private let buckets = Mutex<[String: Bucket]>([:])

    init(_ clock: WebClock) { self.clock = clock }

    /// Addresses and sessions that are counted now.
    var count: Int { buckets.withLock { $0.count } }

    /// Counts one request.
    ///
    /// - Throws: `Problem` `rate-limited` with `Retry-After`.
    func admit(_ identity: Identity?, _ peer: PeerAddress) throws(Problem) {
        let (key, rate): (String, Double) =
            switch identity?.door {
            case .session(let id): ("session \(id)", 50)
            case .token(let id, _): ("token \(id)", 50)
            case .open: ("open", 50)
            case nil: (peer.text, 20)
            }
        let now = clock.uptime()
        let isAdmitted = buckets.withLock { buckets in
            var bucket = buckets[key] ?? Bucket(tokens: 2 * rate, at: now)
            bucket.tokens = min(2 * rate, bucket.tokens + max(0, now - bucket.at) * rate)
            bucket.at = now
            let isAdmitted = bucket.tokens >= 1
            if isAdmitted { bucket.tokens -= 1 }
            if buckets[key] == nil, buckets.count >= Self.countMax,
                let oldest = buckets.min(by: { $0.value.at < $1.value.at })?.key
            {
                buckets[oldest] = nil
            }
            buckets[key] = bucket
            return isAdmitted
        }
        guard isAdmitted else {
            throw Problem(
                .rateLimited,
                "more than \(Int(rate)) requests a second",
                headers: [.retryAfter: "1"]
            )
        }
    }
}
