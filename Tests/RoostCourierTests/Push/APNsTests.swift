import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct APNsTests {
    private static let device = String(repeating: "ab", count: 32)

    private static func notice(_ lines: [String] = []) -> Notice {
        Notice(
            number: 1,
            kind: .raised,
            key: "sample-levels dust/pm25",
            severity: .warning,
            text: ("Air Quality Alert", "PM2.5 of 12.3 measured 07:49 AM", lines),
            time: TargetFixture.time
        )
    }

    private static func stage(
        _ clock: SimulatedClock,
        secret: [UInt8]? = nil
    ) throws -> (APNsServer, APNsSender, SimulatedInternet, Subscriber) {
        clock.setWallTime(TargetFixture.time)
        let key = try secret.map { try CurveKey(secret: $0) } ?? CurveKey()
        let topic = "org.example.air"
        let server = APNsServer(point: key.point, topic: topic, clock: clock)
        server.add(device)
        let internet = SimulatedInternet(clock: clock)
        internet.add(server, at: "api.push.apple.com")
        let settings = APNsSender.Settings(team: "ABCDE12345", keyID: "KEY1234567", topic: topic)
        let sender = APNsSender(settings, key: key, clock: clock)
        var subscriber = try Subscriber(token: device)
        subscriber.since = TargetFixture.time
        return (server, sender, internet, subscriber)
    }

    @Test func thePayloadIsWhatTheAppExpects() {
        #expect(
            String(decoding: APNsSender.payload(Self.notice()), as: UTF8.self)
                == #"{"aps":{"alert":{"title":"Air Quality Alert","#
                + #""subtitle":"PM2.5 of 12.3 measured 07:49 AM"},"#
                + #""category":"AIR_QUALITY","sound":"default"}}"#
        )
        let long = Self.notice((0..<400).map { "line \($0) µg/m³" })
        #expect((3_000...4_096).contains(APNsSender.payload(long).count))
    }

    @Test func oneTokenServesFortyMinutes() throws {
        try simulate { clock in
            let (server, sender, internet, subscriber) = try Self.stage(clock)
            for _ in 0..<36 {
                let outcome = try await sender.deliver(
                    Self.notice(),
                    to: subscriber,
                    over: internet
                )
                #expect(outcome == .judged(.delivered))
                try await clock.sleep(for: .minutes(5))
            }
            #expect(server.messages.count == 36)
            #expect(server.tokenCount == 6, "three hours, over six times forty minutes")
            let shown = try #require(internet.sent.last).dryRun
            #expect(!shown.contains(Self.device) && !shown.contains("eyJ"))
        }
    }

    @Test(arguments: [
        (400, "BadDeviceToken", "refused"), (400, "DeviceTokenNotForTopic", "refused"),
        (400, "BadTopic", "hold"), (403, "InvalidProviderToken", "hold"),
        (403, "Forbidden", "hold"), (403, "ExpiredProviderToken", "later"),
        (413, "PayloadTooLarge", "refused"), (429, "TooManyRequests", "refused"),
        (429, "TooManyProviderTokenUpdates", "later"), (500, "InternalServerError", "later"),
        (503, "Shutdown", "later"), (410, "Unregistered", "gone"), (410, "ExpiredToken", "gone"),
    ])
    func reasonsMeanWhatAppleSays(status: Int, reason: String, expected: String) throws {
        try simulate { clock in
            let (server, sender, internet, subscriber) = try Self.stage(clock)
            server.next(OutboundAnswer(status, text: "{\"reason\":\"\(reason)\"}"))
            let outcome = try await sender.deliver(Self.notice(), to: subscriber, over: internet)
            switch outcome {
            case .gone: #expect(expected == "gone")
            case .judged(let judged): #expect(judged.name == expected)
            }
            #expect(
                try await sender.deliver(Self.notice(), to: subscriber, over: internet)
                    == .judged(.delivered),
                "one word of the service is not the next"
            )
        }
    }

    @Test func aRestartGoesOnWithTheSameDate() throws {
        try simulate { clock in
            let secret = try CurveKey().secret
            let (server, sender, internet, subscriber) = try Self.stage(clock, secret: secret)
            _ = try await sender.deliver(Self.notice(), to: subscriber, over: internet)
            try await clock.sleep(for: .minutes(3))
            let (_, next, _, _) = try Self.stage(clock, secret: secret)
            let outcome = try await next.deliver(Self.notice(), to: subscriber, over: internet)
            #expect(outcome == .judged(.delivered) && server.tokenCount == 1)
        }
    }

    @Test func aClockThatIsWrongHoldsTheReceiver() throws {
        try simulate { clock in
            let (server, sender, internet, subscriber) = try Self.stage(clock)
            var names: [String] = []
            for _ in 0..<2 {
                server.next(OutboundAnswer(403, text: #"{"reason":"ExpiredProviderToken"}"#))
                let outcome = try await sender.deliver(
                    Self.notice(),
                    to: subscriber,
                    over: internet
                )
                if case .judged(let judged) = outcome { names.append(judged.name) }
            }
            #expect(names == ["later", "hold"], "a token of this second cannot be too old")
        }
    }

    @Test func aDeviceThatSubscribedAgainIsNotRemoved() throws {
        try simulate { clock in
            let (server, sender, internet, subscriber) = try Self.stage(clock)
            let day: Int64 = 86_400_000_000_000
            server.end(Self.device, at: WallTime(nanoseconds: TargetFixture.time.nanoseconds - day))
            var outcome = try await sender.deliver(Self.notice(), to: subscriber, over: internet)
            guard case .judged(.refused) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            server.end(Self.device, at: WallTime(nanoseconds: TargetFixture.time.nanoseconds + day))
            outcome = try await sender.deliver(Self.notice(), to: subscriber, over: internet)
            guard case .gone = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }
}
