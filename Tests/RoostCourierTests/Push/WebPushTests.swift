import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import Profiles
@testable import RoostCourier

@Suite struct WebPushTests {
    private static let origin = "https://push.example.org"

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64.bytes(text))
    }

    /// RFC 8291, section 5 and appendix A.
    @Test func encryptsAsTheStandardsExample() throws {
        let endpoint = try PushEndpoint(
            url: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            key: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkN"
                + "toIAiw4",
            secret: "BTBZMqHH6r4Tts7J_aSIgg"
        )
        let body = try WebPushCipher.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8),
            for: endpoint,
            from: try CurveKey(secret: Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
            salt: Self.bytes("DGv6ra1nlYgDCS1FRnbzlw")
        )
        let expected =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
            + "InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLV"
            + "WGNWQexSgSxsj_Qulcy4a-fN"
        #expect(Base64.url(body) == expected)
    }

    private static func notice(_ severity: Notice.Severity = .warning, lines: Int = 1) -> Notice {
        var notice = Notice(
            number: 412,
            kind: .raised,
            key: "who-24h balcony/pm25",
            severity: severity,
            text: (
                title: "Air Quality Alert",
                subtitle: "PM2.5 of 16.1 µg/m³ (24 h mean, guideline 15) measured 07:49",
                body: (0..<lines).map { "\($0) since 06:10, worst 18.4 µg/m³ ✓" }
            ),
            time: TargetFixture.time
        )
        notice.link = "http://station.local/alerts"
        return notice
    }

    /// A browser, its push service and a sender, with the clock set.
    private static func stage(
        _ clock: SimulatedClock
    ) throws -> (WebPushServer, Subscriber, WebPushSender, SimulatedInternet, String) {
        clock.setWallTime(TargetFixture.time)
        let server = WebPushServer(origin: origin, clock: clock)
        let browser = try WebPushServer.Browser(path: "/wpush/1")
        server.add(browser)
        let internet = SimulatedInternet(clock: clock)
        internet.add(server, at: "push.example.org")
        let key = try CurveKey()
        let sender = WebPushSender(contact: "mailto:me@example.org", clock: clock) { key }
        return (
            server, Subscriber(.webPush(try browser.endpoint(at: origin))), sender, internet,
            browser.path
        )
    }

    @Test func aBrowserReadsWhatItIsSent() throws {
        try simulate { clock in
            let (server, subscriber, sender, internet, path) = try Self.stage(clock)
            for severity in Notice.Severity.allCases {
                let outcome = try await sender.deliver(
                    Self.notice(severity),
                    to: subscriber,
                    over: internet
                )
                #expect(outcome == .judged(.delivered))
            }
            #expect(server.messages.map(\.urgency) == ["low", "normal", "high"])
            let message = try #require(server.messages.first)
            #expect(message.json["title"] == .string("Air Quality Alert"))
            #expect(message.seconds == 14_400 && (1...32).contains(message.topic.utf8.count))
            #expect(Set(server.messages.map(\.topic)).count == 1)
            let shown = try #require(internet.sent.first).dryRun
            #expect(!shown.contains(path) && !shown.contains("eyJ"))
            try await clock.sleep(for: .hours(20))
            _ = try await sender.deliver(Self.notice(), to: subscriber, over: internet)
            #expect(server.messages.count == 4, "a token that is too old is replaced")
        }
    }

    @Test func aLongMessageIsShortenedToWhatServicesTake() throws {
        try simulate { clock in
            let (server, subscriber, sender, internet, _) = try Self.stage(clock)
            let long = Self.notice(lines: 400)
            var outcome = try await sender.deliver(long, to: subscriber, over: internet)
            #expect(outcome == .judged(.delivered))
            #expect(internet.sent.allSatisfy { $0.body.count <= WebPushCipher.bodyLimit })
            server.setBodyLimit(1_000)
            outcome = try await sender.deliver(long, to: subscriber, over: internet)
            #expect(outcome == .judged(.delivered))
            #expect(internet.sent.count == 3)
            server.setBodyLimit(90)
            outcome = try await sender.deliver(long, to: subscriber, over: internet)
            guard case .judged(.refused) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let one = String(repeating: "µ", count: 9_000)
            let wide = Notice(
                number: 1,
                kind: .raised,
                key: "k",
                severity: .notice,
                text: (title: "T", subtitle: one, body: [one]),
                time: nil
            )
            #expect(WebPushSender.payload(wide, limit: 2_597).count <= 2_597)
        }
    }

    @Test func answersMeanWhatTheStandardsSay() throws {
        try simulate { clock in
            let (server, subscriber, sender, internet, path) = try Self.stage(clock)
            func outcome() async throws -> PushOutcome {
                try await sender.deliver(Self.notice(), to: subscriber, over: internet)
            }
            for (status, name) in [
                (400, "hold"), (401, "hold"), (403, "hold"), (429, "later"), (503, "later"),
                (302, "foreign"), (418, "refused"),
            ] {
                internet.set(.status(status, retryAfterSeconds: 17), at: "push.example.org")
                guard case .judged(let judged) = try await outcome() else {
                    Issue.record("\(status)")
                    continue
                }
                #expect(judged.name == name, "\(status)")
                if case .later(_, let seconds) = judged { #expect(seconds == 17) }
            }
            internet.set(.captivePortal, at: "push.example.org")
            #expect(try await outcome() != .judged(.delivered))
            internet.set(nil, at: "push.example.org")
            server.end(path)
            guard case .gone = try await outcome() else {
                Issue.record("it is gone")
                return
            }
            clock.setWallTime(nil)
            guard case .judged(.later) = try await outcome() else {
                Issue.record("no token without a date")
                return
            }
        }
    }
}
