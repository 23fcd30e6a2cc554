package struct ChangeRule: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "changeRule",
        for: .peopleAndDashboard,
        "Adds or changes a rule of the owner; without one it takes back what the owner changed."
    )
    /// The rule's id.
    package let name: String
    /// The rule as in `alerts` of the configuration, without its id, as JSON text; `isOn` may
    /// switch it.
    package let rule: String?
    /// `AlertsReport.Rule.tag` of what the change was made from, `none` for a new rule; nil changes
    /// whatever is there.
    package var tag: String?

    package init(_ name: String, rule: String?, tag: String? = nil) {
        (self.name, self.rule, self.tag) = (name, rule, tag)
    }
}

package struct SwitchRule: Question {
    package typealias Answer = AlertsReport
    package static let about = QuestionFacts(
        "switchRule",
        for: .peopleAndDashboard,
        "Switches a rule of the owner, or one that comes with Roost, on or off."
    )
    /// The rule's id.
    package let name: String
    package let isOn: Bool
    /// As in `ChangeRule`.
    package var tag: String?

    package init(_ name: String, isOn: Bool, tag: String? = nil) {
        (self.name, self.isOn, self.tag) = (name, isOn, tag)
    }
}
