import Core
import Synchronization

/// Sends notices to Apple's devices, for an app of the station's owner.
///
/// - Source: Apple, *Sending notification requests to APNs*, *Establishing a token-based connection
///   to APNs*, *Handling notification responses from APNs*.
final class APNsSender: PushSender {
    /// Apple's environment of a device token: apps of the App Store, or apps that Xcode installs.
    enum Environment: String, Hashable, Sendable, CaseIterable {
        case production, sandbox

        /// URL of the service, `https://HOST`.
        var url: String {
            switch self {
            case .production: "https://api.push.apple.com"
            case .sandbox: "https://api.sandbox.push.apple.com"
            }
        }
    }

    struct Settings: Hashable, Sendable {
        /// Id of the developer's team: ten letters and digits.
        let team: String
        let keyID: String
        /// The app's bundle id.
        let topic: String
        var environment = Environment.production
        /// URL of a service in place of Apple's, without a slash at its end; nil for Apple's.
        var url: String?
        var trust = ServerTrust.system

        init(team: String, keyID: String, topic: String) {
            (self.team, self.keyID, self.topic) = (team, keyID, topic)
        }
    }

    /// Bytes of a payload.
    static let payloadLimit = 4_096
    /// Age at which a token is replaced: Apple accepts it for 60 min, and a new one each 20.
    ///
    /// It is dated by the full 40 min of the clock, so that a restart goes on with the same date.
    private static let renewalSeconds: Int64 = 2_400
    private static let renewalLeast: Int64 = 1_200

    private let settings: Settings
    private let key: CurveKey
    private let clock: any NodeClock
    private let token = Mutex(Token())

    private struct Token {
        var text: Secret?
        /// Time when it was made, in seconds since 1970.
        var made: Int64 = 0
        /// Whether Apple refused one dated 40 min back as too old, so that new ones are dated now.
        var isDatedNow = false
    }

    var kind: Subscriber.Kind { .apns }

    init(_ settings: Settings, key: CurveKey, clock: any NodeClock) {
        (self.settings, self.key, self.clock) = (settings, key, clock)
    }

    func deliver(
        _ notice: Notice,
        to subscriber: Subscriber,
        over network: any CourierNetwork
    ) async throws -> PushOutcome {
        guard case .apns(let device) = subscriber.way else {
            return .judged(.refused(DeliveryReason("kind", "it is no device of Apple's")))
        }
        guard let now = clock.wallTime?.unixSeconds else {
            let words = "Apple takes signed dates, and no time server has set the clock"
            return .judged(.later(DeliveryReason("time-unknown", words), afterSeconds: 60))
        }
        let request: OutboundRequest
        do { request = try self.request(notice, device, now) } catch {
            return .judged(.hold(DeliveryReason("key", "\(error)")))
        }
        do {
            return classify(try await network.exchange(request), of: subscriber, now)
        } catch let failure as NetworkFailure {
            return .judged(DeliveryClassifier.classify(failure))
        }
    }

    private func request(
        _ notice: Notice,
        _ device: String,
        _ now: Int64
    ) throws(CryptoFailure) -> OutboundRequest {
        let base = settings.url ?? settings.environment.url
        let fields = [
            OutboundRequest.Field("authorization", "bearer \(try token(now))"),
            .init("apns-topic", MaskedText(settings.topic)),
            .init("apns-push-type", "alert"),
            .init("apns-priority", notice.severity == .notice ? "5" : "10"),
            .init("apns-expiration", "\(now + Int64(Notice.lifetime))"),
            .init("apns-collapse-id", MaskedText(notice.topic)),
            .init("content-type", "application/json"),
        ]
        var request = OutboundRequest(
            .post,
            "\(base)/3/device/\(Secret(device))",
            fields,
            body: Self.payload(notice)
        )
        (request.needsHTTP2, request.trust) = (true, settings.trust)
        return request
    }

