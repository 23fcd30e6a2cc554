import Core

/// The channels that a target gets, chosen by the owner's patterns of `device/quantity`.
///
/// `*` stands for any letters, also within a part: `*/pm25`, `balcony/*`, `door*/motion`.
struct StreamChoice: Hashable, Sendable {
    /// Patterns of channels that the target gets; empty means all but motion.
    ///
    /// Motion leaves the house only where its owner names it.
    let wanted: [String]
    /// Channels that no target gets.
    let left: [String]

    init(wanted: [String], left: [String]) { (self.wanted, self.left) = (wanted, left) }

    /// Whether every channel goes.
    var isAll: Bool { wanted.isEmpty && left.isEmpty }

    func takes(_ device: String, _ quantity: String) -> Bool {
        let name = Array("\(device)/\(quantity)".utf8)
        guard !left.contains(where: { Self.matches(Array($0.utf8), name) }) else { return false }
        if wanted.isEmpty { return quantity != "motion" }
        return wanted.contains { Self.matches(Array($0.utf8), name) }
    }

    /// Whether a text can match a channel at all.
    static func isPattern(_ text: String) -> Bool { text.contains("/") || text.contains("*") }

    /// Returns the error message for a text that is not a pattern.
    static func advice(_ text: String) -> String {
        "expected device/quantity, found \"\(text)\"; all of a device is \"\(text)/*\""
    }

    /// Whether a pattern fits a name as a whole, in time that grows with both lengths' product.
    static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        var (place, letter) = (0, 0)
        var (star, mark): (Int?, Int) = (nil, 0)
        while letter < name.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                (star, mark) = (place, letter)
                place += 1
            } else if place < pattern.count, pattern[place] == name[letter] {
                place += 1
                letter += 1
            } else if let star {
                place = star + 1
                mark += 1
                letter = mark
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
