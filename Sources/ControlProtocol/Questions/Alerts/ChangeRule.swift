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

    package init(_ name: String, rule: String?) { (self.name, self.rule) = (name, rule) }
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

    package init(_ name: String, isOn: Bool) { (self.name, self.isOn) = (name, isOn) }
}
