import HardwareIO

/// The list that an entry of the courier stands in.
package enum EntrySection: String, Codable, Hashable, Sendable, CaseIterable {
    /// Where samples go.
    case targets
    /// Who gets notices of alerts.
    case receivers
}

/// Adds a target or receiver, or replaces the one of its id that was added so.
package struct ConfigureEntry: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "configure-entry",
        for: .peopleAndDashboard,
        "Adds an upload target or a receiver, or changes one that was added so."
    )

    /// The entry's id: 1 to 32 of a…z, 0…9, - and _.
    package let target: String
    package let section: EntrySection
    /// An object of JSON, as in `courier.json`, without the id and without the secrets below.
    package let entry: String
    /// Passwords and tokens by their keys in the entry; one that is left out keeps its value.
    package let secrets: [String: String]?

    package init(
        _ target: String,
        in section: EntrySection,
        _ entry: String,
        secrets: [String: String]? = nil
    ) {
        (self.target, self.section, self.entry) = (target, section, entry)
        self.secrets = secrets
    }
}

/// Removes a target or receiver that was added by `configure-entry`.
package struct RemoveEntry: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "remove-entry",
        for: .peopleAndDashboard,
        "Removes a target or receiver that was added on the page or by a command."
    )

    package let target: String

    package init(_ target: String) { self.target = target }
}

/// Brings a target or receiver back as it was before its last change.
package struct UndoEntry: Question {
    package typealias Answer = CourierReport
    package static let about = QuestionFacts(
        "undo-entry",
        for: .peopleAndDashboard,
        "Takes the last change of a target or receiver back, with its secrets; only the last one."
    )

    package let target: String

    package init(_ target: String) { self.target = target }
}

/// Returns the options of a target or receiver.
package struct GetEntry: Question {
    package typealias Answer = EntryReport
    package static let about = QuestionFacts(
        "entry",
        for: .peopleAndDashboard,
        "The options of a target or receiver, with the names of its secrets and no values."
    )

    package let target: String

    package init(_ target: String) { self.target = target }
}

/// The answer to `entry`.
package struct EntryReport: Codable, Hashable, Sendable {
    package let id: String
    package let section: EntrySection
    package let origin: SettingReport.Origin
    /// An object of JSON, as in `courier.json`, without the id; a secret is `{"secret": "NAME"}`.
    package let entry: String

    package init(
        id: String,
        section: EntrySection,
        origin: SettingReport.Origin,
        entry: String
    ) {
        (self.id, self.section, self.origin, self.entry) = (id, section, origin, entry)
    }
}
