/// What a target says of the station that sends.
package struct StationIdentity: Hashable, Sendable {
    /// Twelve hexadecimal digits.
    package let id: String
    /// As its owner calls it.
    package let name: String
    /// As `Raspberry Pi 4 Model B`.
    package let model: String
    package let version: String

    package init(id: String, name: String, model: String, version: String) {
        (self.id, self.name, self.model, self.version) = (id, name, model, version)
    }
}
