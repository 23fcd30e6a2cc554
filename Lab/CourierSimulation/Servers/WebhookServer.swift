import Core
import Profiles
import RoostCourier
import Synchronization

/// Simulated server of the owner: accepts each batch once by its key, each item by its id.
final class WebhookServer: SimulatedServer {
    private struct State {
        var keys: Set<String> = []
        var items: [String: Int] = [:]
        var bodies: [String] = []
    }

    private let secret: String?
    private let state = Mutex(State())

    /// - Parameter secret: Signs each batch; nil asks for no signature.
    init(secret: String? = nil) { self.secret = secret }

    /// Number of times that each item came, by its id.
    var items: [String: Int] { state.withLock { $0.items } }
    /// Accepted bodies, oldest first, at most 100.
    var bodies: [String] { state.withLock { $0.bodies } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        guard request.method == .post, let json = request.json else {
            return OutboundAnswer(400, text: "not JSON")
        }
        guard isSigned(request) else { return OutboundAnswer(401, text: "bad signature") }
        return state.withLock { state in
            if let key = request.field("idempotency-key"), !state.keys.insert(key).inserted {
                return OutboundAnswer(409, text: "have it")
            }
            state.bodies = state.bodies.suffix(99) + [request.text]
            guard case .array(let items)? = json["items"] else {
                return OutboundAnswer(200, text: "ok")
            }
            for item in items {
                guard case .object(let members) = item, case .string(let id)? = members["id"]
                else { return OutboundAnswer(422, text: "an item without id") }
                state.items[id, default: 0] += 1
            }
            return OutboundAnswer(200, text: "ok")
        }
    }

    private func isSigned(_ request: OutboundRequest) -> Bool {
        guard let secret else { return true }
        let parts = (request.field("x-roost-signature") ?? "").split(separator: ",")
        guard parts.count == 2, parts[0].hasPrefix("t="), parts[1].hasPrefix("v1=") else {
            return false
        }
        let signed = Array("\(parts[0].dropFirst(2)).".utf8) + request.body
        let code = CourierCrypto.hmacSHA256(key: Array(secret.utf8), signed)
        return parts[1].dropFirst(3) == Hexadecimal.text(code)
    }
}
