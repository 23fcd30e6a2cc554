import Profiles
import RoostCourier
import Synchronization

/// Simulated Safecast measurements: unique by the MD5 of value, place and time.
///
/// - Source: Safecast/safecastapi, `app/models/measurement.rb`.
final class SafecastServer: SimulatedServer {
    private let key: String
    private let hashes = Mutex<Set<[UInt8]>>([])

    init(key: String) { self.key = key }

    var count: Int { hashes.withLock { $0.count } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        guard request.query["api_key"] == key else {
            return OutboundAnswer(401, text: #"{"error":"Invalid authentication token."}"#)
        }
        guard case .object(let row)? = request.json?["measurement"] else {
            return OutboundAnswer(400, text: "{}")
        }
        let parts = ["value", "latitude", "longitude", "captured_at"].map { row[$0] }
        guard parts.allSatisfy({ $0 != nil }) else {
            return OutboundAnswer(422, text: #"{"errors":{"value":["can't be blank"]}}"#)
        }
        let text = parts.map { $0?.text ?? "" }.joined()
        let hash = CourierCrypto.md5(Array(text.utf8))
        let isNew = hashes.withLock { $0.insert(hash).inserted }
        return isNew
            ? OutboundAnswer(201, text: #"{"id":17,"value":34}"#)
            : OutboundAnswer(422, text: #"{"errors":{"md5sum":["has already been taken"]}}"#)
    }
}
