/// The location of the series of one station or region of a source.
package struct FeedLocation: Codable, Hashable, Sendable {
    /// Prefix of the series' names: `west` in `west/pm25`.
    package let series: String
    /// Name of the place in the source.
    package let name: String
    /// Degrees, −90…90, north positive.
    package let latitude: Double
    /// Degrees, −180…180, east positive.
    package let longitude: Double

    /// Fails outside these ranges and at 0, 0, which sources write when they know no place.
    package init?(series: String, name: String, latitude: Double?, longitude: Double?) {
        guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180,
            latitude != 0 || longitude != 0
        else { return nil }
        (self.series, self.name) = (series, name)
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}
