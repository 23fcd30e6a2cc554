import ControlProtocol
import Core

/// `/data.json` as the airrohr firmware of Sensor.Community answers it.
///
/// - Source: `opendata-stuttgart/sensors-software`, `airrohr-firmware.ino`: values are text with
///   two decimals, the age is text in whole seconds.
struct AirrohrFace: Sendable {
    private let sources: FaceSources

    init(_ sources: FaceSources) { self.sources = sources }

    var face: Face {
        let sources = sources
        return Face(
            name: .airrohr,
            places: [
                Face.Place(path: "data.json") { request in
                    try request.query.allow(only: [])
                    return .json(Self.text(FreshValues(try await sources.status())))
                }
            ]
        )
    }

    static func text(_ values: FreshValues) -> String {
        let found = [("SDS_P1", "pm10"), ("SDS_P2", "pm25")].compactMap { type, quantity in
            values.reading(quantity).map { (type, $0) }
        }
        let age = found.map(\.1.ageSeconds).min() ?? 0
        let items = found.map { type, reading in
            let value = JSONTextBuilder.fixed(reading.value ?? 0, 2)
            return "{\"value_type\":\"\(type)\",\"value\":\"\(value)\"}"
        }
        return "{\"software_version\": \"roost-\(RoostVersion.text)\", "
            + "\"age\":\"\(Int(age.rounded()))\", "
            + "\"sensordatavalues\":[\(items.joined(separator: ","))]}"
    }
}
