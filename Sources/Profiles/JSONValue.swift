import HardwareIO

/// A JSON text as a tree, so that a mistake in it can be named by its place.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value as an error message shows it, a few dozen characters at most.
    package var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value):
            value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        case .string(let value): "\"\(PlainText.shown(value))\""
        case .array(let values): "an array of \(values.count)"
        case .object: "an object"
        }
    }

    /// The value as one line of JSON, keys sorted.
    package var text: String {
        switch self {
        case .null, .bool, .number: return numeral
        case .string(let value): return Self.quoted(value)
        case .array(let values): return "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let fields):
            let members = fields.sorted { $0.key < $1.key }
            return "{"
                + members.map { Self.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",")
                + "}"
        }
    }

    /// The value as people write it: what fits on a line of 100 characters stands on one.
    package var lines: String { lines(indent: 0) }

    private func lines(indent: Int) -> String {
        let outer = String(repeating: " ", count: indent)
        let inner = outer + "  "
        let short = spaced
        if short.count + indent <= 90 && indent > 0 { return short }
        switch self {
        case .null, .bool, .number, .string: return short
        case .array(let values):
            guard !values.isEmpty else { return "[]" }
            let rows = values.map { inner + $0.lines(indent: indent + 2) }
            return "[\n" + rows.joined(separator: ",\n") + "\n\(outer)]"
        case .object(let fields):
            guard !fields.isEmpty else { return "{}" }
            let rows = fields.sorted { $0.key < $1.key }.map { key, value in
                inner + Self.quoted(key) + ": " + value.lines(indent: indent + 2)
            }
            return "{\n" + rows.joined(separator: ",\n") + "\n\(outer)}"
        }
    }

    /// The value on one line, with spaces as people set them.
    private var spaced: String {
        switch self {
        case .null, .bool, .number, .string: return text
        case .array(let values): return "[" + values.map(\.spaced).joined(separator: ", ") + "]"
        case .object(let fields):
            guard !fields.isEmpty else { return "{}" }
            let members = fields.sorted { $0.key < $1.key }
                .map { Self.quoted($0.key) + ": " + $0.value.spaced }
            return "{ " + members.joined(separator: ", ") + " }"
        }
    }

    private var numeral: String {
        guard case .number(let value) = self else { return shown }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\u{0}"..<" ":
                "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
