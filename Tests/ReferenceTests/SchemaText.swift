@testable import RoostWeb

/// Schemas in words for a table.
enum SchemaText {
    /// What may be left out has a `?`.
    static func text(_ members: [String: JSONSchema.Member]) -> String {
        members.sorted { $0.key < $1.key }.map { name, member in
            "`\(name)`\(member.isRequired ? "" : "?"): \(text(member.schema))"
        }.joined(separator: ", ")
    }

    static func text(_ schema: JSONSchema) -> String {
        switch schema {
        case .truth: "yes or no"
        case .integer: "integer"
        case .number: "number"
        case .text, .pattern: "text"
        case .bytes: "bytes"
        case .moment: "time"
        case .wholes(let range):
            range.upperBound == .max
                ? "from \(range.lowerBound)" : "\(range.lowerBound)…\(range.upperBound)"
        case .names(let names): names.map { "`\($0)`" }.joined(separator: " or ")
        case .list(let items, let limit):
            "list of " + text(items) + (limit.map { ", \($0) at most" } ?? "")
        case .map(let values): "object of " + text(values)
        case .object(let members): text(members)
        case .orNull(let schema): text(schema) + " or null"
        case .any(let schemas): schemas.map { text($0) }.joined(separator: " / ")
        case .reference(let name): "`\(name)`"
        }
    }
}
