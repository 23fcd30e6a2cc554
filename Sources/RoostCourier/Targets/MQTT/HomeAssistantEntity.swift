import Core

/// Description of a quantity for Home Assistant.
///
/// - Source: Home Assistant 2025.4.4, `components/sensor/const.py`.
struct HomeAssistantEntity: Hashable, Sendable {
    let title: String
    /// Device class of Home Assistant; nil where it has none.
    let deviceClass: String?
    let unit: String

    init(_ quantity: Quantity) {
        (title, deviceClass) = Self.table[quantity.name] ?? (quantity.name, nil)
        // Version 2025.7 refuses U+03BC; all versions accept U+00B5.
        unit = String(quantity.unit.map { $0 == "\u{3BC}" ? "\u{B5}" : $0 })
    }

    private static let table: [String: (String, String?)] = [
        "pm1": ("PM1", "pm1"), "pm25": ("PM2.5", "pm25"), "pm10": ("PM10", "pm10"),
        // 2025.4.4 does not know its class, and an unknown class loses the entity.
        "pm4": ("PM4", nil),
        "co2": ("CO₂", "carbon_dioxide"), "temperature": ("temperature", "temperature"),
        "humidity": ("humidity", "humidity"), "pressure": ("pressure", "atmospheric_pressure"),
        "voc": ("VOC", "volatile_organic_compounds_parts"),
        "tvocs": ("VOC", "volatile_organic_compounds_parts"),
        "sound": ("sound", "sound_pressure"),
    ]
}
