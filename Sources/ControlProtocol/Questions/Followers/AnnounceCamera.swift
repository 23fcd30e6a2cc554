package struct AnnounceCamera: Question {
    package typealias Answer = CameraOnReport
    package static let about = QuestionFacts(
        "cameraOn",
        for: .camera,
        "Announces use of the camera for a time."
    )
    /// 0…60 s; 0 for its end.
    package let seconds: Double

    package init(for duration: Duration) { seconds = duration / .seconds(1) }

    package func check() throws(ControlFailure) {
        try ControlFailure.demand(seconds, in: 0...CameraOnReport.secondsMax)
    }
}
