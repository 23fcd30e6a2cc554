package struct GetAlerts: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "alerts",
        for: .readers,
        "Raised alerts, silences and the rules."
    )

    package init() {}
}
