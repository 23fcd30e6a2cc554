/// Compares two versions by Debian's rule.
///
/// Runs of digits compare as numbers, what is between them as text, in which letters come before
/// other characters and `~` before the end.
///
/// - Source: deb-version(7), Sorting algorithm.
enum VersionOrder {
    static func isOlder(_ left: String, than right: String) -> Bool {
        var (left, right) = (Array(left.utf8)[...], Array(right.utf8)[...])
        while !left.isEmpty || !right.isEmpty {
            let texts = (text(&left), text(&right))
            for index in 0..<max(texts.0.count, texts.1.count) {
                let (one, other) = (weight(texts.0, index), weight(texts.1, index))
                if one != other { return one < other }
            }
            let numbers = (number(&left), number(&right))
            if numbers.0.count != numbers.1.count { return numbers.0.count < numbers.1.count }
            if numbers.0 != numbers.1 { return numbers.0.lexicographicallyPrecedes(numbers.1) }
        }
        return false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let text = rest.prefix { !isDigit($0) }
        rest = rest.dropFirst(text.count)
        return Array(text)
    }

    /// Digits without leading zeros.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let digits = rest.prefix(while: isDigit)
        rest = rest.dropFirst(digits.count)
        return Array(digits.drop { $0 == 0x30 })
    }

    private static func weight(_ text: [UInt8], _ index: Int) -> Int {
        guard index < text.count else { return 0 }
        let byte = text[index]
        if byte == UInt8(ascii: "~") { return -1 }
        let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        return isLetter ? Int(byte) : Int(byte) + 256
    }
}
