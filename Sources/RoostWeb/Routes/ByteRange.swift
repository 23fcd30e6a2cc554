import HTTPTypes

/// The bytes of an answer that a client wants: one range of the field `Range`.
///
/// - Source: RFC 9110, 14.1.2.
package enum ByteRange: Hashable, Sendable {
    /// From an offset to the end.
    case from(Int)
    /// From one offset to another, both included.
    case closed(Int, Int)
    /// This many bytes at the end.
    case last(Int)

    /// Reads the field; nil for several ranges and invalid ones: then everything is sent.
    package init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes", !parts[1].contains(",") else {
            return nil
        }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            .map { part in part.filter { $0 != " " } }
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }) else {
            return nil
        }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last: self = .closed(first, last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first)
        case (nil, let count?) where ends[0].isEmpty && count > 0: self = .last(count)
        default: return nil
        }
    }

    /// The range that a request may get: with `If-Range`, only while it names this answer.
    package init?(_ request: WebRequest, tag: String) {
        guard let field = request.headers[.range] else { return nil }
        if let known = request.headers[.ifRange], known != tag { return nil }
        self.init(field)
    }

    /// Returns the offsets within so many bytes; nil when there are none.
    package func places(in count: Int) -> Range<Int>? {
        switch self {
        case .from(let first): first < count ? first..<count : nil
        case .closed(let first, let last): first < count ? first..<min(last, count - 1) + 1 : nil
        case .last(let wanted): count > 0 ? max(0, count - wanted)..<count : nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension Problem {
    /// The problem of a range beyond the end.
    static func beyondEnd(_ count: Int) -> Problem {
        var problem = Problem(.rangeNotSatisfiable, "it has \(count) bytes")
        problem.headers[.contentRange] = "bytes */\(count)"
        return problem
    }
}
