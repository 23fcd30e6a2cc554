package struct AcknowledgeAlert: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "acknowledge",
        for: .peopleAndDashboard,
        "Says that a person knows of an alert."
    )
    /// The number of a raised alert.
    package let n: Int64
    /// 1 s…366 days; nil until the alert is over.
    package var seconds: Double?

    package init(_ n: Int64, seconds: Double? = nil) { (self.n, self.seconds) = (n, seconds) }

    package func check() throws(ControlFailure) {
        try ControlFailure.demand(seconds, in: 1...ControlFailure.longestSeconds)
    }
}
