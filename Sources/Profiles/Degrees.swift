import Core

extension Position {
    /// A place as people write it: `46.1699, 9.8786`.
    ///
    /// Degrees with at most seven digits after the point, north and east positive; nil for anything
    /// else.
    package init?(text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 40,
            let latitude = Degrees.count(parts[0]), let longitude = Degrees.count(parts[1])
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// `46.1699, 9.8786`: no more digits than it needs.
    package var text: String { "\(Degrees.text(latitude)), \(Degrees.text(longitude))" }

    /// Degrees.
    package var degrees: (latitude: Double, longitude: Double) {
        (Double(latitude) / Double(Self.degree), Double(longitude) / Double(Self.degree))
    }
}

/// One coordinate in degrees as text, and back.
private enum Degrees {
    /// In 10⁻⁷ degree.
    static func count(_ text: Substring) -> Int64? {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        let isNegative = text.first == "-"
        if isNegative || text.first == "+" { text.removeFirst() }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), (1...3).contains(parts[0].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard (1...7).contains(fraction.utf8.count), let whole = Int64(parts[0]),
            let rest = Int64(fraction + String(repeating: "0", count: 7 - fraction.utf8.count))
        else { return nil }
        let count = whole * Position.degree + rest
        return isNegative ? -count : count
    }

    static func text(_ count: Int64) -> String {
        let degree = UInt64(Position.degree)
        let (whole, rest) = count.magnitude.quotientAndRemainder(dividingBy: degree)
        var digits = String(repeating: "0", count: 7 - "\(rest)".utf8.count) + "\(rest)"
        while digits.hasSuffix("0") { digits.removeLast() }
        return (count < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : ".\(digits)")
    }
}
