import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct WebhookTargetTests {
    private let clock = SimulatedClock()

    private func target(isSigned: Bool = true, expect: String? = nil) -> WebhookTarget {
        WebhookTarget(
            url: "https://me.example/in?key=\(Secret("hook-secret-5"))",
            station: TargetFixture.station,
            signer: isSigned ? WebhookSigner(Secret("sign-secret-6"), clock: clock) : nil,
            expect: expect,
            clock: clock
        )
    }

    @Test func writesEachByte() throws {
        let values: [(Quantity, Outcome)] = [
            (.pm25, .value(12.3, .humid)), (.pm10, .noData(.unplugged)), (.co2, .value(415)),
        ]
        let batch = TargetFixture.batch(TargetFixture.sample(0, "du\"st", values))
        let request = target(isSigned: false).request(batch)
        let item =
            #"{"id":"7f3a21c9d0e4/3/b1b1b1b1/28005850","t":"2026-11-22T04:30:00Z","#
            + #""device":"du\"st","values":{"pm25":12.3,"co2":415},"#
            + #""flags":{"pm25":["humid"]},"none":{"pm10":"unplugged"}}"#
        let sent = clock.wallTime.map { "\"\($0.iso8601)\"" } ?? "null"
        let head =
            #"{"station":"7f3a21c9d0e4","name":"balcony","batch":"batch-1","#
            + "\"sent\":\(sent),\"late\":false,\"items\":[\(item)]}"
        #expect(String(decoding: request.body, as: UTF8.self) == head)
        #expect(!request.dryRun.contains("hook-secret"))
        #expect(request.dryRun.contains("Idempotency-Key: batch-1"))
    }

    @Test func takesEachBatchOnce() throws {
        let server = WebhookServer(secret: "sign-secret-6")
        let batch = TargetFixture.batch(TargetFixture.dust(), TargetFixture.dust(1))
        let faults: [NetworkFault?] = [.answerLost, nil, .captivePortal]
        let names = try TargetFixture.deliver(batch, to: target(), server, at: "me.example", faults)
        #expect(names == ["unknown", "delivered", "foreign"])
        #expect(server.items.values.allSatisfy { $0 == 1 } && server.items.count == 2)
        let other = WebhookServer(secret: "another")
        let held = try TargetFixture.deliver(batch, to: target(), other, at: "me.example")
        #expect(held == ["hold"])
    }

    @Test func wantsTheExpectedWords() throws {
        let batch = TargetFixture.batch(TargetFixture.dust())
        let server = WebhookServer(secret: "sign-secret-6")
        let target = target(expect: "accepted")
        let names = try TargetFixture.deliver(batch, to: target, server, at: "me.example")
        #expect(names == ["foreign"])
    }
}
