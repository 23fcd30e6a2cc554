package struct GetSettings: Question {
    package typealias Answer = SettingsReport
    package static let about = QuestionFacts(
        "settings",
        for: .peopleAndDashboard,
        "Settings that a person may change, with their values and origins."
    )

    package init() {}
}

package struct ChangeSettings: Question {
    package typealias Answer = SettingsReport
    package static let about = QuestionFacts(
        "set",
        for: .peopleAndDashboard,
        "Changes settings by a merge patch (RFC 7396)."
    )
    /// The merge patch, as JSON text.
    package let patch: String
    /// `SettingsReport.tag` of what the change was made from; nil changes whatever is there.
    package var tag: String?

    package init(_ patch: String, tag: String? = nil) { (self.patch, self.tag) = (patch, tag) }
}
