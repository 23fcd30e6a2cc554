package struct UseClaimWindow: Question {
    package typealias Answer = ClaimWindowReport
    package static let about = QuestionFacts(
        "claimWindow",
        for: .peopleAndDashboard,
        "Whether the dashboard may give the station to its first owner without a code."
    )
    /// 0 closes it, since the station has an owner; nil only reports.
    package var seconds: Double?

    package init(closing: Bool = false) { seconds = closing ? 0 : nil }

    package func check() throws(ControlFailure) {
        guard let seconds, seconds != 0 else { return }
        throw .badRequest("seconds is 0, which closes the window; a held button opens it")
    }
}
