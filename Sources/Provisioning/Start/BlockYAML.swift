/// The part of YAML that Raspberry Pi Imager writes: maps and lists by indentation, and texts.
///
/// Block texts (`|`, `>`) are passed over.
///
/// Anchors, tags, flow collections and several documents are not known: such values stay text.
indirect enum BlockYAML: Hashable {
    case text(String, line: Int)
    case map([String: BlockYAML])
    case list([BlockYAML])

    /// Maps and lists in each other; what is deeper is left out.
    private static let depthMax = 16

    private struct Line {
        var indent: Int
        var text: Substring
        let number: Int
    }

    init(_ lines: [PlainLines.Line]) {
        var rest = lines.compactMap { line -> Line? in
            let text = line.text.drop { $0 == " " }
            guard !text.isEmpty, text.first != "#", text.first != "\t" else { return nil }
            let indent = line.text.count - text.count
            return Line(indent: indent, text: text, number: line.number)
        }[...]
        self = .map([:])
        // The rest of a damaged file is skipped, too.
        while let first = rest.first {
            let part = Self.block(&rest, first.indent, 0)
            if case .map(let fields) = part, case .map(let known) = self {
                self = .map(known.merging(fields) { $1 })
            }
        }
    }

    /// The value of a key; nil where this is no map or lacks the key.
    subscript(_ key: String) -> BlockYAML? {
        guard case .map(let fields) = self else { return nil }
        return fields[key]
    }

    var items: [BlockYAML] {
        guard case .list(let items) = self else { return [] }
        return items
    }

    /// Takes the lines that are indented by `indent`, with all that is below them.
    private static func block(
        _ rest: inout ArraySlice<Line>,
        _ indent: Int,
        _ depth: Int
    ) -> BlockYAML {
        guard let first = rest.first, depth < depthMax else {
            skip(&rest, indent - 1)
            return .map([:])
        }
        return isItem(first.text)
            ? list(&rest, indent, depth) : map(&rest, indent, depth)
    }

    private static func isItem(_ text: Substring) -> Bool { text == "-" || text.hasPrefix("- ") }

    private static func list(
        _ rest: inout ArraySlice<Line>,
        _ indent: Int,
        _ depth: Int
    ) -> BlockYAML {
        var items: [BlockYAML] = []
        while var line = rest.first, line.indent == indent, isItem(line.text) {
            let content = line.text.dropFirst().drop { $0 == " " }
            guard !content.isEmpty else {
                rest.removeFirst()
                if let next = rest.first, next.indent > indent {
                    items.append(block(&rest, next.indent, depth + 1))
                }
                continue
            }
            if key(content) != nil || isItem(content) {
                // A map that begins behind the dash: its keys are indented as this one is.
                line.indent += line.text.count - content.count
                line.text = content
                rest[rest.startIndex] = line
                items.append(block(&rest, line.indent, depth + 1))
            } else {
                rest.removeFirst()
                items.append(.text(scalar(content), line: line.number))
                skip(&rest, indent)
            }
        }
        if let line = rest.first, line.indent >= indent, items.isEmpty { rest.removeFirst() }
        return .list(items)
    }

    private static func map(
        _ rest: inout ArraySlice<Line>,
        _ indent: Int,
        _ depth: Int
    ) -> BlockYAML {
        var fields: [String: BlockYAML] = [:]
        while let line = rest.first, line.indent == indent, !isItem(line.text) {
            rest.removeFirst()
            guard let (name, content) = key(line.text) else {
                skip(&rest, indent)
                continue
            }
            if content.first == "|" || content.first == ">" {
                skip(&rest, indent)
            } else if !content.isEmpty {
                fields[name] = .text(scalar(content), line: line.number)
                skip(&rest, indent)
            } else if let next = rest.first,
                next.indent > indent || (next.indent == indent && isItem(next.text))
            {
                fields[name] = block(&rest, next.indent, depth + 1)
                skip(&rest, indent)
            }
        }
        return .map(fields)
    }

    /// Leaves out what is indented further.
    private static func skip(_ rest: inout ArraySlice<Line>, _ indent: Int) {
        while let line = rest.first, line.indent > indent { rest.removeFirst() }
    }

    /// Name and value of `name: value`; the name may be quoted.
    private static func key(_ text: Substring) -> (name: String, content: Substring)? {
        if let quote = text.first, quote == "\"" || quote == "'" {
            let (name, rest) = quoted(text)
            guard let rest, rest.first == ":" else { return nil }
            return (name, rest.dropFirst().drop { $0 == " " })
        }
        var search = text[...]
        while let colon = search.firstIndex(of: ":") {
            let after = text[text.index(after: colon)...]
            if after.isEmpty || after.first == " " {
                return (String(text[..<colon]).trimmedSpace, after.drop { $0 == " " })
            }
            search = after
        }
        return nil
    }

    /// A value without its quotes, or without the comment behind it.
    private static func scalar(_ text: Substring) -> String {
        if text.first == "\"" || text.first == "'" { return quoted(text).text }
        let plain = text.firstRange(of: " #").map { text[..<$0.lowerBound] } ?? text
        return plain.trimmedSpace
    }

    /// The text within quotes, and what follows; nil when they do not end.
    private static func quoted(_ text: Substring) -> (text: String, rest: Substring?) {
        guard let quote = text.first else { return ("", nil) }
        var (value, rest) = ("", text.dropFirst())
        while let character = rest.popFirst() {
            if character == quote {
                guard quote == "'", rest.first == "'" else { return (value, rest) }
                rest.removeFirst()
                value.append("'")
            } else if character == "\\", quote == "\"", let next = rest.popFirst() {
                value += next == "n" ? "\n" : next == "t" ? "\t" : String(next)
            } else {
                value.append(character)
            }
        }
        return (value, nil)
    }
}
