package struct GetPins: Question {
    package typealias Answer = PinsReport
    package static let about = QuestionFacts(
        "pins",
        for: .peopleAndDashboard,
        "The pins of the header, and what uses each of them now."
    )

    package init() {}
}
