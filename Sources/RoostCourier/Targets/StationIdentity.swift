import Core

/// Identity of the sending station, for its targets.
package struct StationIdentity: Hashable, Sendable {
    /// Number of the station: twelve hexadecimal digits.
    package let id: String
    /// Name that its owner gave it.
    package let name: String
    /// Model of the computer, such as `Raspberry Pi 4 Model B`.
    package let model: String
    package let version: String

    package init(id: String, name: String, model: String, version: String) {
        (self.id, self.name, self.model, self.version) = (id, name, model, version)
    }

    /// For a trial before the station has answered.
    package static let unknown = StationIdentity(
        id: "000000000000",
        name: "station",
        model: "computer",
        version: RoostVersion.text
    )
}
