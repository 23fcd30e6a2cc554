package struct ChangeMode: Question {
    package typealias Answer = StatusReport
    package static let about = QuestionFacts(
        "mode",
        for: .peopleAndDashboard,
        "Changes how often the station measures, or begins a survey."
    )
    /// `normal`, `live` or `survey`.
    package let mode: String
    /// The survey's name, 1…64 characters.
    package var name: String?
    /// 1…86 400 s; after it the mode is `normal` again.
    package var seconds: Double?
    /// Whether a survey is kept from uploads; nil is no.
    package var isPrivate: Bool?

    package init(
        _ mode: String,
        name: String? = nil,
        seconds: Double? = nil,
        isPrivate: Bool? = nil
    ) {
        (self.mode, self.name) = (mode, name)
        (self.seconds, self.isPrivate) = (seconds, isPrivate)
    }
}
