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
        var found = [("SDS_P1", "pm10"), ("SDS_P2", "pm25")].compactMap { type, quantity in
            values.reading(quantity).map { (type, $0, $0.value ?? 0) }
        }
        for item in values.devices.flatMap(AirrohrClimate.items)
        where !found.contains(where: { $0.0 == item.type }) {
            found.append((item.type, item.reading, item.value))
        }
        let age = found.map(\.1.ageSeconds).min() ?? 0
        let items = found.map { type, _, value in
            let text = JSONTextBuilder.fixed(value, 2)
            return "{\"value_type\":\"\(type)\",\"value\":\"\(text)\"}"
        }
        return "{\"software_version\": \"roost-\(RoostVersion.text)\", "
            + "\"age\":\"\(Int(age.rounded()))\", "
            + "\"sensordatavalues\":[\(items.joined(separator: ","))]}"
    }
}
