/// Why the client's files cannot be joined.
package enum JoinedClientError: Error, Hashable, CustomStringConvertible {
    case noModule(String)
    /// A name that a module imports and the other one does not export.
    case noName(String, of: String, in: String)
    case circle([String])
    /// A name that two modules of the start export.
    case twice(String, [String])
    case line(String, Int, String)

    package var description: String {
        switch self {
        case .noModule(let name): "the dashboard has no \(name); install its files again"
        case .noName(let name, let target, let file):
            "\(file) imports \(name), which \(target) does not export"
        case .circle(let names): "modules import each other: \(names.joined(separator: ", "))"
        case .twice(let name, let files): "\(files.joined(separator: " and ")) both export \(name)"
        case .line(let name, let line, let words): "\(name), line \(line): \(words)"
        }
    }
}
