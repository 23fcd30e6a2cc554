/// Text for mail in ASCII (RFC 2045, 6.7) and headers that hold more (RFC 2047).
package enum QuotedPrintable {
    private static let digits = Array("0123456789ABCDEF".utf8)
    /// Characters of a line, without its end.
    private static let lineLimit = 76

    /// Lines of at most 76 characters with CRLF at the end of each.
    package static func text(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(Array($0.utf8)) + "\r\n" }.joined()
    }

    /// A header's value: as it is when it is plain ASCII, else as encoded words.
    ///
    /// Control characters, line ends too, become spaces, so that no text adds a header.
    package static func header(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        let plain = scalars.map(String.init).joined()
        if plain.utf8.allSatisfy({ $0 < 0x7F }), plain.utf8.count <= 200, !plain.contains("=?") {
            return plain
        }
        // A line with an encoded word has at most 76 characters, the name of the header
        // counts; no character is split between two words.
        var (words, word) = ([String](), "")
        for scalar in plain.unicodeScalars {
            let next = String(scalar).utf8.map(headerByte).joined()
            if word.utf8.count + next.utf8.count > 52 {
                words.append(word)
                word = ""
            }
            word += next
        }
        return (words + [word]).map { "=?utf-8?Q?\($0)?=" }.joined(separator: "\r\n ")
    }

    private static func headerByte(_ byte: UInt8) -> String {
        switch byte {
        case 0x20: "_"
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            String(UnicodeScalar(byte))
        default: escaped(byte)
        }
    }

    private static func line(_ bytes: [UInt8]) -> String {
        var (lines, current) = ([String](), "")
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let isBlank = byte == 0x20 && !isLast
            let next = isPlain || isBlank ? String(UnicodeScalar(byte)) : escaped(byte)
            if current.utf8.count + next.utf8.count >= lineLimit {
                lines.append(current + "=")
                current = ""
            }
            current += next
        }
        return (lines + [current]).joined(separator: "\r\n")
    }

    private static func escaped(_ byte: UInt8) -> String {
        "=" + String(decoding: [digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
    }
}
