import Core
import Profiles
import RoostCourier
import Synchronization

/// Simulated push service, with the browsers behind it.
///
/// - Source: RFC 8030, section 5; RFC 8291, section 3; RFC 8292, sections 2 to 4.
final class WebPushServer: SimulatedServer {
    /// A browser that subscribed.
    struct Browser: Sendable {
        let path: String
        let key: CurveKey
        let secret: [UInt8]

        init(path: String) throws {
            self.path = path
            (key, secret) = (try CurveKey(), try CourierCrypto.random(16))
        }

        /// Makes the endpoint that the browser's page sends to the station.
        func endpoint(at origin: String) throws -> PushEndpoint {
            try PushEndpoint(
                url: origin + path,
                key: Base64.url(key.point),
                secret: Base64.url(secret)
            )
        }
    }

    /// A message that a browser could read.
    struct Message: Sendable {
        let path: String
        let topic: String
        let urgency: String
        let seconds: Int
        let json: JSONValue
    }

    private struct State {
        var browsers: [String: Browser] = [:]
        var gone: Set<String> = []
        var messages: [Message] = []
        var bodyLimit = 4_096
        /// The key that browsers subscribed with; nil for any.
        var key: [UInt8]?
    }

    private let origin: String
    private let clock: any NodeClock
    private let state = Mutex(State())

    init(origin: String, clock: any NodeClock) {
        (self.origin, self.clock) = (origin, clock)
    }

    var messages: [Message] { state.withLock { $0.messages } }

    var all: [Browser] { state.withLock { Array($0.browsers.values) } }

    /// Takes messages by this key alone, as the service that browsers subscribed with it does.
    func bind(_ key: [UInt8]) { state.withLock { $0.key = key } }

    func add(_ browser: Browser) {
        state.withLock { $0.browsers[browser.path] = browser }
    }

    /// Ends a subscription: the browser's owner withdrew the permission.
    func end(_ path: String) { _ = state.withLock { $0.gone.insert(path) } }

    func setBodyLimit(_ bytes: Int) { state.withLock { $0.bodyLimit = bytes } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let (browser, isGone, limit) = state.withLock { state in
            (state.browsers[request.path], state.gone.contains(request.path), state.bodyLimit)
        }
        guard request.method == .post else { return OutboundAnswer(405, text: "POST") }
        guard let browser else { return OutboundAnswer(404, text: "no such subscription") }
        guard !isGone else { return OutboundAnswer(410, text: "gone") }
        guard let seconds = request.field("ttl").flatMap({ Int($0) }), seconds >= 0 else {
            return OutboundAnswer(400, text: "TTL is missing")
        }
        if let refusal = refusal(of: request.field("authorization") ?? "") { return refusal }
        guard request.body.count <= limit else { return OutboundAnswer(413, text: "too large") }
        let topic = request.field("topic") ?? ""
        guard topic.utf8.count <= 32, Base64.bytes(topic + "==") != nil || !topic.isEmpty else {
            return OutboundAnswer(400, text: "topic")
        }
        guard request.field("content-encoding") == "aes128gcm",
            let json = Self.open(request.body, browser)
        else { return OutboundAnswer(400, text: "the browser cannot decrypt it") }
        let message = Message(
            path: request.path,
            topic: topic,
            urgency: request.field("urgency") ?? "",
            seconds: seconds,
            json: json
        )
        state.withLock { $0.messages.append(message) }
        return OutboundAnswer(201)
    }

    /// Checks the token (RFC 8292): signed by the key beside it, for this origin, a day at most.
    private func refusal(of field: String) -> OutboundAnswer? {
        guard field.hasPrefix("vapid ") else { return OutboundAnswer(401, text: "vapid") }
        var parts: [String: String] = [:]
        for part in field.dropFirst(6).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { parts[pair[0].filter { $0 != " " }] = pair[1] }
        }
        let pieces = (parts["t"] ?? "").split(separator: ".").map(String.init)
        guard pieces.count == 3, let key = parts["k"].flatMap(Base64.bytes),
            let signature = Base64.bytes(pieces[2]), let claims = Base64.bytes(pieces[1]),
            CurveKey.isES256(signature, of: Array("\(pieces[0]).\(pieces[1])".utf8), by: key),
            case .object(let members)? = WireJSON.parse(claims),
            members["aud"] == .string(origin), case .number(let expires)? = members["exp"],
            case .string(let contact)? = members["sub"],
            contact.hasPrefix("mailto:") || contact.hasPrefix("https:")
        else { return OutboundAnswer(403, text: "the token is not right") }
        guard state.withLock({ $0.key == nil || $0.key == key }) else {
            return OutboundAnswer(403, text: "another key than that of the subscription")
        }
        let left = expires - Double((clock.wallTime?.nanoseconds ?? 0) / 1_000_000_000)
        return (0...86_400).contains(left) ? nil : OutboundAnswer(403, text: "the token's time")
    }

    /// Decrypts a message with the browser's own keys.
    private static func open(_ body: [UInt8], _ browser: Browser) -> JSONValue? {
        guard body.count > 86, body[20] == 65 else { return nil }
        let (salt, sender) = (Array(body[..<16]), Array(body[21..<86]))
        do {
            let input = try CourierCrypto.hkdfSHA256(
                secret: try browser.key.agree(with: sender),
                salt: browser.secret,
                info: Array("WebPush: info\0".utf8) + browser.key.point + sender,
                count: 32
            )
            func derive(_ name: String, _ count: Int) throws(CryptoFailure) -> [UInt8] {
                try CourierCrypto.hkdfSHA256(
                    secret: input,
                    salt: salt,
                    info: Array("Content-Encoding: \(name)\0".utf8),
                    count: count
                )
            }
            let plain = try CourierCrypto.unseal(
                Array(body[86...]),
                key: try derive("aes128gcm", 16),
                nonce: try derive("nonce", 12)
            )
            guard plain.last == 2 else { return nil }
            return WireJSON.parse(Array(plain.dropLast()))
        } catch { return nil }
    }
}
