/// A device or channel whose values a person has left out, and until when.
///
/// Without an end it lasts until `roost unmute`.
package struct MuteReport: Codable, Hashable, Sendable {
    /// The device, or one of its channels: `balcony/pm25`.
    package let target: String
    /// ISO 8601 in UTC; nil without an end, or while no clock dates it.
    package let endTime: String?
    /// Seconds until its end; nil where `endTime` is given.
    package let endsInSeconds: Double?

    package init(target: String, endTime: String?, endsInSeconds: Double?) {
        self.target = target
        self.endTime = endTime
        self.endsInSeconds = endsInSeconds
    }
}
