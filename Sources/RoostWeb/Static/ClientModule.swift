/// One module of the client, taken apart for `JoinedClient`.
///
/// It knows the few forms that the client uses: `import { a, b } from "./x.js";` on one line,
/// `import("./x.js")`, and `export` before a constant, a function or a class. Everything else
/// is refused, so that no module is joined wrongly.
struct ClientModule: Sendable {
    /// The modules that it needs before it runs.
    var imports: [String] { importing.map(\.module) }
    /// The modules that it asks for later.
    private(set) var loads: [String] = []
    /// Names that it exports.
    private(set) var names: [String] = []
    /// Its lines without comments, imports and needless spaces.
    private var body = ""
    /// What it imports: of each module the names, separated by commas.
    private(set) var importing: [(module: String, names: String)] = []

    private let file: String

    init(_ file: String, _ text: String) throws(JoinedClientError) {
        self.file = file
        var isComment = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let line = Self.trimmed(raw)
            if isComment || line.hasPrefix("/*") {
                isComment = !line.hasSuffix("*/")
                continue
            }
            guard !line.isEmpty, !line.hasPrefix("//") else { continue }
            guard line.count(where: { $0 == "`" }).isMultiple(of: 2) else {
                throw .line(file, index + 1, "a text in ` ` goes on in the next line")
            }
            let text = ScriptLine(try joined(line, at: index + 1)).text
            guard !text.isEmpty else { continue }
            // After these characters a line break means nothing, unless it ends a comment.
            let isOpen = text.last.map { ";{,".contains($0) } ?? false
            body += text + (isOpen && !text.contains("//") ? "" : "\n")
        }
    }

    /// The exported names, as an object's members.
    var list: String { names.joined(separator: ",") }

    /// Returns its code, after the imports from modules not in `first`, which are global.
    func body(knowing first: [String]) -> String {
        importing.filter { !first.contains($0.module) }
            .map { "const{\($0.names)}=$take(\"\($0.module)\");" }.joined() + body
    }

    static func trimmed(_ line: Substring) -> String {
        String(line.drop { $0 == " " || $0 == "\t" })
    }

    // MARK: Lines

    private mutating func joined(
        _ line: String,
        at number: Int
    ) throws(JoinedClientError) -> String {
        if line.hasPrefix("import {") { return try imported(line, at: number) }
        guard !line.hasPrefix("import ") else {
            throw .line(file, number, "only import { names } from \"./file.js\"; can be joined")
        }
        guard line.hasPrefix("export ") else { return loading(line) }
        let declared = String(line.dropFirst("export ".count))
        for word in ["const ", "function ", "async function ", "class "]
        where declared.hasPrefix(word) {
            let name = declared.dropFirst(word.count)
                .prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
            guard !name.isEmpty else { break }
            names.append(String(name))
            return loading(declared)
        }
        throw .line(file, number, "only export const, function or class with a name can be joined")
    }

    private mutating func imported(
        _ line: String,
        at number: Int
    ) throws(JoinedClientError) -> String {
        let halves = line.split(separator: "} from \"", maxSplits: 1)
        guard halves.count == 2, halves[1].hasSuffix("\";"), !halves[0].contains(" as ") else {
            throw .line(file, number, "only import { names } from \"./file.js\"; can be joined")
        }
        let target = resolved(halves[1].dropLast(2))
        let names = halves[0].dropFirst("import {".count).filter { $0 != " " }
        importing.append((target, names))
        return ""
    }

    /// The line with `import("./x.js")` replaced.
    private mutating func loading(_ line: String) -> String {
        let pieces = line.split(separator: "import(\"", omittingEmptySubsequences: false)
        var text = String(pieces[0])
        for piece in pieces.dropFirst() {
            let target = resolved(piece.prefix { $0 != "\"" })
            loads.append(target)
            text += "$load(\"\(target)" + piece.drop { $0 != "\"" }
        }
        return text
    }

    /// `./x.js` and `../x.js` beside this module, as a name in the client's folder.
    private func resolved(_ path: Substring) -> String {
        var folders = file.split(separator: "/").dropLast()
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = folders.popLast() } else { folders.append(part) }
        }
        return folders.joined(separator: "/")
    }
}
