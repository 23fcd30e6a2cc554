import Profiles
import RoostCourier
import Synchronization

/// Simulated Sensor.Community: checks registered ids and pins, and asks for no key.
///
/// - Source: opendata-stuttgart/feinstaub-api, `feinstaub/sensors/{authentication,serializers}.py`.
final class SensorCommunityServer: SimulatedServer {
    private let pins: [String: Set<String>]
    private let state = Mutex<[String]>([])

    /// - Parameter pins: The pins of each registered id.
    init(pins: [String: Set<String>]) { self.pins = pins }

    /// Accepted bodies, oldest first; an equal one counts again.
    var bodies: [String] { state.withLock { $0 } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        guard request.path == "/v1/push-sensor-data/" else {
            return OutboundAnswer(301, ["location": request.path + "/"])
        }
        guard let pins = pins[request.field("x-sensor") ?? ""] else {
            return OutboundAnswer(403, text: #"{"detail":"Node not found in database."}"#)
        }
        // A node with one sensor accepts any pin.
        guard pins.count == 1 || pins.contains(request.field("x-pin") ?? "") else {
            return OutboundAnswer(400, text: #"["sensor could not be selected."]"#)
        }
        guard let json = request.json, case .array(let values)? = json["sensordatavalues"],
            !values.isEmpty, values.allSatisfy(Self.isValue)
        else { return OutboundAnswer(400, text: #"{"sensordatavalues":["invalid"]}"#) }
        state.withLock { $0.append(request.text) }
        let places = pins.sorted()
        let sensor = places.firstIndex(of: request.field("x-pin") ?? "") ?? 0
        return OutboundAnswer(201, text: "{\"sensor\":\(71_001 + sensor)}")
    }

    private static func isValue(_ value: JSONValue) -> Bool {
        guard case .object(let members) = value, case .string? = members["value_type"],
            case .string(let text)? = members["value"]
        else { return false }
        return Double(text) != nil
    }
}
