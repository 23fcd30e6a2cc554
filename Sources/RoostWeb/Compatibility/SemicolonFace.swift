/// Eleven values in one line, as the Milano air board answers.
///
/// They are the station's latest: no device is asked because of it.
struct SemicolonFace: Sendable {
    /// Quantities in the order of the line.
    ///
    /// - Source: `michelepilia/AirQuality`.
    private static let quantities = [
        "temperature", "humidity", "pressure", "altitude", "tvocs", "co2", "pm05", "pm1", "pm25",
        "pm4", "pm10",
    ]

    private let sources: FaceSources

    init(_ sources: FaceSources) { self.sources = sources }

    var face: Face {
        let sources = sources
        return Face(
            name: .semicolon,
            places: [
                Face.Place(path: "") { request in
                    try request.query.allow(only: [])
                    return .text(Self.line(FreshValues(try await sources.status())))
                }
            ]
        )
    }

    /// A quantity that is absent or stale is empty.
    static func line(_ values: FreshValues) -> String {
        quantities.map { values.text($0) ?? "" }.joined(separator: ";")
    }
}
