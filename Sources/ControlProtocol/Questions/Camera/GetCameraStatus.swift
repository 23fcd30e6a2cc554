import HardwareIO

package struct GetCameraStatus: Question {
    package typealias Answer = EyesReport
    package static let about = QuestionFacts(
        "status",
        for: .peopleAndDashboard,
        "State of the camera and its ring of pictures."
    )

    package init() {}
}
