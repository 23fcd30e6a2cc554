/// A JSON Schema (draft 2020-12), as OpenAPI 3.1 has it.
indirect enum JSONSchema: Hashable, Sendable {
    case truth
    case integer
    case number
    case text
    /// A body that is no text.
    case bytes
    /// Whole numbers in a range.
    case wholes(ClosedRange<Int>)
    /// A text that a regular expression matches.
    case pattern(String)
    /// A time as RFC 3339 has it, or whole seconds since 1970.
    case moment
    /// One of these texts.
    case names([String])
    case list(JSONSchema, atMost: Int? = nil)
    /// An object whose keys are data.
    case map(JSONSchema)
    case object([String: Member])
    case orNull(JSONSchema)
    case any([JSONSchema])
    /// The component of this name.
    case reference(String)

    struct Member: Hashable, Sendable {
        let schema: JSONSchema
        let isRequired: Bool
    }
}

extension JSONSchema: Encodable {
    private enum Key: String, CodingKey {
        case type, items, properties, required, additionalProperties, anyOf
        case minimum, maximum, maxItems, pattern, format
        case names = "enum"
        case reference = "$ref"
    }

    func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        switch self {
        case .truth: try json.encode("boolean", forKey: .type)
        // Without the format some generators make numbers of 32 bits.
        case .integer:
            try json.encode("integer", forKey: .type)
            try json.encode("int64", forKey: .format)
        case .number:
            try json.encode("number", forKey: .type)
            try json.encode("double", forKey: .format)
        case .text: try json.encode("string", forKey: .type)
        case .bytes:
            try json.encode("string", forKey: .type)
            try json.encode("binary", forKey: .format)
        case .wholes(let range):
            try json.encode("integer", forKey: .type)
            try json.encode(range.lowerBound, forKey: .minimum)
            try json.encode(range.upperBound, forKey: .maximum)
        case .pattern(let pattern):
            try json.encode("string", forKey: .type)
            try json.encode(pattern, forKey: .pattern)
        case .moment:
            try json.encode("string", forKey: .type)
            try json.encode("date-time", forKey: .format)
        case .names(let names):
            try json.encode("string", forKey: .type)
            try json.encode(names, forKey: .names)
        case .list(let items, let limit):
            try json.encode("array", forKey: .type)
            try json.encode(items, forKey: .items)
            try json.encodeIfPresent(limit, forKey: .maxItems)
        case .map(let values):
            try json.encode("object", forKey: .type)
            try json.encode(values, forKey: .additionalProperties)
        case .object(let members):
            try json.encode("object", forKey: .type)
            try json.encode(members.mapValues(\.schema), forKey: .properties)
            let required = members.filter(\.value.isRequired).keys.sorted()
            if !required.isEmpty { try json.encode(required, forKey: .required) }
        case .orNull(let schema):
            try json.encode([Part.schema(schema), .null], forKey: .anyOf)
        case .any(let schemas): try json.encode(schemas, forKey: .anyOf)
        case .reference(let name):
            try json.encode("#/components/schemas/" + name, forKey: .reference)
        }
    }

    private enum Part: Encodable {
        case schema(JSONSchema)
        case null

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .schema(let schema): try schema.encode(to: encoder)
            case .null: try ["type": "null"].encode(to: encoder)
            }
        }
    }
}
