/// Base64 and base64url (RFC 4648, sections 4 and 5).
package enum Base64 {
    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let forURLs = Array(standard.dropLast(2)) + Array("-_".utf8)

    /// Encodes with padding and without line breaks.
    package static func text(_ bytes: [UInt8]) -> String {
        let digits = encode(bytes, standard)
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        return digits + padding
    }

    /// Encodes in the alphabet for URLs, without padding, for tokens and keys of Web Push.
    package static func url(_ bytes: [UInt8]) -> String { encode(bytes, forURLs) }

    /// Decodes either alphabet, with or without padding.
    ///
    /// - Returns: Nil for any other character, white space too, and for a length that no bytes
    ///   give.
    package static func bytes(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var (bytes, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
        bytes.reserveCapacity(digits.count * 3 / 4)
        for digit in digits {
            guard let value = value(digit) else { return nil }
            buffer = buffer << 6 | value
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        return bytes
    }

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            word <<= UInt32(8 * (3 - group.count))
            for place in 0...group.count {
                digits.append(alphabet[Int(word >> UInt32(18 - 6 * place) & 63)])
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
