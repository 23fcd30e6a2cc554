/// A measurement and where it was made.
package struct PlacedValue: Hashable, Sendable {
    /// Degrees, −90…90, north positive.
    package let latitude: Double
    /// Degrees, −180…180, east positive.
    package let longitude: Double
    /// In the unit of the quantity.
    package let value: Double

    /// Returns nil beyond a pole, beyond 180°, and for a value that is not finite.
    package init?(latitude: Double, longitude: Double, value: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, value.isFinite else { return nil }
        (self.latitude, self.longitude, self.value) = (latitude, longitude, value)
    }
}
