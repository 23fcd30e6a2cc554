import Core
import Testing

@testable import RoostCourier

@Suite struct HeartbeatTargetTests {
    private let heartbeat = HeartbeatTarget(url: "https://hc-ping.com/\(Secret("uuid-4"))")

    private func decide(
        answered: Duration? = .seconds(10),
        reasons: [String] = [],
        progress: Duration = .seconds(300)
    ) -> HeartbeatTarget.Decision {
        let sampler = HeartbeatTarget.Health.Sampler(
            device: "dust",
            interval: .seconds(300),
            progressAge: progress
        )
        let health = HeartbeatTarget.Health(
            answerAge: answered,
            reasons: reasons,
            samplers: [sampler]
        )
        return heartbeat.decide(health)
    }

    @Test func stopsWhenAnythingIsStuck() {
        #expect(decide() == .alive("1 devices measure"))
        #expect(decide(progress: .seconds(600)) == .alive("1 devices measure"))
        #expect(decide(progress: .seconds(601)) == .silent("no progress: dust"))
        #expect(heartbeat.request(decide(answered: nil)) == nil)
        #expect(heartbeat.request(decide(answered: .seconds(301))) == nil)
        #expect(decide(reasons: ["card wears"]) == .unwell("card wears"))
    }

    @Test func writesEachByteAndJudges() throws {
        let alive = try #require(heartbeat.request(decide()))
        #expect(alive.url.revealed == "https://hc-ping.com/uuid-4")
        #expect(alive.url.shown == "https://hc-ping.com/•••")
        #expect(String(decoding: alive.body, as: UTF8.self) == "1 devices measure")
        let unwell = try #require(heartbeat.request(decide(reasons: ["card wears"])))
        #expect(unwell.url.revealed == "https://hc-ping.com/uuid-4/fail")
        let answers: [(OutboundAnswer, String)] = [
            (.init(200, text: "OK"), "delivered"), (.init(200, text: "OK (not found)"), "foreign"),
            (.init(404, text: "not found"), "hold"), (.init(409, text: "ambiguous"), "hold"),
            (.init(200, text: "<html>log in"), "foreign"), (.init(503, text: ""), "later"),
        ]
        for (answer, name) in answers { #expect(HeartbeatTarget.classify(answer).name == name) }
    }
}
