import ControlProtocol
import Profiles

/// Why nothing of a body was taken.
package enum FeedFault: Error, Hashable, Sendable {
    /// More than `FeedRows.byteCountMax`.
    case tooLarge(byteCount: Int)
    /// The answer is not JSON: a captive portal's page, or a body that was cut.
    case notJSON(String)
    /// The source asks for fewer requests: HTTP 200 with code 24 at data.gov.sg.
    case busy(String)
    /// The source says that it failed, in its own words.
    case refused(String)
    /// JSON of another shape; `place` is a JSON pointer as in RFC 6901: `/data/items`.
    case shape(place: String, wanted: String, found: String)
    /// The answer names a next page that cannot be followed.
    case continuation(String)

    /// For a log or a person.
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

/// A part of a body that was left out, beside others that were taken.
package struct FeedOmission: Hashable, Sendable {
    /// JSON pointer as in RFC 6901: `/items/3/timestamp`.
    package let place: String
    package let reason: String
}

/// Rows and places in one body of a source.
package struct FeedRows: Hashable, Sendable {
    /// In the body's order.
    ///
    /// A row without a value says that the source had none.
    package internal(set) var rows: [ImportRow] = []
    /// Where series belong to, as far as the body says so; at most `placesMax`.
    package internal(set) var places: [FeedLocation] = []
    /// The first `omissionsMax` of the omitted parts.
    package private(set) var omissions: [FeedOmission] = []
    package private(set) var omittedCount = 0
    /// Where the source continues, at most `nextMax` bytes; nil at its end.
    package private(set) var next: String?
    /// Why it cannot be asked where it continues; its rows count all the same.
    package private(set) var fault: FeedFault?
    /// Differences of a registry from the configuration: words for a person by series.
    package internal(set) var differing: [String: String] = [:]

    package static let omissionsMax = 20
    package static let placesMax = 200
    /// Data.gov.sg and a station have some 100 bytes.
    package static let nextMax = 1_024

    /// Notes where the source continues; an empty text is its end.
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

/// A body as it came, read once, with the place of each part.
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
            throw .notJSON(JSONParser.words(for: error, in: bytes))
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

    /// Its elements; nil when it is no array.
    var items: [FeedBody]? {
        guard case .array(let elements) = value else { return nil }
        return elements.enumerated().map { FeedBody($1, at: "\(place)/\($0)") }
    }

    /// Sorted by key; nil when it is no object.
    var members: [(key: String, value: FeedBody)]? {
        guard case .object(let members) = value else { return nil }
        return members.sorted { $0.key < $1.key }
            .map { ($0.key, FeedBody($0.value, at: place + "/" + Self.escaped($0.key))) }
    }

    var text: String? { if case .string(let text) = value { text } else { nil } }

    /// A number, or text that is a decimal one and nothing else.
    var number: Double? {
        switch value {
        case .number(let number): number
        case .string(let text):
            // Not 0x1F, which is a number of Swift's.
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
    /// Bytes of a body: 2 MiB; a day of all PSI families has 100 kB.
    package static let byteCountMax = 2 << 20
}
