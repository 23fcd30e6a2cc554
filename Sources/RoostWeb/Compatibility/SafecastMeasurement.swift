import Core
import Store

/// One value of a channel whose place is known, as Safecast's `measurements.json` has it.
struct SafecastMeasurement: Hashable, Sendable {
    private static let places: Set = ["latitude", "longitude", "altitude"]

    let wall: WallTime
    let value: FixedPoint
    let unit: String
    let latitude: String
    let longitude: String
    let deviceID: Int?
    let height: Double?
    /// Id, which is always the same for the same value.
    let id: Int64

    /// The measurements of a sample: at its own position, else at the station's.
    ///
    /// - Parameters:
    ///   - sample: One without a date has none.
    ///   - position: The station's; nil when it is not known.
    /// - Returns: Of each channel with a value, in order.
    static func all(
        of sample: DatedSample,
        _ position: FaceSettings.Position?
    ) -> [SafecastMeasurement] {
        guard let wall = sample.wall else { return [] }
        let quantities = sample.stream.quantities
        func own(_ name: String) -> FixedPoint?? {
            quantities.firstIndex { $0.name == name }.map { sample.outcomes[$0].counted }
        }
        let latitude: String
        let longitude: String
        if let north = own("latitude"), let east = own("longitude") {
            // A receiver without a fix is somewhere, not at the station.
            guard let north, let east else { return [] }
            (latitude, longitude) = (north.description, east.description)
        } else {
            guard let position else { return [] }
            (latitude, longitude) = ("\(position.latitude)", "\(position.longitude)")
        }
        return quantities.indices.compactMap { index in
            guard !places.contains(quantities[index].name),
                let value = sample.outcomes[index].counted
            else { return nil }
            let place = Int64(sample.stream.id.rawValue % 64) * 16 + Int64(index % 16)
            return SafecastMeasurement(
                wall: wall,
                value: value,
                unit: quantities[index].unit,
                latitude: latitude,
                longitude: longitude,
                deviceID: position?.deviceID,
                height: position?.heightMeters,
                id: wall.tenths * 1_024 + place
            )
        }
    }

    func write(_ json: inout JSONTextBuilder) {
        json.object { json in
            json.member("captured_at", String(wall.iso8601.dropLast()) + ".000Z")
            json.member("value", json: value.description)
            json.member("unit", unit)
            json.member("latitude", json: latitude)
            json.member("longitude", json: longitude)
            json.member("device_id", deviceID)
            json.member("height", height)
            json.member("id", Int(id))
            json.member("original_id", Int(id))
        }
    }
}
