import Core

/// Encoding of text in URLs (RFC 3986).
package enum URLText {
    /// Encodes a part of a path or of a query by `PercentCoding`.
    package static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
        PercentCoding.encoded(text, keepingSlashes: keepingSlashes)
    }

    /// Encodes a secret for a URL.
    package static func encoded(_ secret: Secret) -> MaskedText {
        MaskedText(secret: encoded(secret.reveal()))
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

    /// Whether an absolute URL has a path other than `/`.
    static func hasPath(_ url: String) -> Bool {
        guard let mark = url.firstRange(of: "://") else { return false }
        let place = url[mark.upperBound...].prefix { !hasEnd($0) }
        return place.drop { $0 != "/" }.contains { $0 != "/" }
    }

    /// Whether a URL has a query or a fragment, so that no path can be added to it.
    static func hasQuery(_ url: String) -> Bool { url.contains(where: hasEnd) }

    private static func hasEnd(_ character: Character) -> Bool { "?#".contains(character) }

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
