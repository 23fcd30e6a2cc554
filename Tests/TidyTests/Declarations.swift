/// A function or initializer as the tokens show it.
struct FunctionShape: Hashable, Sendable {
    /// `init`, or the function's name.
    let name: String
    let line: Int
    let parameterCount: Int
    /// Lines from `func` to the closing brace; 0 for a requirement without a body.
    let lineCount: Int
    /// Whether it is an `init` with nothing but `self.x = x`.
    let isMemberwise: Bool
}

extension SourceFile {
    /// All functions and initializers, nested ones too.
    var functions: [FunctionShape] {
        tokens.indices.compactMap { index in
            let isFunction = tokens[index].text == "func"
            let isInit = tokens[index].text == "init" && text(at: index - 1) != "."
            return isFunction || isInit ? shape(at: index, isFunction: isFunction) : nil
        }
    }

    private func text(at index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    private func shape(at start: Int, isFunction: Bool) -> FunctionShape? {
        // Past the generic clause to the parameters; an operator's name may hold `<`.
        var open = start + (isFunction ? 2 : 1)
        while open < tokens.count, text(at: open) != "(" {
            if text(at: open) == "{" || text(at: open) == "}" { return nil }
            open += 1
        }
        guard let close = matching(open) else { return nil }
        let body = bodyStart(after: close)
        let end = body.flatMap(matching)
        let lineCount = end.map { tokens[$0].line - tokens[start].line + 1 } ?? 0
        let count = parameterCount(open, close)
        return FunctionShape(
            name: isFunction ? text(at: start + 1) : "init",
            line: tokens[start].line,
            parameterCount: count,
            lineCount: lineCount,
            isMemberwise: !isFunction && isMemberwise(body: body, end: end, count: count)
        )
    }

    /// The bracket that closes the one at `open`.
    private func matching(_ open: Int) -> Int? {
        var depth = 0
        for index in open..<max(open, tokens.count) {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return index }
            default: continue
            }
        }
        return nil
    }

    /// Counts parameters: each has one colon outside inner brackets.
    private func parameterCount(_ open: Int, _ close: Int) -> Int {
        var (depth, count) = (0, 0)
        for token in tokens[open...close] {
            switch token.text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case ":" where depth == 1: count += 1
            default: continue
            }
        }
        return count
    }

    /// The `{` of the body, or nil for a requirement in a protocol.
    private func bodyStart(after close: Int) -> Int? {
        let endings: Set = [
            "}", "func", "init", "var", "let", "subscript", "associatedtype", "typealias", "static",
            "mutating", "package", "private", "nonisolated", "extension", "struct", "enum",
        ]
        for index in (close + 1)..<max(close + 1, tokens.count) {
            if tokens[index].text == "{" { return index }
            if endings.contains(tokens[index].text) { return nil }
        }
        return nil
    }

    private func isMemberwise(body: Int?, end: Int?, count: Int) -> Bool {
        guard let body, let end, end - body - 1 == count * 5 else { return false }
        return (0..<count).allSatisfy { number in
            let words = tokens[(body + 1 + number * 5)...].prefix(5).map(\.text)
            return words[0] == "self" && words[1] == "." && words[3] == "=" && words[2] == words[4]
        }
    }
}
