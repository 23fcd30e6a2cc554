import Core

/// Facts of an event, or of a driver's part: an object of typed values in JSON.
package struct Details: Hashable, Sendable {
    /// By name, as in JSON.
    private var values: [String: Fact.Value] = [:]

    /// - Parameters:
    ///   - facts: Of two with one name the later counts.
    ///   - longest: Characters of a text at most.
    package init(_ facts: [Fact] = [], longest: Int = .max) {
        for fact in facts { values[fact.name] = fact.value.cut(to: longest) }
    }

    package subscript(name: String) -> Fact.Value? { values[name] }

    package var isEmpty: Bool { values.isEmpty }

    /// Every fact, in the order of their names.
    package var facts: [Fact] {
        values.sorted { $0.key < $1.key }.map { Fact($0.key, $0.value) }
    }
}

extension Fact.Value {
    fileprivate func cut(to longest: Int) -> Fact.Value {
        guard case .text(let text) = self, text.count > longest else { return self }
        return .text(String(text.prefix(longest)))
    }
}

extension Details: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { return nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for name in container.allKeys {
            values[name.stringValue] = try container.decode(Fact.Value.self, forKey: name)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in values { try container.encode(value, forKey: Name(name)) }
    }
}

extension Fact.Value: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let isSo = try? container.decode(Bool.self) {
            self = .truth(isSo)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let texts = try? container.decode([String].self) {
            self = .list(texts)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .truth(let isSo): try container.encode(isSo)
        case .list(let texts): try container.encode(texts)
        case .text(let text): try container.encode(text)
        }
    }
}
