import Core
import Store

/// The smallest box of latitudes and longitudes around places, in degrees; one over 180° is wide.
struct GeoBox: Codable, Hashable {
    let south: Double
    let west: Double
    let north: Double
    let east: Double

    private init(_ latitudes: ClosedRange<Double>, _ longitudes: ClosedRange<Double>) {
        (south, north) = (latitudes.lowerBound, latitudes.upperBound)
        (west, east) = (longitudes.lowerBound, longitudes.upperBound)
    }

    /// Around the place of a sample; nil when it has none.
    init?(_ sample: ImportedSample) {
        func value(_ quantity: Quantity) -> Double? {
            sample.values.first { $0.quantity == quantity }?.value.doubleValue
        }
        guard let latitude = value(.latitude), let longitude = value(.longitude) else { return nil }
        self.init(latitude...latitude, longitude...longitude)
    }

    func union(_ other: GeoBox) -> GeoBox {
        GeoBox(
            min(south, other.south)...max(north, other.north),
            min(west, other.west)...max(east, other.east)
        )
    }
}
