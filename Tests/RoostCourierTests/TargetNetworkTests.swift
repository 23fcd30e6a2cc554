import CourierSimulation
import RoostCourier
import SimulationKit
import Testing

@Suite struct TargetNetworkTests {
    /// Answers with twice as many bytes as it was sent, and one.
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

    /// A feed sends nothing, and has its volume all the same.
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
}
