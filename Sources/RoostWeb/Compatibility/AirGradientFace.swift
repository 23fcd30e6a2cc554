import ControlProtocol
import Core

/// `/measures/current` as the local server of AirGradient's monitors answers it.
///
/// - Source: `airgradienthq/arduino`, `docs/local-server.md`.
struct AirGradientFace: Sendable {
    private let sources: FaceSources

    init(_ sources: FaceSources) { self.sources = sources }

    var face: Face {
        let sources = sources
        return Face(
            name: .airgradient,
            places: [
                Face.Place(path: "measures/current") { request in
                    try request.query.allow(only: [])
                    let status = try await sources.status()
                    return .json(Self.text(FreshValues(status), name: status.name))
                }
            ]
        )
    }

    /// A quantity without a fresh value is left out.
    static func text(_ values: FreshValues, name: String) -> String {
        var json = JSONTextBuilder()
        json.object { json in
            for (key, quantity) in [("pm02", "pm25"), ("pm10", "pm10")] {
                if let value = values.text(quantity) { json.member(key, json: value) }
            }
            json.member("serialno", name)
            json.member("model", "roost")
            json.member("firmware", RoostVersion.text)
        }
        return json.text
    }
}
