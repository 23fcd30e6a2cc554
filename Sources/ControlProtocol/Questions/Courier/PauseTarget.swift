import HardwareIO

package struct PauseTarget: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "pause",
        for: .peopleAndDashboard,
        "Sends a target nothing for a while; new samples wait."
    )

    package let target: String
    /// 1 s…366 days; nil until `resume`.
    package let seconds: Double?

    package init(_ target: String, seconds: Double? = nil) {
        self.target = target
        self.seconds = seconds
    }
}

package struct ResumeTarget: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "resume",
        for: .peopleAndDashboard,
        "Ends the pause of a target."
    )

    package let target: String

    package init(_ target: String) { self.target = target }
}
