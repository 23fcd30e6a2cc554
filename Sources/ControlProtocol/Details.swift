import Core

/// Details of an event, or of a driver's part: an object of typed values in JSON.
///
/// The station keeps both as pairs of text, in the order they read. One table maps such pairs to
/// typed values: `laser time` with `12 s` is `laserSeconds` with 12. A pair that is not in the
/// table, or whose text does not have the table's format, stays text.
package struct Details: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case number(Double)
        case truth(Bool)
        case list([String])
        case text(String)
    }

    /// By name, as in JSON.
    private var values: [String: Value] = [:]

    /// - Parameters:
    ///   - pairs: As the station has them; of two with one key the later counts.
    ///   - longest: Characters of a text at most.
    package init(_ pairs: [Event.Detail] = [], longest: Int = .max) {
        for pair in pairs { append(pair, longest) }
    }

    package subscript(name: String) -> Value? { values[name] }

    package var isEmpty: Bool { values.isEmpty }

    /// Pairs for people, in the order of the table: `laser time` and `12 s`.
    package var pairs: [Event.Detail] {
        values.map { ($0.key, $0.value) }
            .sorted { (Self.place($0.0), $0.0) < (Self.place($1.0), $1.0) }
            .map { name, value in
                let row = DetailRow.byName[name]
                return Event.Detail(
                    row?.label ?? Self.text(name),
                    value.text + (row?.kind.unit ?? "")
                )
            }
    }

    /// Text for people in one line: `restarts=1 reason=disconnected`.
    package var line: String { pairs.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }

    private mutating func append(_ pair: Event.Detail, _ longest: Int) {
        let text = String(pair.value.prefix(longest))
        guard let row = DetailRow.byLabel[pair.key] else {
            values[Self.name(pair.key)] = .text(text)
            return
        }
        if row.kind == .known, text == "unknown" { return }
        if let value = row.kind.value(of: text) {
            values[row.name] = value
        } else {
            values[Self.name(pair.key)] = .text(text)
        }
    }

    private static func place(_ name: String) -> Int {
        DetailRow.byName[name]?.place ?? DetailRow.all.count
    }

    /// `last trouble` as `lastTrouble`.
    private static func name(_ label: String) -> String {
        let words = label.split { !$0.isLetter && !$0.isNumber }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return (words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "")
            + rest.joined()
    }

    /// `lastTrouble` as `last trouble`.
    private static func text(_ name: String) -> String {
        var words = ""
        for character in name {
            if character.isUppercase { words += " " }
            words += character.lowercased()
        }
        return words
    }
}

extension Details.Value {
    /// Text for people.
    package var text: String {
        switch self {
        case .number(let number):
            guard number == number.rounded(), abs(number) < 9e15 else {
                return Measured(number, decimals: 3).description
            }
            return String(Int64(number))
        case .truth(let isSo): return isSo ? "yes" : "no"
        case .list(let texts): return texts.joined(separator: ", ")
        case .text(let text): return text
        }
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
            values[name.stringValue] = try container.decode(Value.self, forKey: name)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in values { try container.encode(value, forKey: Name(name)) }
    }
}

extension Details.Value: Codable {
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
