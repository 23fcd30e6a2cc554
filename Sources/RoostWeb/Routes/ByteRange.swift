import ControlProtocol
import HTTPTypes

/// The bytes of an answer that a client wants: one range of the field `Range`.
///
/// - Source: RFC 9110, 14.1.2.
enum ByteRange: Hashable, Sendable {
    /// From an offset to the end.
    case from(Int)
    /// From one offset to another, both included.
    case closed(Int, Int)
    /// This many bytes at the end.
    case last(Int)

    /// What a route with ranges reads of a request.
    static let headers = [
        RequestHeader("Range", .pattern("^bytes=([0-9]+-[0-9]*|-[0-9]+)$")),
        RequestHeader("If-Range"),
    ]

    /// Reads the field; nil for several ranges and invalid ones: then everything is sent.
    init?(_ field: String) {
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

    /// Reads the range of a request; nil without one, or when `If-Range` names another answer.
    ///
    /// - Parameter tag: Entity tag of this answer.
    init?(_ request: WebRequest, tag: String) {
        guard let field = request.headers[.range] else { return nil }
        if let known = request.headers[.ifRange], known != tag { return nil }
        self.init(field)
    }

    /// Returns the offsets of the range within an answer of `count` bytes.
    ///
    /// - Returns: Offsets, never empty; nil when the range begins beyond the end (status 416).
    func places(in count: Int) -> Range<Int>? {
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
    /// Answers 416 for a range beyond the end.
    ///
    /// - Parameter count: Bytes of the whole answer.
    static func beyondEnd(_ count: Int) -> Problem {
        var problem = Problem(.rangeNotSatisfiable, "it has \(count) bytes")
        problem.headers[.contentRange] = "bytes */\(count)"
        return problem
    }
}
