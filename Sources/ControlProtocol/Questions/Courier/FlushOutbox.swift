import HardwareIO

package struct FlushOutbox: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "flush",
        for: .peopleAndDashboard,
        "Sends what waits at once, and waits until it is delivered."
    )

    /// Id of a target; nil for all.
    package let target: String?
    /// How long the answer may take, 0…600 s; nil for 60.
    package let seconds: Double?

    package init(_ target: String?, seconds: Double? = nil) {
        self.target = target
        self.seconds = seconds
    }
}
