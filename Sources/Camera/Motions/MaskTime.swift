/// A time of day in which no picture is taken.
package struct MaskTime: Hashable, Sendable {
    /// Minutes since midnight, 0…1 439; the end is not in it.
    package let from: Int
    package let to: Int

    /// Reads `22:00-06:30`; nil for anything else, and for a time without length.
    package init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
        (self.from, self.to) = (from, to)
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy { "0"..."9" ~= $0 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether a minute of the day, 0…1 439, is in it; it may go over midnight.
    package func covers(_ minute: Int) -> Bool {
        from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
}
