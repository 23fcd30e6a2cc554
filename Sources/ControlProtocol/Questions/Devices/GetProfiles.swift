package struct GetProfiles: Question {
    package typealias Answer = ProfilesReport
    package static let about = QuestionFacts(
        "profiles",
        for: .peopleAndDashboard,
        "All profiles in use."
    )

    package init() {}
}

package struct CheckProfile: Question {
    package typealias Answer = ProfileCheckReport
    package static let about = QuestionFacts(
        "checkProfile",
        for: .peopleAndDashboard,
        "Reads a profile and reports its mistakes; nothing is kept of it."
    )
    /// The profile, as JSON.
    package let text: String

    package init(_ text: String) { self.text = text }

    package func check() throws(ControlFailure) {
        if text.isEmpty { throw .badRequest("text is the profile, as JSON") }
    }
}
