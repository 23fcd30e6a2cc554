import Core
import StoreQueries

/// A moment as people type it: `2026-11-21T07:15` in a zone, or with `Z` or `+01:00`.
package struct MomentText: Hashable, Sendable {
    /// The moment in UTC, ISO 8601.
    package let text: String
    /// Explanation of a time within a change of the clocks; nil elsewhere.
    package let note: String?

    /// Parses a moment; nil for any other text.
    package init?(_ typed: String, in zone: Zone) {
        var text = typed.replacing(" ", with: "T")
        if text.utf8.count == 10 { text += "T00:00" }
        let offset = text.dropFirst(16).drop { ":0123456789.".contains($0) }
        let clock = text.dropLast(offset.count)
        let seconds = clock.utf8.count == 16 ? ":00" : ""
        guard let wall = WallTime(iso8601: "\(clock)\(seconds)\(offset)") else { return nil }
        guard offset.isEmpty else {
            (self.text, note) = (wall.iso8601, nil)
            return
        }
        let moments = zone.moments(wall, typed)
        (self.text, note) = (moments.first.iso8601, moments.note)
    }
}
