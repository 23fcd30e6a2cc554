import Core
import Profiles
import RoostCourier
import Synchronization

/// Simulated push server of the AirQuality project: one push in 20 minutes, otherwise 429.
///
/// - Source: harr1424/Indoor-Air-Quality, `main.go`.
final class SeedPushServer: SimulatedServer {
    private let clock: any NodeClock
    private let state = Mutex<(bodies: [String], last: MonotonicInstant?)>(([], nil))

    init(clock: any NodeClock) { self.clock = clock }

    /// Bodies that were sent as pushes.
    var pushed: [String] { state.withLock { $0.bodies } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        guard request.method == .post, request.path == "/notify" else {
            return OutboundAnswer(404, text: "404 page not found\n")
        }
        guard let json = request.json,
            ["time", "pollutant", "value"].allSatisfy({
                if case .string? = json[$0] { true } else { false }
            })
        else { return OutboundAnswer(400, text: "bad request\n") }
        let now = clock.now
        return state.withLock { state in
            if let last = state.last, now < last.advanced(by: .seconds(1_200)) {
                return OutboundAnswer(429, text: "Too Many Requests\n")
            }
            state.last = now
            state.bodies.append(request.text)
            return OutboundAnswer(201, text: "")
        }
    }
}
