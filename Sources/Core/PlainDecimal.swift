/// Reads a decimal number as instruments print it: sign, digits, one point; nothing else.
///
/// No exponent, no comma, no space within, no `nan`: what is not plain is not a reading.
package enum PlainDecimal {
    /// Digits of the longest number, point left out: what fits 64 bits for certain.
    static let digitLimit = 18

    /// The number at the resolution it is written in.
    ///
    /// - Parameters:
    ///   - text: ASCII without surrounding space.
    ///   - decimals: Digits after the point that are kept, 0…9.
    /// - Returns: nil for anything but a plain number, and for one with more digits than are kept
    ///   unless those are zeros.
    package static func read(_ text: some Collection<UInt8>, decimals: Int) -> FixedPoint? {
        var (mantissa, digits, fraction): (Int64, Int, Int?) = (0, 0, nil)
        var rest = text[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        for byte in rest {
            if byte == UInt8(ascii: "."), fraction == nil, digits > 0 {
                fraction = 0
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            if let places = fraction {
                fraction = places + 1
                if places >= decimals {
                    guard byte == UInt8(ascii: "0") else { return nil }
                    continue
                }
            }
            digits += 1
            guard digits <= digitLimit else { return nil }
            mantissa = mantissa * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        guard digits > 0, fraction != 0 else { return nil }
        return FixedPoint(isNegative ? -mantissa : mantissa, decimals: min(fraction ?? 0, decimals))
    }

    /// An unsigned whole number of at most nine digits.
    package static func whole(_ text: some Collection<UInt8>) -> Int? {
        guard !text.isEmpty, text.count <= 9 else { return nil }
        var value = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// A whole number within a range.
    package static func whole(
        _ text: some Collection<UInt8>,
        in range: ClosedRange<Int>
    ) -> Int? {
        whole(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
