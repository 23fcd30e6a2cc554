import Core

/// What sensors measure, under names and units that are the same for all of them.
extension Quantity {
    package static let pm1 = Quantity(name: "pm1", unit: "µg/m³", decimals: 1)
    package static let pm4 = Quantity(name: "pm4", unit: "µg/m³", decimals: 1)
    /// Carbon dioxide, by volume.
    package static let co2 = Quantity(name: "co2", unit: "ppm", decimals: 0)
    package static let temperature = Quantity(name: "temperature", unit: "°C", decimals: 1)
    /// Counts of a radiation detector in the last minute.
    package static let countRate = Quantity(name: "cpm", unit: "cpm", decimals: 0)
    /// North of the equator is positive.
    package static let latitude = Quantity(name: "latitude", unit: "°", decimals: 7)
    /// East of Greenwich is positive.
    package static let longitude = Quantity(name: "longitude", unit: "°", decimals: 7)
    package static let altitude = Quantity(name: "altitude", unit: "m", decimals: 2)
}
