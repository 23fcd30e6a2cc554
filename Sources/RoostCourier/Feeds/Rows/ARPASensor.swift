import ControlProtocol

/// A sensor of ARPA Lombardia's network.
package struct ARPASensor: Hashable, Sendable {
    /// Id of the sensor (`idsensore`): digits.
    package let id: String
    /// Quantity, as in `ImportRow.series` after the `/`: `pm25`.
    package let quantity: String
    /// Unit, one of `MeasureUnit.known`.
    package let unit: String
    /// Name of the station (`nomestazione`).
    package private(set) var station = ""
    /// Degrees north; nil where the registry has no place.
    package private(set) var latitude: Double?
    package private(set) var longitude: Double?
    /// Whether the sensor is still there: the registry has no `datastop`.
    package private(set) var isActive = true

    package init(id: String, quantity: String, unit: String = "µg/m³") {
        (self.id, self.quantity, self.unit) = (id, quantity, unit)
    }

    /// Italian kinds of sensor (`nometiposensore`) whose unit and meaning are certain.
    private static let quantities = [
        "PM10 (SM2005)": "pm10", "PM10": "pm10", "Particelle sospese PM2.5": "pm25",
        "PM2.5": "pm25", "Biossido di Azoto": "no2", "Ossidi di Azoto": "nox",
        "Monossido di Azoto": "no", "Ozono": "o3", "Biossido di Zolfo": "so2",
        "Monossido di Carbonio": "co", "Benzene": "benzene", "Ammoniaca": "ammonia",
        "BlackCarbon": "black-carbon",
    ]

    private static let units = ["µg/m³", "mg/m³"]

    /// Returns the places of the registry's sensors by their numbers.
    ///
    /// - Parameters:
    ///   - bytes: The body as it came.
    ///   - wanted: Sensors as configured; `differing` says of which the registry has another
    ///     quantity or unit. Kinds that are not known here are compared by their unit alone.
    /// - Returns: Places alone; a sensor without one is on no map.
    /// - Throws: `FeedFault` when the whole body says nothing.
    package static func places(
        _ bytes: [UInt8],
        for wanted: [ARPASensor]
    ) throws(FeedFault) -> FeedRows {
        let list = try SocrataRows.rows(of: FeedBody(bytes))
        let (sensors, left) = registry(of: list)
        var rows = left
        rows.places = sensors.values.sorted { $0.id < $1.id }.compactMap { sensor in
            FeedLocation(
                series: sensor.id,
                name: sensor.station,
                latitude: sensor.latitude,
                longitude: sensor.longitude
            )
        }
        for row in list {
            guard let id = row.member("idsensore")?.text,
                let own = wanted.first(where: { $0.id == id })
            else { continue }
            rows.differing[id] = own.difference(from: row)
        }
        return rows
    }

    /// Difference of a row of the registry from the configuration; nil where there is none.
    private func difference(from row: FeedBody) -> String? {
        let kind = row.member("nometiposensore")?.text ?? ""
        // Some rows have the Greek mu in place of the micro sign.
        let theirs = row.member("unitamisura")?.text?.replacing("\u{3BC}", with: "\u{B5}")
        let isOther = Self.quantities[kind].map { $0 != quantity } ?? false
        guard isOther || theirs.map({ $0 != unit }) ?? false else { return nil }
        let found = "\(kind.prefix(40)) in \((theirs ?? "no unit").prefix(16))"
        return "sensor \(id) is \(found) in the registry, not \(quantity) in \(unit)"
    }

    /// Parses rows of the registry `ib47-atvt`.
    ///
    /// - Returns: The sensors of known kinds by id, and what was left out.
    /// - Throws: `FeedFault` when the whole body says nothing.
    package static func registry(
        _ bytes: [UInt8]
    ) throws(FeedFault) -> (sensors: [String: ARPASensor], left: FeedRows) {
        registry(of: try SocrataRows.rows(of: FeedBody(bytes)))
    }

    private static func registry(
        of rows: [FeedBody]
    ) -> (sensors: [String: ARPASensor], left: FeedRows) {
        var (sensors, left) = ([String: ARPASensor](), FeedRows())
        for row in rows {
            guard let id = row.member("idsensore")?.text, SocrataRows.isID(id) else {
                left.omit(row.place, "has no idsensore")
                continue
            }
            let kind = row.member("nometiposensore")?.text ?? ""
            let unit = row.member("unitamisura")?.text ?? ""
            guard let quantity = quantities[kind] else {
                left.omit(row.place, "\(kind) is of no known kind")
                continue
            }
            guard units.contains(unit) else {
                left.omit(row.place, "\(unit) is no known unit")
                continue
            }
            var sensor = ARPASensor(id: id, quantity: quantity, unit: unit)
            sensor.station = row.member("nomestazione")?.text ?? ""
            sensor.latitude = row.member("lat")?.number
            sensor.longitude = row.member("lng")?.number
            sensor.isActive = row.member("datastop") == nil
            sensors[id] = sensor
        }
        return (sensors, left)
    }
}
