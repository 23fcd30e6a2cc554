import Profiles
import RoostCourier
import Synchronization

/// Simulated ntfy: topics, tokens, and the daily limit.
///
/// - Source: binwiederhier/ntfy, `docs/publish.md` and `server/errors.go`.
final class NtfyServer: SimulatedServer {
    private let token: String?
    private let dayLimit: Int
    private let messages = Mutex<[[String: JSONValue]]>([])
    private let files = Mutex<[[UInt8]]>([])
    /// Bytes of an attachment at most; 0 for a server that accepts none.
    private let attachmentLimit: Int

    /// - Parameters:
    ///   - token: Asked of every request; nil for none.
    ///   - dayLimit: Messages that are taken; later ones are refused with code 42908.
    ///   - attachmentLimit: Bytes of an attachment; 0 for a server that takes none.
    init(token: String? = nil, dayLimit: Int = 250, attachmentLimit: Int = 15 << 20) {
        (self.token, self.dayLimit) = (token, dayLimit)
        self.attachmentLimit = attachmentLimit
    }

    /// Bytes of the attachments, oldest first.
    var attachments: [[UInt8]] { files.withLock { $0 } }

    /// Published messages, oldest first.
    var published: [[String: JSONValue]] { messages.withLock { $0 } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        if let token, request.field("authorization") != "Bearer \(token)" {
            return Self.error(403, 40_301, "forbidden")
        }
        if request.method == .put, let name = request.field("filename") {
            guard attachmentLimit > 0 else {
                return Self.error(400, 40_014, "invalid request: attachments not allowed")
            }
            guard request.body.count <= attachmentLimit else {
                return Self.error(413, 41_301, "attachment too large")
            }
            files.withLock { $0.append(request.body) }
            let topic = request.path.split(separator: "/").last.map(String.init) ?? ""
            let values = ["title", "message", "priority"].map { key in
                (key, JSONValue.string(request.field(key) ?? ""))
            }
            let fields = [("topic", JSONValue.string(topic)), ("attachment", .string(name))]
            return receive(Dictionary(uniqueKeysWithValues: values + fields), topic)
        }
        guard let json = request.json, case .string(let topic)? = json["topic"] else {
            return Self.error(400, 40_024, "invalid request: actions invalid")
        }
        let isTopic =
            (1...64).contains(topic.utf8.count)
            && topic.allSatisfy {
                $0 == "-" || $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber))
            }
        guard isTopic else { return Self.error(400, 40_009, "invalid topic") }
        if case .string(let message)? = json["message"], message.utf8.count > 4_096 {
            return Self.error(400, 40_021, "message too large")
        }
        return receive(json, topic)
    }

    private func receive(_ json: [String: JSONValue], _ topic: String) -> OutboundAnswer {
        messages.withLock { messages in
            guard messages.count < dayLimit else {
                return Self.error(429, 42_908, "limit reached: daily message quota reached")
            }
            messages.append(json)
            let id = "\"id\":\"m\(messages.count)\""
            let topic = "\"topic\":\(WireJSON.string(topic))"
            return OutboundAnswer(200, text: "{\(id),\"event\":\"message\",\(topic)}")
        }
    }

    private static func error(_ status: Int, _ code: Int, _ words: String) -> OutboundAnswer {
        let text = "{\"code\":\(code),\"http\":\(status),\"error\":\(WireJSON.string(words))}"
        return OutboundAnswer(status, ["content-type": "application/json"], text: text)
    }
}
