/// Why the client's files cannot be joined.
package enum JoinedClientError: Error, Hashable, CustomStringConvertible {
    case noModule(String)
    case circle([String])
    /// A name that two modules of the start export.
    case twice(String, [String])
    case line(String, Int, String)

    package var description: String {
        switch self {
        case .noModule(let name): "the dashboard has no \(name); install its files again"
        case .circle(let names): "modules import each other: \(names.joined(separator: ", "))"
        case .twice(let name, let files): "\(files.joined(separator: " and ")) both export \(name)"
        case .line(let name, let line, let words): "\(name), line \(line): \(words)"
        }
    }
}
