import Core

extension FixedPoint {
    /// Reads a decimal as sensors, files and Python's `repr` write it: `2.37`, `-0.5`, `1e-05`.
    ///
    /// Digits after the point are kept as written, nine at most: the rest is rounded away from zero
    /// at a half, because it is the noise of a double. Nil for anything else, for `nan` and `inf`,
    /// and when the number does not fit 18 digits.
    package init?(decimal text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 40 else { return nil }
        let mark = bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? bytes.count
        var exponent = 0
        if mark < bytes.count {
            guard let power = Self.exponent(bytes[(mark + 1)...]) else { return nil }
            exponent = power
        }
        var rest = bytes[..<mark]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let parts = rest.split(
            separator: UInt8(ascii: "."),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        let digits = parts.joined()
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...2).contains(parts.count), isNumber, !digits.isEmpty else { return nil }
        let decimals = (parts.count == 2 ? parts[1].count : 0) - exponent
        guard let (magnitude, kept) = Self.scaled(digits.map { $0 - 48 }, decimals) else {
            return nil
        }
        self.init(isNegative ? -magnitude : magnitude, decimals: kept)
    }

    /// An exponent of up to two digits, with or without a sign.
    private static func exponent(_ bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let text = String(decoding: rest, as: UTF8.self)
        return CivilTime.number(text, digits: 1...2).map { isNegative ? -$0 : $0 }
    }

    /// Digits as a mantissa with 0…9 decimals, rounded when there were more.
    private static func scaled(_ digits: [UInt8], _ decimals: Int) -> (Int64, Int)? {
        var (digits, decimals) = (digits, decimals)
        var roundsUp = false
        if decimals > 9 {
            let surplus = decimals - 9
            roundsUp = surplus <= digits.count && digits[digits.count - surplus] >= 5
            digits.removeLast(min(surplus, digits.count))
            decimals = 9
        }
        while decimals < 0 {
            digits.append(0)
            decimals += 1
        }
        let significant = digits.drop { $0 == 0 }
        guard significant.count <= 18 else { return nil }
        let magnitude = significant.reduce(Int64(0)) { $0 * 10 + Int64($1) }
        return (magnitude + (roundsUp ? 1 : 0), decimals)
    }
}
