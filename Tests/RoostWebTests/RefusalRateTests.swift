import ControlProtocol
import HTTPTypes
import Testing

@testable import RoostWeb

/// Refused requests count at their address: guesses cost what pages cost.
@Suite struct RefusalRateTests {
    private static let routes = [
        Route(.get, "/open", .anyone) { _ in WebResponse() },
        Route(.get, "/mine", .viewer, scope: .read) { _ in WebResponse() },
        Route(.post, "/mine", .owner, body: .form) { _ in WebResponse() },
    ]

    private static func gate(_ asker: GateTests.Asker, _ time: StageTime) -> Gate {
        Gate(
            RouteTable(routes),
            hosts: HostNames(["balcony"]),
            authenticator: asker,
            clock: time.clock
        )
    }

    private static let refused: [(GateTests.Asker, Gate.Head, RefusalCode)] = [
        (.nobody, Gate.Head(.get, authority: "balcony", target: "/nothing"), .notFound),
        (.nobody, Gate.Head(.get, authority: "evil.example", target: "/open"), .wrongHost),
        (.nobody, Gate.Head(.get, authority: "balcony", target: "/mine"), .unauthenticated),
        (.nobody, Gate.Head(.put, authority: "balcony", target: "/open"), .methodNotAllowed),
        (.nobody, Gate.Head(.post, authority: "balcony", target: "/mine"), .crossOrigin),
        (
            .nobody,
            Gate.Head(
                .post,
                authority: "balcony",
                target: "/mine",
                headers: [.origin: "http://balcony", .contentType: "text/plain"]
            ), .unsupportedMedia
        ),
        (
            GateTests.Asker(name: "wrong", identity: nil, hasToken: true, isRefused: true),
            Gate.Head(.get, authority: "balcony", target: "/mine"), .unauthenticated
        ),
        (
            .nobody,
            Gate.Head(
                .get,
                authority: "balcony",
                target: "/open?" + String(repeating: "x", count: 2_048)
            ), .tooLarge
        ),
    ]

    @Test(arguments: refused.indices)
    func aRefusalIsCounted(index: Int) async throws {
        let (asker, head, kind) = Self.refused[index]
        let time = StageTime()
        let gate = Self.gate(asker, time)
        for _ in 0..<40 { #expect(await GateTests.kind(gate, head) == kind) }
        #expect(await GateTests.kind(gate, head) == .rateLimited)
        // Another address is not held back, and a second brings twenty more.
        let other = Gate.Head(
            head.method,
            authority: head.authority,
            target: head.target,
            headers: head.headers,
            peer: PeerAddress("192.168.1.9")
        )
        #expect(await GateTests.kind(gate, other) == kind)
        time.pass(1)
        for _ in 0..<20 { #expect(await GateTests.kind(gate, head) == kind) }
        #expect(await GateTests.kind(gate, head) == .rateLimited)
    }

    /// A stranger behind the same address does not hold back people who are logged in.
    @Test func whoIsLoggedInIsCountedApart() async throws {
        let time = StageTime()
        let gate = Self.gate(.owner, time)
        let nothing = Gate.Head(.get, authority: "balcony", target: "/nothing")
        for _ in 0..<41 { _ = await GateTests.kind(gate, nothing) }
        let mine = Gate.Head(.get, authority: "balcony", target: "/mine")
        for _ in 0..<100 { #expect(await GateTests.kind(gate, mine) == nil) }
        #expect(await GateTests.kind(gate, mine) == .rateLimited)
    }
}
