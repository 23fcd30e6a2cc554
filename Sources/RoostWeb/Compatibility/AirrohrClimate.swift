import ControlProtocol

/// Values of a climate sensor as the airrohr firmware names them: `BME280_pressure`, in Pa.
///
/// A part that the firmware does not know has the names of one that measures the same. A device
/// that measures particles has none: the firmware's dust sensors measure no climate.
///
/// - Source: opendata-stuttgart/sensors-software, `airrohr-firmware.ino`: `fetchSensorBMX280`,
///   `fetchSensorDHT`, `fetchSensorBMP`, `fetchSensorHTU21D`, `fetchSensorSHT3x`,
///   `fetchSensorSCD30`, `fetchSensorDS18B20`.
struct AirrohrClimate {
    /// A value with its name there and in the firmware's unit.
    struct Item {
        let type: String
        let reading: ReadingReport
        let value: Double
    }

    private static let prefixes = [
        ("bosch-bmp180", "BMP_"), ("te-htu21", "HTU21D_"), ("sensirion-sht3x", "SHT3X_"),
        ("dallas-ds18b20", "DS18B20_"), ("sensirion-scd", "SCD30_"),
    ]
    private static let particles: Set<String> = ["pm1", "pm25", "pm4", "pm10"]
    /// Names there, and factors of the units that a quantity may have.
    private static let kinds: [(quantity: String, type: String, units: [String: Double])] = [
        ("temperature", "temperature", ["°C": 1]), ("humidity", "humidity", ["%": 1]),
        ("pressure", "pressure", FreshValues.pascals.mapValues { $0.factor }),
        ("co2", "co2_ppm", ["ppm": 1]),
    ]

    /// The fresh values of one device; none where the firmware has no name for it.
    ///
    /// Their names follow from all its channels, so that they stay while one has no value.
    static func items(_ channels: [ChannelReport]) -> [Item] {
        var readings: [String: (ReadingReport, unit: String)] = [:]
        var names: Set<String> = []
        for channel in channels {
            guard let part = channel.channel.split(separator: "/").last else { continue }
            let name = String(part)
            // A BMP280 sold as a BME280 has a channel for the humidity that it lacks.
            if !channel.isNeverMeasured { names.insert(name) }
            guard FreshValues.isFresh(channel), let latest = channel.latest else { continue }
            readings[name] = (latest, channel.unit)
        }
        let profile = channels.lazy.compactMap(\.facts?.profile).first ?? ""
        guard let prefix = prefix(of: profile, names) else { return [] }
        return kinds.compactMap { kind in
            guard let (reading, unit) = readings[kind.quantity], let factor = kind.units[unit],
                let value = reading.value, kind.quantity != "co2" || prefix == "SCD30_"
            else { return nil }
            return Item(type: prefix + kind.type, reading: reading, value: value * factor)
        }
    }

    private static func prefix(of profile: String, _ names: Set<String>) -> String? {
        guard names.isDisjoint(with: particles), names.contains("temperature") else { return nil }
        if let known = prefixes.first(where: { profile.hasPrefix($0.0) }) { return known.1 }
        switch (names.contains("humidity"), names.contains("pressure"), names.contains("co2")) {
        case (true, _, true): return "SCD30_"
        case (true, true, false): return "BME280_"
        // A DHT22 has no name before its values.
        case (true, false, false): return ""
        case (false, true, false): return "BMP280_"
        case (false, _, _): return nil
        }
    }
}
