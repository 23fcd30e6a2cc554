import Core
import Synchronization

/// Sends notices to browsers through their push services, with the station's own key (VAPID).
///
/// - Source: RFC 8030, sections 5 and 7; RFC 8291; RFC 8292.
final class WebPushSender: PushSender {
    /// Tokens that are kept at most, one for each push service; there are about five.
    private static let originLimit = 64
    /// Seconds for which a token is valid; it is replaced after half of that.
    private static let tokenSeconds: Int64 = 43_200

    private struct Token {
        /// A restored backup brings another key.
        let key: CurveKey
        let text: Secret
        let expires: Int64
    }

    private let contact: String
    private let key: @Sendable () async throws -> CurveKey
    private let clock: any NodeClock
    private let tokens = Mutex<[String: Token]>([:])

    var kind: Subscriber.Kind { .webpush }

    /// - Parameters:
    ///   - contact: `mailto:` or `https:`, where a push service may write to the station's owner.
    ///   - clock: Without a trusted time no push service takes a token, so messages wait.
    ///   - key: The station's key; asked for at each new token.
    init(
        contact: String,
        clock: any NodeClock,
        key: @escaping @Sendable () async throws -> CurveKey
    ) {
        (self.contact, self.clock, self.key) = (contact, clock, key)
    }

    func deliver(
        _ notice: Notice,
        to subscriber: Subscriber,
        over network: any CourierNetwork
    ) async throws -> PushOutcome {
        guard case .webPush(let endpoint) = subscriber.way else {
            return .judged(.refused(DeliveryReason("kind", "it is no browser")))
        }
        guard let now = clock.wallTime?.unixSeconds else {
            let words = "push services take signed dates, and no time server has set the clock"
            return .judged(.later(DeliveryReason("time-unknown", words), afterSeconds: 60))
        }
        for limit in [WebPushCipher.plainLimit, WebPushCipher.plainLimit / 4] {
            let request: OutboundRequest
            do {
                request = try await self.request(notice, endpoint, limit, now)
            } catch let error as CancellationError {
                throw error
            } catch { return .judged(.hold(DeliveryReason("key", "\(error)"))) }
            do {
                let answer = try await network.exchange(request)
                // Try once with a shorter message, for a service that takes less than others.
                if answer.status == 413, limit == WebPushCipher.plainLimit { continue }
                return Self.classify(answer, of: endpoint)
            } catch let failure as NetworkFailure {
                return .judged(DeliveryClassifier.classify(failure))
            }
        }
        return .judged(.refused(DeliveryReason("status-413", "too large, also when shortened")))
    }

    private func request(
        _ notice: Notice,
        _ endpoint: PushEndpoint,
        _ limit: Int,
        _ now: Int64
    ) async throws -> OutboundRequest {
        let key = try await key()
        let token = try token(endpoint.origin, key, now)
        let body = try WebPushCipher.encrypt(
            Self.payload(notice, limit: limit),
            for: endpoint,
            from: try CurveKey(),
            salt: try CourierCrypto.random(16)
        )
        let fields = [
            OutboundRequest.Field("TTL", "\(Notice.lifetime)"),
            .init("Urgency", MaskedText(Self.urgency(notice.severity))),
            .init("Topic", MaskedText(notice.topic)),
            .init("Content-Encoding", "aes128gcm"),
            .init("Content-Type", "application/octet-stream"),
            .init("Authorization", "vapid t=\(token), k=\(Base64.url(key.point))"),
        ]
        let shown = "\(endpoint.origin)/\(Secret.mask)"
        return OutboundRequest(
            .post,
            MaskedText(secret: endpoint.url, shown: shown),
            fields,
            body: body
        )
    }

    private func token(_ origin: String, _ key: CurveKey, _ now: Int64) throws -> Secret {
        if let token = tokens.withLock({ $0[origin] }), token.key == key {
            let left = token.expires - now
            if (Self.tokenSeconds / 2...Self.tokenSeconds).contains(left) { return token.text }
        }
        let expires = now + Self.tokenSeconds
        let text = try SignedToken.make(
            [("typ", "\"JWT\""), ("alg", "\"ES256\"")],
            [
                ("aud", WireJSON.string(origin)), ("exp", "\(expires)"),
                ("sub", WireJSON.string(contact)),
            ],
            by: key
        )
        tokens.withLock { tokens in
            if tokens.count >= Self.originLimit { tokens = [:] }
            tokens[origin] = Token(key: key, text: text, expires: expires)
        }
        return text
    }

    private static func urgency(_ severity: Notice.Severity) -> String {
        switch severity {
        case .notice: "low"
        case .warning: "normal"
        case .critical: "high"
        }
    }

    /// Makes the page worker's JSON; the body's last lines are cut where it is too long.
    static func payload(_ notice: Notice, limit: Int) -> [UInt8] {
        var lines = [notice.subtitle] + notice.body
        while true {
            var members = [
                ("title", WireJSON.string(notice.shownTitle)),
                ("body", WireJSON.string(lines.joined(separator: "\n"))),
                ("tag", WireJSON.string(notice.topic)),
                ("severity", WireJSON.string(notice.severity.rawValue)),
                ("kind", WireJSON.string(notice.kind.rawValue)),
                ("number", "\(notice.number)"),
            ]
            if let link = notice.link { members.append(("url", WireJSON.string(link))) }
            if let time = notice.time { members.append(("at", WireJSON.string(time.iso8601))) }
            let bytes = Array(WireJSON.object(members.map { (key: $0.0, value: $0.1) }).utf8)
            guard bytes.count > limit, let last = lines.popLast() else { return bytes }
            // The only line left is shortened instead.
            if lines.isEmpty, last.count > 1 { lines = [String(last.prefix(last.count / 2))] }
        }
    }

    static func classify(_ answer: OutboundAnswer, of endpoint: PushEndpoint) -> PushOutcome {
        let words = "\(endpoint.host): status \(answer.status) \(answer.excerpt)"
        let reason = DeliveryReason("status-\(answer.status)", words)
        switch answer.status {
        case 200...202 where !answer.isHTML: return .judged(.delivered)
        case 404 where !answer.isHTML, 410: return .gone(reason)
        case 400, 401, 403: return .judged(.hold(reason))
        default: return .judged(DeliveryClassifier.classify(answer))
        }
    }
}
