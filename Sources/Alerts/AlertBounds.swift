import Core

/// Bounds of a station's alerts, and names for alerts about the station as a whole.
package enum AlertBounds {
    /// Pairs of a rule and a subject that have a state, raised or not.
    package static let keyLimit = 256
    /// Alerts raised at once; `many` stands for those beyond.
    static let raisedLimit = 32
    /// Silences at once; one more is refused.
    package static let silenceLimit = 32
    /// Seconds within which the same test again is a second tap: it is sent once.
    package static let testSeconds = 5
    /// Channels with alerts, as many as a station has; a further channel has none.
    package static let channelLimit = 128
    /// Key of the one alert that replaces all beyond `raisedLimit`.
    package static let many = AlertEvent.Key("many", station)
    /// Subject of alerts about the station itself.
    package static let station = "station"
}
