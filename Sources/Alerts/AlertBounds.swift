import Core

/// Bounds of a station's alerts, and names for alerts about the station as a whole.
package enum AlertBounds {
    /// Alerts that are looked at, raised or not: a rule and a channel each.
    package static let keyLimit = 256
    package static let raisedLimit = 32
    /// Silences at once; one more is refused.
    package static let silenceLimit = 32
    /// Channels at once, as many as a station has; a further one has no alerts.
    package static let channelLimit = 128
    /// Key of the one alert that replaces all beyond `raisedLimit`.
    package static let many = AlertEvent.Key("many", station)
    /// Subject of alerts that are about no device.
    package static let station = "station"
}
