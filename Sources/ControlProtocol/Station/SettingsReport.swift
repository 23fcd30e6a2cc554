/// The settings of a station that a person may change, where each comes from, and its range.
package struct SettingsReport: Codable, Hashable, Sendable {
    /// Version of the settings; a change with an outdated `tag` is refused.
    package let tag: String
    package let settings: [SettingReport]

    package init(tag: String, settings: [SettingReport]) {
        (self.tag, self.settings) = (tag, settings)
    }
}

/// One setting.
package struct SettingReport: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case text
        /// The IANA name of a time zone.
        case zone
        /// Latitude and longitude in degrees: `46.1699, 9.8786`.
        case position
        /// One of `choices`, or a text of the owner that the station understands.
        case choice
    }

    /// The source of the value; the file wins and locks it.
    package enum Origin: String, Codable, Sendable, CaseIterable {
        /// The station itself.
        case `default`
        /// A person, over the dashboard or `roost settings set`.
        case ui
        /// The configuration file.
        case file
    }

    /// `zone`.
    package let key: String
    package let kind: Kind
    package let title: String
    package let description: String
    /// What a `choice` can be, the default first; nil of other kinds.
    package var choices: [String]?
    /// Characters of a text at most.
    package var longest: Int
    /// The value in effect; nil where nothing is set and the machine decides.
    package let value: String?
    package let origin: Origin

    package init(
        key: String,
        kind: Kind = .text,
        title: String,
        description: String,
        value: String?,
        origin: Origin
    ) {
        (self.key, self.kind, self.title) = (key, kind, title)
        (self.description, self.value, self.origin) = (description, value, origin)
        longest = 64
    }
}
