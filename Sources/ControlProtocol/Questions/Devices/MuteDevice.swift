package struct MuteDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts(
        "mute",
        for: .peopleAndDashboard,
        "Leaves values of a device or channel out for a while."
    )
    /// A device's name, or a channel such as `balcony/pm25`.
    package let device: String
    /// ≥ 1 s, and more than 366 days count as those; nil until it is unmuted.
    package var seconds: Double?

    package init(_ device: String, seconds: Double? = nil) {
        (self.device, self.seconds) = (device, seconds)
    }

    package func check() throws(ControlFailure) {
        guard let seconds, !(seconds >= 1) else { return }
        throw .badRequest("seconds is 1 at least", at: "/seconds")
    }
}

package struct UnmuteDevice: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts("unmute", for: .peopleAndDashboard, "Ends a mute.")
    /// The muted device or channel.
    package let device: String

    package init(_ device: String) { self.device = device }
}
