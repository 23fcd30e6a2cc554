package struct ExamineMachine: Question {
    package typealias Answer = FindingsReport
    package static let about = QuestionFacts(
        "doctor",
        for: .peopleAndDashboard,
        "Checks of `roost doctor`, as far as a running station can make them."
    )
    /// How old the report may be; one of the last 10 s always serves.
    package var seconds: Double?

    package init(notOlderThan seconds: Double? = nil) { self.seconds = seconds }
}
