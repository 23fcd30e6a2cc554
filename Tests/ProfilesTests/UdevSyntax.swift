/// One `KEY{attribute}operator"value"` of a rule.
struct UdevTerm: Hashable {
    let key: String
    let attribute: String?
    let sign: String
    let value: String

    var name: String { attribute.map { "\(key){\($0)}" } ?? key }
    var isCondition: Bool { sign == "==" || sign == "!=" }
}

/// Reads as much of udev(7) as generated rules use.
enum UdevLine {
    struct Fault: Error { let line: String }

    private static let conditions: Set = ["ACTION", "SUBSYSTEM", "KERNEL", "ENV", "ATTR"]
    private static let assignments: Set = [
        "ENV", "GROUP", "MODE", "SYMLINK", "TAG", "GOTO", "LABEL",
    ]

    /// The rules of a file; comments and empty lines are none.
    static func parse(_ text: String) throws -> [[UdevTerm]] {
        try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            var (terms, rest) = ([UdevTerm](), line)
            while let term = rest.prefixMatch(
                of: #/([A-Z]+)(?:\{([^}"]+)\})?(==|!=|\+=|=)"([^"]*)"/#
            ) {
                let (_, key, attribute, sign, value) = term.output
                let isCondition = sign == "==" || sign == "!="
                guard (isCondition ? conditions : assignments).contains(String(key)) else {
                    throw Fault(line: String(line))
                }
                terms.append(
                    UdevTerm(
                        key: String(key),
                        attribute: attribute.map(String.init),
                        sign: String(sign),
                        value: String(value)
                    )
                )
                rest = rest[term.range.upperBound...]
                guard !rest.isEmpty else { return terms }
                guard rest.hasPrefix(", ") else { throw Fault(line: String(line)) }
                rest = rest.dropFirst(2)
            }
            throw Fault(line: String(line))
        }
    }
}

/// Plays rules for one device: conditions, properties, jumps and substitutions.
struct UdevMachine {
    let keys: [String: String]
    var properties: [String: String]
    private(set) var assigned: [String: [String]] = [:]

    init(keys: [String: String], properties: [String: String]) {
        (self.keys, self.properties) = (keys, properties)
    }

    mutating func play(_ rules: [[UdevTerm]]) {
        var label: String?
        for rule in rules {
            if let wanted = label {
                guard rule.contains(where: { $0.key == "LABEL" && $0.value == wanted }) else {
                    continue
                }
                label = nil
            }
            guard rule.filter(\.isCondition).allSatisfy(holds) else { continue }
            for term in rule where !term.isCondition {
                switch term.key {
                case "GOTO": label = term.value
                case "ENV": properties[term.attribute ?? ""] = expanded(term.value)
                case "LABEL": break
                default: assigned[term.key, default: []].append(expanded(term.value))
                }
            }
        }
    }

    private func holds(_ term: UdevTerm) -> Bool {
        let found = (term.key == "ENV" ? properties[term.attribute ?? ""] : keys[term.name]) ?? ""
        let fits = term.value.split(separator: "|").contains { pattern in
            Self.fits(found[...], pattern)
        }
        return fits == (term.sign == "==")
    }

    /// Shell patterns: `*`, `?` and `[0-9]`.
    private static func fits(_ text: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        switch first {
        case "*":
            return fits(text, pattern.dropFirst())
                || (!text.isEmpty && fits(text.dropFirst(), pattern))
        case "?": return !text.isEmpty && fits(text.dropFirst(), pattern.dropFirst())
        case "[":
            guard let digit = text.first, digit.isNumber, pattern.hasPrefix("[0-9]") else {
                return false
            }
            return fits(text.dropFirst(), pattern.dropFirst(5))
        default: return text.first == first && fits(text.dropFirst(), pattern.dropFirst())
        }
    }

    private func expanded(_ value: String) -> String {
        var value = value
        while let match = value.firstMatch(of: #/\$env\{([^}]+)\}/#) {
            value.replaceSubrange(match.range, with: properties[String(match.output.1)] ?? "")
        }
        return value
    }
}
