import Profiles

/// Checks a value against as much of JSON Schema 2020-12 as `profile.schema.json` uses.
///
/// A keyword that it does not know is an error: a schema that says more than is checked would look
/// stricter than it is.
final class SchemaChecker {
    private let root: JSONValue
    private var patterns: [String: Regex<AnyRegexOutput>] = [:]
    private(set) var unknownKeywords: Set<String> = []

    init(_ root: JSONValue) { self.root = root }

    /// Places at which the value is refused.
    func refusals(of value: JSONValue) -> [String] { check(value, root, "") }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        guard case .object(let keywords) = schema else {
            return schema == .bool(false) ? [place] : []
        }
        if case .string(let reference)? = keywords["$ref"] {
            return check(value, definition(reference), place)
        }
        if let condition = keywords["if"] {
            guard check(value, condition, place).isEmpty else { return [] }
            return check(value, keywords["then"] ?? .bool(true), place)
        }
        var refusals: [String] = []
        for (keyword, wanted) in keywords.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .object(let fields):
                refusals += object(fields, keyword, wanted, keywords, place)
            case .array(let values): refusals += array(values, keyword, wanted, place)
            default: break
            }
            refusals += scalar(value, keyword, wanted, place)
        }
        return refusals
    }

    private func definition(_ reference: String) -> JSONValue {
        guard case .object(let root) = root, case .object(let all)? = root["$defs"],
            let name = reference.split(separator: "/").last
        else { return .bool(false) }
        return all[String(name)] ?? .bool(false)
    }

    private func object(
        _ fields: [String: JSONValue],
        _ keyword: String,
        _ wanted: JSONValue,
        _ keywords: [String: JSONValue],
        _ place: String
    ) -> [String] {
        switch (keyword, wanted) {
        case ("required", .array(let names)):
            return names.filter { name in
                guard case .string(let name) = name else { return true }
                return fields[name] == nil
            }.map { "\(place) lacks \($0.text)" }
        case ("properties", .object(let properties)):
            return properties.sorted { $0.key < $1.key }.flatMap { key, schema in
                fields[key].map { check($0, schema, "\(place).\(key)") } ?? []
            }
        case ("patternProperties", .object(let properties)):
            return fields.sorted { $0.key < $1.key }.flatMap { key, value in
                properties.filter { fits(key, $0.key) }
                    .flatMap { check(value, $0.value, "\(place).\(key)") }
            }
        case ("additionalProperties", .bool(false)):
            var known: [String: JSONValue] = [:]
            if case .object(let properties)? = keywords["properties"] { known = properties }
            var others: [String: JSONValue] = [:]
            if case .object(let properties)? = keywords["patternProperties"] { others = properties }
            return fields.keys.sorted().filter { key in
                known[key] == nil && !others.keys.contains { fits(key, $0) }
            }.map { "\(place).\($0)" }
        default: return []
        }
    }

    private func array(
        _ values: [JSONValue],
        _ keyword: String,
        _ wanted: JSONValue,
        _ place: String
    ) -> [String] {
        switch (keyword, wanted) {
        case ("items", _):
            values.enumerated().flatMap { check($0.element, wanted, "\(place)[\($0.offset)]") }
        case ("minItems", .number(let limit)): Double(values.count) < limit ? [place] : []
        case ("maxItems", .number(let limit)): Double(values.count) > limit ? [place] : []
        case ("uniqueItems", .bool(true)): Set(values).count == values.count ? [] : [place]
        default: []
        }
    }

    private func scalar(
        _ value: JSONValue,
        _ keyword: String,
        _ wanted: JSONValue,
        _ place: String
    ) -> [String] {
        let isFine: Bool
        switch (keyword, wanted, value) {
        case ("type", .string(let type), _): isFine = Self.isOf(type, value)
        case ("enum", .array(let allowed), _): isFine = allowed.contains(value)
        case ("const", _, _): isFine = value == wanted
        case ("minimum", .number(let limit), .number(let number)): isFine = number >= limit
        case ("maximum", .number(let limit), .number(let number)): isFine = number <= limit
        case ("minLength", .number(let limit), .string(let text)):
            isFine = Double(text.unicodeScalars.count) >= limit
        case ("maxLength", .number(let limit), .string(let text)):
            isFine = Double(text.unicodeScalars.count) <= limit
        case ("pattern", .string(let pattern), .string(let text)): isFine = fits(text, pattern)
        case ("allOf", .array(let all), _): return all.flatMap { check(value, $0, place) }
        default:
            if !Self.known.contains(keyword) { unknownKeywords.insert(keyword) }
            isFine = true
        }
        return isFine ? [] : [place]
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
            ("number", .number):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }

    /// Whether a text fits a pattern; each pattern of the schema is from `^` to `$`.
    private func fits(_ text: String, _ pattern: String) -> Bool {
        if patterns[pattern] == nil { patterns[pattern] = try? Regex(pattern) }
        guard let regex = patterns[pattern] else { return false }
        return (try? regex.wholeMatch(in: text)) != nil
    }

    private static let known: Set = [
        "$defs", "$ref", "$schema", "additionalProperties", "allOf", "const", "description", "enum",
        "if", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum",
        "pattern", "patternProperties", "properties", "required", "then", "title", "type",
        "uniqueItems",
    ]
}
