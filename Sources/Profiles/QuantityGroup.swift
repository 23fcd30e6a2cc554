/// What people ask a quantity for: the order of the dashboard's first page.
package enum QuantityGroup: String, Codable, Hashable, Sendable, CaseIterable {
    case air, climate, motion, radiation
    /// A quantity that no table here has, such as one of a person's own profile.
    case other
    /// What few people ask for: counts of particles, places, figures beside a better one.
    case detail

    /// The quantities of each group, the most asked for first.
    private static let table: [(QuantityGroup, [String])] = [
        (.air, ["pm25", "pm10", "co2", "tvoc", "tvocs", "no2", "o3", "co"]),
        (.climate, ["temperature", "humidity", "pressure", "sound", "illuminance"]),
        (.motion, ["motion"]),
        (.radiation, ["dose_rate", "cpm"]),
        (
            .detail,
            [
                "dew_point", "pm1", "pm4", "pm05", "pm25_dry", "pm10_dry", "co2_corrected",
                "formaldehyde",
                "n03", "n05", "n1", "n25", "n4", "n5", "n10", "size", "altitude", "latitude",
                "longitude", "accuracy", "co2_equivalent", "voc_raw", "gas_resistance", "voltage0",
                "voltage1", "voltage2", "voltage3",
            ]
        ),
    ]

    /// Group and place of each quantity in the table, from 0 on.
    private static let places: [String: (group: QuantityGroup, place: Int)] = {
        var found: [String: (QuantityGroup, Int)] = [:]
        for (group, names) in table {
            for name in names { found[name] = (group, found.count) }
        }
        return found
    }()

    private static let order = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) }
    )

    /// Group of a quantity, as channels name it; the version of a computed one (`@…`) is left out.
    package init(of quantity: String) { self = Self.places[Self.plain(quantity)]?.group ?? .other }

    /// Orders quantities: by group, then as the table has them; unknown ones by name.
    package static func isBefore(_ left: String, _ right: String) -> Bool {
        key(left) < key(right)
    }

    private static func key(_ quantity: String) -> (Int, Int, String) {
        let name = plain(quantity)
        guard let found = places[name] else { return (order[.other] ?? 0, 0, name) }
        return (order[found.group] ?? 0, found.place, "")
    }

    private static func plain(_ quantity: String) -> String {
        String(quantity.prefix { $0 != "@" })
    }
}
