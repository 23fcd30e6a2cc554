import Core
import Profiles
import RoostCourier
import Synchronization

/// Apple's push service of the simulated world, in one environment.
///
/// - Source: Apple, *Sending notification requests to APNs*, *Handling notification responses*.
final class APNsServer: SimulatedServer {
    private struct State {
        var devices: Set<String> = []
        /// Time when each device's token became invalid, in milliseconds since 1970.
        var dead: [String: Int64] = [:]
        var messages: [(device: String, json: JSONValue, collapse: String)] = []
        var lastIssue: Int64?
        var tokenCount = 0
        var answers: [OutboundAnswer] = []
    }

    private let point: [UInt8]
    private let topic: String
    private let clock: any NodeClock
    private let state = Mutex(State())

    init(point: [UInt8], topic: String, clock: any NodeClock) {
        (self.point, self.topic, self.clock) = (point, topic, clock)
    }

    var messages: [(device: String, json: JSONValue, collapse: String)] {
        state.withLock { $0.messages }
    }

    /// Number of different provider tokens seen.
    var tokenCount: Int { state.withLock { $0.tokenCount } }

    func add(_ device: String) { _ = state.withLock { $0.devices.insert(device) } }

    /// Removes the app from a device.
    func end(_ device: String, at time: WallTime) {
        state.withLock { $0.dead[device] = time.nanoseconds / 1_000_000 }
    }

    /// Sets the answer to the next request, whatever it is.
    func next(_ answer: OutboundAnswer) { state.withLock { $0.answers.append(answer) } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let now = (clock.wallTime?.nanoseconds ?? 0) / 1_000_000_000
        return state.withLock { state in
            if !state.answers.isEmpty { return state.answers.removeFirst() }
            guard request.needsHTTP2, request.method == .post else {
                return Self.refusal(405, "MethodNotAllowed")
            }
            guard request.path.hasPrefix("/3/device/") else { return Self.refusal(404, "BadPath") }
            let device = String(request.path.dropFirst(10))
            if let refusal = refusal(request.field("authorization") ?? "", now, &state) {
                return refusal
            }
            guard request.field("apns-topic") == topic else {
                return Self.refusal(400, "DeviceTokenNotForTopic")
            }
            guard request.field("apns-push-type") == "alert" else {
                return Self.refusal(400, "InvalidPushType")
            }
            guard let collapse = request.field("apns-collapse-id"), collapse.utf8.count <= 64 else {
                return Self.refusal(400, "BadCollapseId")
            }
            guard request.body.count <= 4_096 else { return Self.refusal(413, "PayloadTooLarge") }
            guard let json = request.json, json["aps"] != nil else {
                return Self.refusal(400, "PayloadEmpty")
            }
            if let died = state.dead[device] {
                let text = "{\"reason\":\"Unregistered\",\"timestamp\":\(died)}"
                return OutboundAnswer(410, text: text)
            }
            guard state.devices.contains(device) else { return Self.refusal(400, "BadDeviceToken") }
            state.messages.append((device, .object(json), collapse))
            return OutboundAnswer(200)
        }
    }

    private func refusal(_ field: String, _ now: Int64, _ state: inout State) -> OutboundAnswer? {
        guard field.hasPrefix("bearer ") else { return Self.refusal(403, "MissingProviderToken") }
        let pieces = field.dropFirst(7).split(separator: ".").map(String.init)
        guard pieces.count == 3, let signature = Base64.bytes(pieces[2]),
            CurveKey.isES256(signature, of: Array("\(pieces[0]).\(pieces[1])".utf8), by: point),
            let claims = Base64.bytes(pieces[1]),
            case .object(let members)? = WireJSON.parse(claims),
            case .number(let issued)? = members["iat"], case .string? = members["iss"]
        else { return Self.refusal(403, "InvalidProviderToken") }
        guard (-60...3_600).contains(now - Int64(issued)) else {
            return Self.refusal(403, "ExpiredProviderToken")
        }
        if let last = state.lastIssue, last != Int64(issued) {
            guard Int64(issued) - last >= 1_200 else {
                return Self.refusal(429, "TooManyProviderTokenUpdates")
            }
        }
        if state.lastIssue != Int64(issued) { state.tokenCount += 1 }
        state.lastIssue = Int64(issued)
        return nil
    }

    private static func refusal(_ status: Int, _ reason: String) -> OutboundAnswer {
        OutboundAnswer(status, text: "{\"reason\":\"\(reason)\"}")
    }
}
