import HardwareIO

/// Returns the types of targets and receivers, each with its options.
package struct GetEntryKinds: Question {
    package typealias Answer = EntryKindsReport
    package static let about = QuestionFacts(
        "entry-kinds",
        for: .peopleAndDashboard,
        "The types of targets and receivers with their options, for forms and editors."
    )

    package init() {}
}

/// The answer to `entry-kinds`.
package struct EntryKindsReport: Codable, Hashable, Sendable {
    package let targets: [EntryKind]
    package let receivers: [EntryKind]

    package init(targets: [EntryKind], receivers: [EntryKind]) {
        (self.targets, self.receivers) = (targets, receivers)
    }
}

/// One type of targets or receivers.
package struct EntryKind: Codable, Hashable, Sendable {
    /// As in `courier.json`: `influx2`.
    package let type: String
    /// Name of a service, and what to do there, of a preset; nil for other types.
    package var name: String?
    package var about: String?
    /// The type's own options, then those that all have.
    package let fields: [EntryField]

    package init(_ type: String, fields: [EntryField]) { (self.type, self.fields) = (type, fields) }
}

/// One option of an entry.
package struct EntryField: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case text, flag, number, list, map, secret, url
        /// An object, whose own options follow as `place.latitude`.
        case object
        /// An address that may be a secret as a whole.
        case secretURL
    }

    package let key: String
    package let kind: Kind
    package let isRequired: Bool
    /// Whether every entry of its list has it.
    package let isCommon: Bool
    /// The texts that are allowed, beside a number for a number; schemes of a URL.
    package var choices: [String]?
    package var low: Double?
    package var high: Double?
    package var isWhole: Bool?
    /// A text as it may stand there; of a map the JSON of one.
    package var example: String?
    /// What counts where it is left out, as it would stand there; nil where none does.
    package var usual: String?
    /// A sentence for people; nil where the station has none.
    package var about: String?

    package init(_ key: String, _ kind: Kind, isRequired: Bool, isCommon: Bool) {
        (self.key, self.kind) = (key, kind)
        (self.isRequired, self.isCommon) = (isRequired, isCommon)
    }
}
