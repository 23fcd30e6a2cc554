import Synchronization

@testable import CourierSimulation
@testable import RoostCourier

/// A server that fails at some requests, and passes others on.
final class Choker: SimulatedServer {
    private struct State {
        var isBad: @Sendable (OutboundRequest) -> Bool
        var failureCount = 0
    }

    private let server: any SimulatedServer
    private let status: Int
    private let state: Mutex<State>

    init(
        _ server: any SimulatedServer,
        status: Int = 500,
        _ isBad: @escaping @Sendable (OutboundRequest) -> Bool
    ) {
        (self.server, self.status) = (server, status)
        state = Mutex(State(isBad: isBad))
    }

    /// Number of requests that it failed at.
    var failureCount: Int { state.withLock { $0.failureCount } }

    func set(_ isBad: @escaping @Sendable (OutboundRequest) -> Bool) {
        state.withLock { $0.isBad = isBad }
    }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let isBad = state.withLock { state in
            let isBad = state.isBad(request)
            if isBad { state.failureCount += 1 }
            return isBad
        }
        return isBad ? OutboundAnswer(status, text: "cannot") : await server.answer(request)
    }
}
