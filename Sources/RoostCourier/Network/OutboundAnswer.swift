import Core

/// A server's answer: status, header fields and body.
package struct OutboundAnswer: Hashable, Sendable {
    /// Bytes of a body that are read, unless the request allows more.
    package static let bodyLimit = 64 << 10

    package let status: Int
    /// Header fields by name in small letters; the last one of several with one name.
    package let fields: [String: String]
    package let body: [UInt8]
    /// Secrets of the request, which a server may repeat in its answer.
    package var secrets: [String] = []

    package init(_ status: Int, _ fields: [String: String] = [:], body: [UInt8] = []) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    package init(_ status: Int, _ fields: [String: String] = [:], text: String) {
        self.init(status, fields, body: Array(text.utf8))
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether it is an HTML page, such as a captive portal sends in place of an answer.
    package var isHTML: Bool {
        if fields["content-type"]?.lowercased().hasPrefix("text/html") == true { return true }
        let start = text.drop(while: \.isWhitespace).prefix(15).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    /// The first 80 bytes of the body on one line, for people: without secrets of the request.
    package var excerpt: String { line(String(decoding: body.prefix(4_096), as: UTF8.self)) }

    /// Returns a text of the answer for people: one line of at most 80 bytes, without secrets.
    package func line(_ text: String) -> String {
        ForeignText.line(text, byteMax: 80, without: secrets)
    }
}

extension OutboundAnswer {
    /// Returns the `https` origin of a redirection, if its host is that of an `http` URL.
    func secureOrigin(of url: MaskedText) -> String? {
        guard [301, 302, 307, 308].contains(status), let location = fields["location"],
            let asked = URLText.origin(url.revealed.lowercased()), asked.hasPrefix("http://"),
            let origin = URLText.origin(location.lowercased()), origin.hasPrefix("https://"),
            Self.host(asked) == Self.host(origin)
        else { return nil }
        return origin
    }

    /// Returns the host of an origin, without scheme and port.
    private static func host(_ origin: String) -> Substring? {
        guard let mark = origin.firstRange(of: "://") else { return nil }
        let place = origin[mark.upperBound...]
        return place.hasPrefix("[") ? place.prefix { $0 != "]" } : place.prefix { $0 != ":" }
    }
}

extension String {
    /// Removes white space at both ends.
    func trimming() -> String {
        var rest = Substring(self)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest.drop(while: \.isWhitespace))
    }
}
