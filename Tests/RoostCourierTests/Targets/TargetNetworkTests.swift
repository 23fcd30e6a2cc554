import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct TargetNetworkTests {
    /// Answers with one byte more than twice the request's size.
    private struct Talkative: SimulatedServer {
        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            OutboundAnswer(200, body: Array(repeating: 0x61, count: 2 * request.body.count + 1))
        }
    }

    private static func request(_ body: String) -> OutboundRequest {
        var request = OutboundRequest(.post, "http://a.example/")
        request.body = Array(body.utf8)
        return request
    }

    /// A feed sends no body, and its bytes are counted all the same.
    @Test func countsTheBodiesOfRequestsAndAnswers() throws {
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            internet.add(Talkative(), at: "a.example")
            let network = TargetNetwork(internet)
            _ = try await network.exchange(Self.request(""))
            #expect(network.counts.bytes == 1)
            _ = try await network.exchange(Self.request("12345"))
            #expect(network.counts.bytes == 1 + 5 + 11)
            network.halt(true)
            await #expect(throws: NetworkFailure.self) {
                try await network.exchange(Self.request("12345"))
            }
            #expect(network.counts.bytes == 17 && network.counts.requests == 2)
        }
    }

    /// Answers every request by a redirection.
    private struct Redirecting: SimulatedServer {
        let status: Int
        let location: String

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            OutboundAnswer(status, ["location": location], text: "moved")
        }
    }

    @Test(arguments: [301, 302, 307, 308])
    func saysThatTheServerWantsHTTPS(status: Int) throws {
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            let location = "https://A.example:8443/write?db=air"
            internet.add(Redirecting(status: status, location: location), at: "a.example")
            let network = TargetNetwork(internet)
            let outcome = try await network.outcome(of: Self.request("1")) { _ in .delivered }
            let words = "it sends you to https://a.example:8443; put that address in `url`"
            #expect(outcome == .hold(DeliveryReason("redirected", words)))
            let answer = try await network.exchange(OutboundRequest(.post, "https://a.example/"))
            #expect(answer.status == status)
        }
    }

    @Test(arguments: [
        "https://portal.example/", "http://a.example/login", "/write",
        "https://a.example@evil.example/",
    ])
    func leavesEveryOtherRedirectionToTheTarget(location: String) throws {
        try simulate { clock in
            let internet = SimulatedInternet(clock: clock)
            internet.add(Redirecting(status: 302, location: location), at: "a.example")
            let answer = try await TargetNetwork(internet).exchange(Self.request("1"))
            #expect(answer.status == 302)
        }
    }
}
