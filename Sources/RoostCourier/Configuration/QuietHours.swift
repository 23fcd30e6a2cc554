import Profiles

/// Part of each local day in which people want to sleep.
package struct QuietHours: Hashable, Sendable {
    /// Minutes since midnight; `to` is the smaller where the hours span midnight.
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) { (self.from, self.to) = (from, to) }

    init?(_ reader: ObjectReader) {
        var reader = reader
        func minutes(_ key: String, _ reader: inout ObjectReader) -> Int? {
            guard let text = reader.required(key) else { return nil }
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
                (0...23).contains(hour), (0...59).contains(minute)
            else {
                reader.problem(key, "expected a time like 22:30, found \"\(text)\"")
                return nil
            }
            return hour * 60 + minute
        }
        let from = minutes("from", &reader)
        let to = minutes("to", &reader)
        reader.finish()
        guard let from, let to else { return nil }
        self.init(from: from, to: to)
    }

    /// Whether a minute of the local day is within.
    package func contains(_ minute: Int) -> Bool {
        from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
}
