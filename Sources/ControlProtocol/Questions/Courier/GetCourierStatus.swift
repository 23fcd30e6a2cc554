import HardwareIO

package struct GetCourierStatus: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "status",
        for: .peopleAndDashboard,
        "State of the courier, and of each target, receiver and feed."
    )

    package init() {}
}
