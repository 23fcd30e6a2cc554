/// The words of one line of a shell script, with its quotes taken off.
enum ShellWords {
    /// - Returns: Nil for a line whose quotes do not end, or that has more than plain words:
    ///   variables, pipes, substitutions.
    static func split(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var rest = Substring(line)
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t":
                if let done = word { words.append(done) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { return nil }
                word = (word ?? "") + rest[..<end]
                rest = rest[rest.index(after: end)...]
            case "\"":
                guard let text = quoted(&rest) else { return nil }
                word = (word ?? "") + text
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? "") + String(next)
            case "#" where word == nil: return words
            case "$", "`", "|", "&", ";", "<", ">", "(", ")": return nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let done = word { words.append(done) }
        return words
    }

    /// Reads up to the closing quotation mark.
    private static func quoted(_ rest: inout Substring) -> String? {
        var text = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return text
            case "$", "`": return nil
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                text += "\\\"$`".contains(next) ? String(next) : "\\\(next)"
            default: text.append(character)
            }
        }
        return nil
    }
}
