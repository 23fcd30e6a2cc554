package struct SilenceAlerts: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "silence",
        for: .peopleAndDashboard,
        "Holds the notices of a rule and its subject back for a while."
    )
    /// A rule and its subject, such as `who-24h:balcony/pm25`.
    package let key: String
    /// 1 s…366 days.
    package let seconds: Double

    package init(_ key: String, seconds: Double) { (self.key, self.seconds) = (key, seconds) }

    package func check() throws(ControlFailure) {
        try ControlFailure.demand(seconds, in: 1...ControlFailure.longestSeconds)
    }
}

package struct UnsilenceAlerts: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "unsilence",
        for: .peopleAndDashboard,
        "Ends a silence."
    )
    /// A rule and its subject, such as `who-24h:balcony/pm25`.
    package let key: String

    package init(_ key: String) { self.key = key }
}
