import ControlProtocol
import Profiles

/// Reason why a whole body was refused.
package enum FeedFault: Error, Hashable, Sendable {
    /// The body has more than `FeedRows.byteCountMax` bytes.
    case tooLarge(byteCount: Int)
    /// The answer is not JSON: a captive portal's page, or a body that was cut.
    case notJSON(String)
    /// The source asks for fewer requests: HTTP 200 with code 24 at data.gov.sg.
    case busy(String)
    /// The source reports a failure, in its own words.
    case refused(String)
    /// The JSON has another shape; `place` is a JSON pointer (RFC 6901): `/data/items`.
    case shape(place: String, wanted: String, found: String)
    /// The answer names a next page that cannot be followed.
    case continuation(String)

    /// Sentence for a log or a person.
    package var message: String {
        switch self {
        case .tooLarge(let byteCount):
            "the answer has \(byteCount) bytes; \(FeedRows.byteCountMax) are read at most"
        case .notJSON(let reason): "the answer is no JSON: \(reason)"
        case .busy(let words): "the source asks for fewer requests: \(words)"
        case .refused(let words): "the source refused: \(words)"
        case .shape(let place, let wanted, let found):
            "\(place.isEmpty ? "the answer" : place) is \(found), not \(wanted)"
        case .continuation(let words): "the answer names no next page: \(words)"
        }
    }
}

/// A part of a body that was left out while others were read.
package struct FeedOmission: Hashable, Sendable {
    /// JSON pointer (RFC 6901) to the part: `/items/3/timestamp`.
    package let place: String
    package let reason: String
}

/// Rows and places in one body of a source.
package struct FeedRows: Hashable, Sendable {
    /// Rows in the body's order.
    ///
    /// A row without a value says that the source had none.
    package internal(set) var rows: [ImportRow] = []
    /// Places of the series, as far as the body gives them; at most `placesMax`.
    package internal(set) var places: [FeedLocation] = []
    /// The first `omissionsMax` of the omitted parts.
    package private(set) var omissions: [FeedOmission] = []
    package private(set) var omittedCount = 0
    /// Token of the next page, at most `nextMax` bytes; nil on the last page.
    package private(set) var next: String?
    /// Why the next page cannot be asked for; the rows of this one count all the same.
    package private(set) var fault: FeedFault?
    /// Differences of a registry from the configuration: words for a person by series.
    package internal(set) var differing: [String: String] = [:]

    static let omissionsMax = 20
    static let placesMax = 200
    /// Bytes of a token; those of data.gov.sg and of a station have some 100.
    static let nextMax = 1_024

    /// Sets the token of the next page; an empty text means the last page.
    mutating func goOn(at token: String?) {
        guard let token, !token.isEmpty else { return }
        guard token.utf8.count <= Self.nextMax else {
            let words = "its mark has \(token.utf8.count) bytes; \(Self.nextMax) at most are taken"
            fault = .continuation(words)
            return omit("", words)
        }
        next = token
    }

    mutating func omit(_ place: String, _ reason: String) {
        omittedCount += 1
        guard omissions.count < Self.omissionsMax else { return }
        omissions.append(FeedOmission(place: place, reason: reason))
    }
}

/// A parsed part of a body, with its place for messages.
struct FeedBody {
    let value: JSONValue
    let place: String

    /// - Throws: `tooLarge`, `notJSON`.
    init(_ bytes: [UInt8]) throws(FeedFault) {
        guard bytes.count <= FeedRows.byteCountMax else {
            throw .tooLarge(byteCount: bytes.count)
        }
        do throws(JSONParser.Fault) {
            value = try JSONParser.parse(bytes)
        } catch {
            throw .notJSON(JSONParser.text(for: error, in: bytes))
        }
        place = ""
    }

    private init(_ value: JSONValue, at place: String) {
        (self.value, self.place) = (value, place)
    }

    /// Returns a member of an object; nil where it is missing or null.
    func member(_ key: String) -> FeedBody? {
        guard case .object(let members) = value, let found = members[key], found != .null else {
            return nil
        }
        return FeedBody(found, at: place + "/" + Self.escaped(key))
    }

    /// - Throws: `shape` when it has none.
    func required(_ key: String) throws(FeedFault) -> FeedBody {
        guard let found = member(key) else {
            throw .shape(place: place, wanted: "an object with \(key)", found: shown)
        }
        return found
    }

    /// - Throws: `shape` when it is no array.
    func elements() throws(FeedFault) -> [FeedBody] {
        guard let items else { throw .shape(place: place, wanted: "an array", found: shown) }
        return items
    }

    /// Elements of the part; nil when it is not an array.
    var items: [FeedBody]? {
        guard case .array(let elements) = value else { return nil }
        return elements.enumerated().map { FeedBody($1, at: "\(place)/\($0)") }
    }

    /// Members of the part, sorted by key; nil when it is not an object.
    var members: [(key: String, value: FeedBody)]? {
        guard case .object(let members) = value else { return nil }
        return members.sorted { $0.key < $1.key }
            .map { ($0.key, FeedBody($0.value, at: place + "/" + Self.escaped($0.key))) }
    }

    var text: String? { if case .string(let text) = value { text } else { nil } }

    /// Value of a number, or of text that is only a decimal number.
    var number: Double? {
        switch value {
        case .number(let number): number
        case .string(let text):
            // This refuses 0x1F, which Swift would read as a number.
            text.utf8.allSatisfy(Self.numerals.contains)
                ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
        default: nil
        }
    }

    private static let numerals = Set("0123456789+-.eE".utf8)

    var shown: String { value.shown }

    private static func escaped(_ key: String) -> String {
        var pointer = ""
        for character in key {
            switch character {
            case "~": pointer += "~0"
            case "/": pointer += "~1"
            default: pointer.append(character)
            }
        }
        return pointer
    }
}

extension FeedRows {
    /// Bytes of a body at most: 2 MiB; a day of all PSI families has 100 kB.
    package static let byteCountMax = 2 << 20
}
