/// The profiles that a station knows, its own and the owner's.
package struct ProfilesReport: Codable, Hashable, Sendable {
    package let profiles: [ProfileReport]

    package init(profiles: [ProfileReport]) { self.profiles = profiles }
}

/// A profile: the properties of one type of device.
package struct ProfileReport: Codable, Hashable, Sendable {
    package struct Channel: Codable, Hashable, Sendable {
        package let quantity: String
        package let unit: String
        package let decimals: Int
        /// Values outside are kept and flagged.
        package let least: Double
        package let most: Double
        /// One sentence for people.
        package let words: String

        package init(
            quantity: String,
            unit: String,
            decimals: Int,
            range: ClosedRange<Double>,
            words: String
        ) {
            (self.quantity, self.unit, self.decimals) = (quantity, unit, decimals)
            (least, most) = (range.lowerBound, range.upperBound)
            self.words = words
        }
    }

    package let id: String
    /// `usb-serial`, `gpio`, `http` or `board`.
    package let kind: String
    /// Name, as the maker writes it.
    package let name: String
    package let words: String
    package let driver: String?
    /// Whether it comes from the owner's folder.
    package let isOwn: Bool
    /// Seconds between two samples in `normal`; nil where the profile says nothing.
    package let periodSeconds: Double?
    /// Seconds that fan, laser or heater run before a value counts.
    package let warmUpSeconds: Double?
    /// Seconds from power-on to the first valid value; at least the warm-up.
    package var preheatSeconds: Double?
    package let channels: [Channel]

    package init(
        id: String,
        kind: (name: String, driver: String?),
        text: (name: String, words: String),
        isOwn: Bool,
        duty: (periodSeconds: Double, warmUpSeconds: Double)?,
        channels: [Channel]
    ) {
        (self.id, self.kind, driver, self.isOwn) = (id, kind.name, kind.driver, isOwn)
        (name, words) = text
        (periodSeconds, warmUpSeconds) = (duty?.periodSeconds, duty?.warmUpSeconds)
        self.channels = channels
    }
}

/// All mistakes of a profile that was checked and not stored.
package struct ProfileCheckReport: Codable, Hashable, Sendable {
    package struct Mistake: Codable, Hashable, Sendable {
        /// The place in the file: `channels[0].unit`.
        package let place: String
        package let reason: String
        /// The spelling or value that was probably meant.
        package let suggestion: String?

        package init(place: String, reason: String, suggestion: String?) {
            (self.place, self.reason, self.suggestion) = (place, reason, suggestion)
        }
    }

    /// The profile's id, as far as the file says one.
    package let id: String?
    package let mistakes: [Mistake]

    package init(id: String?, mistakes: [Mistake]) { (self.id, self.mistakes) = (id, mistakes) }
}
