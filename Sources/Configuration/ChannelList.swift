/// Channels that a person lists, in that order: `dust/pm25, hall/co2`.
///
/// A channel need not be there: what it says counts again when its device comes back.
package struct ChannelList: Hashable, Sendable {
    /// Channels at most; a text with more is refused.
    package static let countMax = 128
    /// Characters of a text at most; a text with more is refused.
    package static let lengthMax = 8_192
    /// The form, as text.
    package static let form =
        "up to \(countMax) channels as dust/pm25, hall/co2, none of them twice"

    /// At least one, none twice.
    package let ids: [String]

    /// Reads a text of channels that are separated by commas; nil for another text.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.lengthMax else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let ids = parts.map { String($0.drop { $0 == " " }) }
        guard ids.count <= Self.countMax, Set(ids).count == ids.count,
            ids.allSatisfy(Self.isChannel)
        else { return nil }
        self.ids = ids
    }

    /// As `init` reads it.
    package var text: String { ids.joined(separator: ", ") }

    private static func isChannel(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // The version of a computed quantity stands behind an @.
        return parts.count == 2 && PlainName.fits(parts[0])
            && PlainName.fits(parts[1].replacing("@", with: "-", maxReplacements: 1))
    }
}
