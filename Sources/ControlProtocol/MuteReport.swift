/// What of a device is left out at a person's wish, and until when.
///
/// With neither end, until `roost unmute`.
package struct MuteReport: Codable, Hashable, Sendable {
    /// The device, or one of its channels: `balcony/pm25`.
    package let target: String
    /// ISO 8601 in UTC; nil without an end, or while no clock dates it.
    package let endTime: String?
    /// Nil where `endTime` stands.
    package let endsInSeconds: Double?

    package init(target: String, endTime: String?, endsInSeconds: Double?) {
        self.target = target
        self.endTime = endTime
        self.endsInSeconds = endsInSeconds
    }
}
