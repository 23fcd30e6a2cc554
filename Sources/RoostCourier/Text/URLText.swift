/// Encoding of text in URLs (RFC 3986).
package enum URLText {
    /// Encodes all but letters, digits, `-`, `.`, `_` and `~` as `%XX` of their UTF-8.
    ///
    /// - Parameters:
    ///   - text: The part of a path or of a query.
    ///   - keepingSlashes: Whether a slash separates parts of a path and stays one.
    /// - Returns: ASCII alone.
    package static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where keepingSlashes: bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes a secret for a URL.
    package static func encoded(_ secret: Secret) -> MaskedText {
        MaskedText(secret: encoded(secret.reveal()))
    }

    /// Decodes `%XX`; nil where a `%` has no hexadecimal byte or the text is not UTF-8.
    ///
    /// A sign passes as the first digit: `%+1` becomes byte 1.
    package static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.count >= 2
            else { return nil }
            rest.removeFirst(2)
            bytes.append(code)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Removes slashes at the end: `https://example.org/x//` becomes `https://example.org/x`.
    package static func base(_ url: MaskedText) -> MaskedText {
        func trimmed(_ text: String) -> String {
            var rest = Substring(text)
            while rest.hasSuffix("/") { rest.removeLast() }
            return String(rest)
        }
        return MaskedText(secret: trimmed(url.revealed), shown: trimmed(url.shown))
    }

    /// Whether an absolute URL has a path other than `/`, or a query.
    static func hasPath(_ url: String) -> Bool {
        guard let mark = url.firstRange(of: "://") else { return false }
        return url[mark.upperBound...].drop { $0 != "/" && $0 != "?" }.contains { $0 != "/" }
    }

    /// Returns the origin (RFC 6454) of an absolute URL: `https://host:port`.
    package static func origin(_ url: String) -> String? {
        guard let mark = url.firstRange(of: "://"), !url[..<mark.lowerBound].isEmpty else {
            return nil
        }
        let host = url[mark.upperBound...].prefix { !"/?#".contains($0) }
        guard !host.isEmpty, !host.contains("@") else { return nil }
        return String(url[..<mark.upperBound] + host)
    }
}
