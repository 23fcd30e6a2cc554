import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// A courier with browsers and phones, and the services that reach them.
struct PushLife {
    static let origin = "https://push.example.org"
    static let topic = "org.example.air"
    static let receivers = """
        {"id":"browsers","type":"webpush","contact":"mailto:me@example.org","waitSeconds":0},
        {"id":"phones","type":"apns","team":"ABCDE12345","keyID":"KEY1234567",
         "topic":"\(topic)","key":{"secret":"apns"},"waitSeconds":0}
        """
    /// The key of RFC 7515, appendix A.3.
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----
        """

    let clock: SimulatedClock
    let courier: CourierLife
    let browsers: WebPushServer
    let phones: APNsServer

    init(_ clock: SimulatedClock, receivers: String = PushLife.receivers) throws {
        self.clock = clock
        clock.setWallTime(TargetFixture.time)
        courier = try CourierLife(clock, targets: "", receivers: receivers)
        courier.secrets.set("apns", Self.pem)
        browsers = WebPushServer(origin: Self.origin, clock: clock)
        courier.internet.add(browsers, at: "push.example.org")
        let point = try CurveKey(pem: Secret(Self.pem)).point
        phones = APNsServer(point: point, topic: Self.topic, clock: clock)
        courier.internet.add(phones, at: "api.push.apple.com")
    }

    static func token(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "a", count: 64 - digits.count) + digits
    }

    /// Asks as `roost-web` does, by a line.
    static func ask<Asked: Question>(
        _ node: CourierNode,
        _ question: Asked
    ) async throws -> Asked.Answer {
        try await CourierControl(node) { throw CancellationError() }.table.ask(question)
    }

    @discardableResult func addPhone(
        _ node: CourierNode,
        _ number: Int,
        every: Int? = nil
    ) async throws -> String {
        phones.add(Self.token(number))
        var push = SubscribePush(kind: "apns", address: Self.token(number))
        push.every = every
        return try await Self.ask(node, push).change
    }

    func addBrowser(
        _ node: CourierNode,
        _ path: String,
        language: String = "en",
        every: Int? = nil
    ) async throws {
        let browser = try WebPushServer.Browser(path: path)
        browsers.add(browser)
        var push = SubscribePush(kind: "webpush", address: Self.origin + path)
        (push.p256dh, push.auth) = (Base64.url(browser.key.point), Base64.url(browser.secret))
        (push.language, push.every) = (language, every)
        _ = try await Self.ask(node, push)
    }

    static let key = AlertEvent.Key("who-24h", "dust/pm25")

    static func raised(_ number: Int64, _ key: AlertEvent.Key = key) -> AlertEvent {
        var raised = AlertEvent.Raised(number, key)
        (raised.value, raised.unit, raised.limit, raised.over) = (16.1, "µg/m³", 15, 86_400)
        return .raised(raised)
    }

    static func resolved(_ number: Int64, of raise: Int64) -> AlertEvent {
        .resolved(
            AlertEvent.Resolved(
                number: number,
                raise: raise,
                key: key,
                why: .over,
                lasted: 7_200,
                worst: 18.4,
                severity: .warning
            )
        )
    }
}
