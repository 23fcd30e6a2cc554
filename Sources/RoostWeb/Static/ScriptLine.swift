/// One line of a script without needless spaces.
///
/// The joined script is five per cent smaller by gzip without them. Texts, templates and regular
/// expressions stay unchanged; a template may hold code, and that code templates.
struct ScriptLine {
    private enum Context {
        /// Code, with the number of braces that are open in it.
        case code(braces: Int)
        case template
    }

    private(set) var text = ""
    private var contexts: [Context] = [.code(braces: 0)]
    private var hasSpace = false

    /// - Parameter line: A whole line without comments; its texts and templates end on it.
    init(_ line: String) {
        let characters = Array(line)
        var index = 0
        while index < characters.count {
            index = scan(characters, at: index)
        }
    }

    private mutating func scan(_ all: [Character], at index: Int) -> Int {
        let character = all[index]
        guard case .code(let braces) = contexts.last else { return takeTemplate(all, at: index) }
        switch character {
        case " ", "\t": hasSpace = true
        case "\"", "'": return copy(all, from: index, to: Self.end(of: all, at: index))
        case "/" where startsRegex: return copy(all, from: index, to: Self.end(of: all, at: index))
        case "`":
            add(character)
            contexts.append(.template)
        case "{":
            add(character)
            contexts[contexts.count - 1] = .code(braces: braces + 1)
        case "}" where braces == 0 && contexts.count > 1:
            add(character)
            contexts.removeLast()
        case "}":
            add(character)
            contexts[contexts.count - 1] = .code(braces: braces - 1)
        default: add(character)
        }
        return index + 1
    }

    private mutating func takeTemplate(_ all: [Character], at index: Int) -> Int {
        let next = index + 1 < all.count ? all[index + 1] : nil
        text.append(all[index])
        switch (all[index], next) {
        case ("\\", let next?):
            text.append(next)
            return index + 2
        case ("$", "{"):
            text.append("{")
            contexts.append(.code(braces: 0))
            return index + 2
        case ("`", _): contexts.removeLast()
        default: break
        }
        return index + 1
    }

    /// Adds a character of code, and the space before it where two words would grow together.
    private mutating func add(_ character: Character) {
        if hasSpace, let last = text.last {
            let isSign = last == character && "+-".contains(last)
            if isSign || Self.isWord(last) && Self.isWord(character) { text.append(" ") }
        }
        hasSpace = false
        text.append(character)
    }

    private mutating func copy(_ all: [Character], from first: Int, to end: Int) -> Int {
        hasSpace = false
        text.append(contentsOf: all[first..<end])
        return end
    }

    /// Whether a slash here begins a regular expression: after no value.
    private var startsRegex: Bool {
        guard let last = text.last else { return true }
        return "(,=:[!&|?{};><+-*%~^".contains(last) || text.hasSuffix("return")
    }

    /// The place after the text or regular expression that begins at `first`.
    private static func end(of all: [Character], at first: Int) -> Int {
        var (index, isInClass) = (first + 1, false)
        while index < all.count {
            switch all[index] {
            case "\\": index += 1
            case "[" where all[first] == "/": isInClass = true
            case "]": isInClass = false
            case all[first] where !isInClass: return index + 1
            default: break
            }
            index += 1
        }
        return all.count
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_$#".contains(character)
    }
}
