import Core
import Store
import StoreQueries

/// Conversion of a value on its way into a template's text.
package enum TemplateFilter: Hashable, Sendable {
    /// JSON value: text in quotes, numbers and flags bare, nothing as `null`.
    case json
    /// Part of a URL.
    case url
    /// Field of a CSV table (RFC 4180).
    case csv
    /// Capital letters.
    case upper
    /// Text cut to at most so many bytes, between characters.
    case cut(Int)
    /// Date in a format of `DateFormat`.
    case date(DateFormat)
    /// Number as Python writes a `float`: `5.0`, `12.3`.
    case float
    /// Header field of HTTP: encoded words (RFC 2047) for non-ASCII, no line ends.
    case header
    /// Text in front of a value that is not empty, such as `Bearer ` before a token.
    case prefix(String)

    /// List of the filters, for people.
    static let list =
        "there are json, url, csv, header, upper, cut:BYTES, date:FORMAT, float and prefix:TEXT"

    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let argument = parts.count == 2 ? String(parts[1]) : nil
        switch (String(parts[0]).trimming(), argument) {
        case ("json", nil): self = .json
        case ("url", nil): self = .url
        case ("csv", nil): self = .csv
        case ("upper", nil): self = .upper
        case ("header", nil): self = .header
        case ("float", nil): self = .float
        case ("cut", let count?):
            guard let count = Int(count), (1...8_192).contains(count) else {
                return nil
            }
            self = .cut(count)
        case ("prefix", let text?): self = .prefix(text)
        case ("date", let form?):
            guard let format = DateFormat(form) else { return nil }
            self = .date(format)
        default: return nil
        }
    }

    func apply(_ value: TemplateValue, _ zone: Zone) -> TemplateValue {
        let text = Self.plain(value)
        switch self {
        case .json: return .text(Self.json(value))
        case .url: return .text(URLText.encoded(text))
        case .csv:
            let isPlain = !text.utf8.contains { [0x2C, 0x22, 0x0D, 0x0A].contains($0) }
            let doubled = text.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
            return .text(isPlain ? text : "\"\(doubled)\"")
        case .header: return .text(QuotedPrintable.header(text).replacing("\r\n", with: ""))
        case .upper: return .text(text.uppercased())
        case .cut(let count): return .text(Self.cut(text, count))
        case .date(let format):
            guard case .time(let wall) = value else { return value }
            return .text(format.text(wall, in: zone))
        case .prefix(let prefix): return .text(text.isEmpty ? "" : prefix + text)
        case .float:
            guard case .number(let number) = value else { return value }
            return .text(CSVWriter.pythonWords(number.doubleValue))
        }
    }

    /// Converts a value without a filter.
    static func plain(_ value: TemplateValue) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number.description
        case .flag(let flag): "\(flag)"
        case .time(let wall): wall.iso8601
        case .secret: Secret.mask
        case .none: ""
        }
    }

    private static func json(_ value: TemplateValue) -> String {
        switch value {
        case .number, .flag: plain(value)
        case .none: "null"
        default: JSONText.string(plain(value))
        }
    }

    /// Returns the longest start of a text with at most so many bytes.
    static func cut(_ text: String, _ count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var (kept, size) = ("", 0)
        for character in text {
            size += character.utf8.count
            if size > count { break }
            kept.append(character)
        }
        return kept
    }
}