    private func token(_ now: Int64) throws(CryptoFailure) -> Secret {
        let held = token.withLock { $0 }
        if let text = held.text, (0..<Self.renewalSeconds).contains(now - held.made) { return text }
        let made = held.isDatedNow ? now : now - now % Self.renewalSeconds
        let text = try SignedToken.make(
            [("alg", "\"ES256\""), ("kid", WireJSON.string(settings.keyID))],
            [("iss", WireJSON.string(settings.team)), ("iat", "\(made)")],
            by: key
        )
        token.withLock { ($0.text, $0.made) = (text, made) }
        return text
    }

    /// Makes the payload for the seed's app; the body's last lines are cut where it is too long.
    static func payload(_ notice: Notice) -> [UInt8] {
        var (subtitle, lines) = (notice.subtitle, notice.body)
        while true {
            var alert = [
                ("title", WireJSON.string(notice.shownTitle)),
                ("subtitle", WireJSON.string(subtitle)),
            ]
            if !lines.isEmpty {
                alert.append(("body", WireJSON.string(lines.joined(separator: "\n"))))
            }
            let aps = [
                ("alert", WireJSON.object(alert.map { (key: $0.0, value: $0.1) })),
                ("category", "\"AIR_QUALITY\""), ("sound", "\"default\""),
            ]
            let text = WireJSON.object([("aps", WireJSON.object(aps.map { (key: $0, value: $1) }))])
            guard text.utf8.count > payloadLimit, subtitle.count > 1 else {
                return Array(text.utf8)
            }
            if lines.popLast() == nil { subtitle = String(subtitle.prefix(subtitle.count / 2)) }
        }
    }

    // MARK: Answers

    private func classify(
        _ answer: OutboundAnswer,
        of subscriber: Subscriber,
        _ now: Int64
    ) -> PushOutcome {
        if answer.status == 200, !answer.isHTML { return .judged(.delivered) }
        let json = WireJSON.parse(answer.body)
        guard let word = json?["reason"]?.string else {
            return .judged(DeliveryClassifier.classify(answer))
        }
        let words = "\(answer.line(word)): \(Self.advice(word))"
        let reason = DeliveryReason("apns-\(answer.status)", words)
        switch (answer.status, word) {
        case (410, _):
            // The device may have subscribed again since its token was found to be dead.
            let died = (json?["timestamp"]?.integer).map { Int64($0 / 1_000) }
            if let died, let since = subscriber.since?.unixSeconds, since > died {
                return .judged(.refused(reason))
            }
            return .gone(reason)
        case (403, "ExpiredProviderToken"):
            let age = token.withLock { $0.text == nil ? 0 : now - $0.made }
            guard age >= Self.renewalLeast else { return .judged(.hold(reason)) }
            token.withLock { ($0.text, $0.isDatedNow) = (nil, true) }
            return .judged(.later(reason))
        case (403, _), (400, "BadTopic"), (400, "TopicDisallowed"), (400, "MissingTopic"):
            return .judged(.hold(reason))
        case (429, "TooManyProviderTokenUpdates"):
            return .judged(.later(reason, afterSeconds: Int(Self.renewalLeast)))
        case (429, _):
            // This device gets too many notices; the other devices go on.
            return .judged(.refused(reason))
        case (500..., _): return .judged(.later(reason))
        default: return .judged(.refused(reason))
        }
    }

    private static func advice(_ reason: String) -> String {
        switch reason {
        case "BadDeviceToken": "a token of the other environment?"
        case "DeviceTokenNotForTopic": "the token belongs to another app"
        case "InvalidProviderToken": "check team, keyID and the key"
        case "ExpiredProviderToken": "this computer's clock is wrong"
        case "BadTopic", "TopicDisallowed", "MissingTopic": "topic is the app's bundle id"
        case "Unregistered", "ExpiredToken": "the app is not on the device any more"
        case "TooManyRequests": "too many for this device"
        default: "Apple's word"
        }
    }
}
