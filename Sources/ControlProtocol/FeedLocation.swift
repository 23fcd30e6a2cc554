/// Where the series of one station or region of a source belong to.
package struct FeedLocation: Codable, Hashable, Sendable {
    /// What their names begin with: `west` of `west/pm25`.
    package let series: String
    /// What the source calls it.
    package let name: String
    /// Degrees, −90…90, north positive.
    package let latitude: Double
    /// Degrees, −180…180, east positive.
    package let longitude: Double

    /// Nil for what is no place on Earth, and for 0, 0, which sources write for none.
    package init?(series: String, name: String, latitude: Double?, longitude: Double?) {
        guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180,
            latitude != 0 || longitude != 0
        else { return nil }
        (self.series, self.name) = (series, name)
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}
