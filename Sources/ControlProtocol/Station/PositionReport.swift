/// A place on Earth.
package struct PositionReport: Codable, Hashable, Sendable {
    /// Degrees, −90…90, north positive.
    package let latitude: Double
    /// Degrees, −180…180, east positive.
    package let longitude: Double

    package init(latitude: Double, longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}
