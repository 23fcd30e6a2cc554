/// The units that a channel can have: a closed list, so that no two spellings mean one thing.
package enum MeasureUnit {
    package static let known = [
        "%", "1/0.1l", "1/cm³", "1/l", "1/m³", "A", "Bq/m³", "Hz", "K", "Pa", "V", "W", "W/m²",
        "count", "cpm", "cps", "dB", "h", "hPa", "kPa", "km", "km/h", "lx", "m", "m/s", "mA",
        "mSv/h",
        "mV", "mg/m³", "min", "mm", "mm/h", "nSv/h", "ppb", "ppm", "s", "°", "°C", "µSv/h", "µg/m³",
        "µm",
    ]

    /// Spellings that people use for a known unit.
    ///
    /// The Greek mu looks like the micro sign and is another letter.
    private static let spellings = [
        "ug/m3": "µg/m³", "ug/m³": "µg/m³", "µg/m3": "µg/m³", "mg/m3": "mg/m³", "usv/h": "µSv/h",
        "c": "°C", "degc": "°C", "celsius": "°C", "deg": "°", "%rh": "%", "rh": "%",
        "percent": "%", "mbar": "hPa", "lux": "lx", "volt": "V", "watt": "W", "w/m2": "W/m²",
        "um": "µm", "bq/m3": "Bq/m³", "meter": "m", "kmh": "km/h", "1/0.1 l": "1/0.1l",
        "1/dl": "1/0.1l",
        "1/cm3": "1/cm³", "#/cm³": "1/cm³", "#/cm3": "1/cm³",
    ]

    /// Message for an unknown unit, and the known unit that was probably meant.
    package static func mistake(_ unit: String) -> (message: String, meant: String?) {
        let meant = suggestion(for: unit)
        let all = meant == nil ? "; known are \(known.joined(separator: ", "))" : ""
        return ("\"\(unit)\" is no known unit" + all, meant)
    }

    /// The known unit that was probably meant.
    private static func suggestion(for unit: String) -> String? {
        let micro = String(unit.map { $0 == "\u{3BC}" ? "\u{B5}" : $0 })
        if known.contains(micro) { return micro }
        return spellings[micro.lowercased()] ?? known.first {
            $0.lowercased() == micro.lowercased()
        }
            ?? (micro.count >= 3 ? Spelling.nearest(to: micro, among: known) : nil)
    }
}
