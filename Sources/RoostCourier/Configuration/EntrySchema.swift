import ControlProtocol
import Profiles

/// The JSON Schema of `courier.json` for editors, made from what its readers ask for.
///
/// It describes targets and receivers; `roost-courier check` has the last word on each.
package struct EntrySchema {
    private typealias Fields = [String: JSONValue]

    private let kinds: EntryKindsReport

    package init(_ kinds: EntryKindsReport) { self.kinds = kinds }

    /// The schema as one line.
    package var text: String {
        let lists: Fields = [
            "targets": Self.list(kinds.targets), "receivers": Self.list(kinds.receivers),
        ]
        let others = ["network", "leave", "stations"].map { ($0, Self.typed("object")) }
        let properties = lists.merging(others) { first, _ in first }
            .merging(["feeds": Self.typed("array")]) { first, _ in first }
        let secret = Self.object(["secret": Self.typed("string")], requiring: ["secret"])
        return JSONValue.object([
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
            "title": .string("courier.json"), "type": .string("object"),
            "properties": .object(properties), "additionalProperties": .bool(false),
            "$defs": .object(["secret": secret]),
        ]).text
    }

    private static let secret = JSONValue.object(["$ref": .string("#/$defs/secret")])

    private static func typed(_ type: String) -> JSONValue { .object(["type": .string(type)]) }

    private static func either(_ values: JSONValue...) -> JSONValue {
        .object(["anyOf": .array(values)])
    }

    private static func list(_ kinds: [EntryKind]) -> JSONValue {
        .object([
            "type": .string("array"),
            "maxItems": .number(Double(CourierConfiguration.entryLimit)),
            "items": .object(["oneOf": .array(kinds.map(entry))]),
        ])
    }

    private static func object(_ properties: Fields, requiring keys: [String]) -> JSONValue {
        .object([
            "type": .string("object"), "properties": .object(properties),
            "required": .array(keys.map(JSONValue.string)), "additionalProperties": .bool(false),
        ])
    }

    private static func entry(_ kind: EntryKind) -> JSONValue {
        var properties = self.properties(of: kind.fields, within: "")
        properties["id"] = .object([
            "type": .string("string"), "pattern": .string("^[a-z0-9_-]{1,32}$"),
        ])
        properties["type"] = .object(["const": .string(kind.type)])
        let required = kind.fields.filter { $0.isRequired && !$0.key.contains(".") }.map(\.key)
        return object(properties, requiring: ["id", "type"] + required)
    }

    /// The options of an entry, or of an object in it, whose path ends with a point.
    private static func properties(of fields: [EntryField], within path: String) -> Fields {
        var properties: Fields = [:]
        for field in fields where field.key.hasPrefix(path) {
            let name = String(field.key.dropFirst(path.utf8.count))
            guard !name.contains(".") else { continue }
            let value: JSONValue
            if field.kind == .object {
                let inner = fields.filter { $0.key.hasPrefix("\(field.key).") && $0.isRequired }
                value = object(
                    self.properties(of: fields, within: "\(field.key)."),
                    requiring: inner.map { String($0.key.dropFirst(field.key.utf8.count + 1)) }
                )
            } else {
                value = self.value(of: field)
            }
            guard case .object(var members) = value else { continue }
            if let about = field.about { members["description"] = .string(about) }
            properties[name] = .object(members)
        }
        return properties
    }

    private static func value(of field: EntryField) -> JSONValue {
        switch field.kind {
        case .flag: typed("boolean")
        case .number: number(field)
        case .list: .object(["type": .string("array"), "items": text(field.choices)])
        case .map, .object: typed("object")
        case .secret: secret
        case .url: url(field)
        case .text where field.choices != nil: text(field.choices)
        case .text, .secretURL: either(typed("string"), secret)
        }
    }

    private static func url(_ field: EntryField) -> JSONValue {
        let schemes = "^(\((field.choices ?? []).joined(separator: "|")))://."
        // An example without a scheme: a host alone is one, too.
        let isBare = field.example.map { !$0.contains("://") } ?? false
        return .object([
            "type": .string("string"),
            "pattern": .string(isBare ? "\(schemes)|^[^/]+$" : schemes),
        ])
    }

    private static func text(_ choices: [String]?) -> JSONValue {
        choices.map { .object(["enum": .array($0.map(JSONValue.string))]) } ?? typed("string")
    }

    private static func number(_ field: EntryField) -> JSONValue {
        var members: Fields = ["type": .string(field.isWhole == true ? "integer" : "number")]
        members["minimum"] = field.low.map(JSONValue.number)
        members["maximum"] = field.high.map(JSONValue.number)
        let number = JSONValue.object(members)
        return field.choices.map { either(text($0), number) } ?? number
    }
}
