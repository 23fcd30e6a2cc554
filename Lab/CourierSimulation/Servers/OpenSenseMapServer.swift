import Core
import Profiles
import RoostCourier
import Synchronization

/// Simulated openSenseMap with one box: accepts up to 2 500 measurements a request, or none.
///
/// - Source: sensebox/openSenseMap-API, `decoding/validators.js`.
final class OpenSenseMapServer: SimulatedServer {
    struct Measurement: Hashable, Sendable {
        let sensor: String
        let value: String
        let time: String
    }

    private let box: String
    private let token: String
    private let sensors: Set<String>
    private let rows = Mutex<[Measurement]>([])

    init(box: String, token: String, sensors: Set<String>) {
        (self.box, self.token, self.sensors) = (box, token, sensors)
    }

    var stored: [Measurement] { rows.withLock { $0 } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count >= 3, parts[0] == "boxes", parts[1] == box, parts[2] == "data" else {
            return Self.error(404, "Senseboxes not found")
        }
        if request.method == .get, parts.count == 4 { return list(parts[3], request.query) }
        guard request.field("authorization") == token else {
            return Self.error(401, "Box access token not valid!")
        }
        guard case .array(let items)? = WireJSON.parse(request.body), items.count <= 2_500 else {
            return Self.error(422, "array expected")
        }
        let read = items.map(measurement)
        if let index = read.firstIndex(of: nil) {
            return Self.error(422, "Illegal measurement \(index)")
        }
        rows.withLock { $0 += read.compactMap(\.self) }
        return OutboundAnswer(201, text: #""Measurements saved in box""#)
    }

    private func measurement(_ value: JSONValue) -> Measurement? {
        guard case .object(let item) = value, case .string(let sensor)? = item["sensor"],
            case .string(let number)? = item["value"], case .string(let time)? = item["createdAt"],
            sensors.contains(sensor), Double(number) != nil, time.hasSuffix("Z")
        else { return nil }
        return Measurement(sensor: sensor, value: number, time: time)
    }

    private func list(_ sensor: String, _ query: [String: String]) -> OutboundAnswer {
        let (from, to) = (query["from-date"] ?? "", query["to-date"] ?? "")
        let found = stored.filter { $0.sensor == sensor && $0.time >= from && $0.time <= to }
        let texts = found.map { row in
            let time = row.time.dropLast() + ".000Z"
            return "{\"createdAt\":\"\(time)\",\"value\":\"\(row.value)\"}"
        }
        return OutboundAnswer(200, text: WireJSON.array(texts))
    }

    private static func error(_ status: Int, _ words: String) -> OutboundAnswer {
        OutboundAnswer(status, text: "{\"code\":\"Error\",\"message\":\(WireJSON.string(words))}")
    }
}
