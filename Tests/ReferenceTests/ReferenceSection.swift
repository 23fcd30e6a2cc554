import FoundationEssentials

/// A part of a page that is made from the programs: the lines between `<!-- name -->` and the next
/// `<!-- end -->`.
struct ReferenceSection: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let end = "<!-- end -->"

    /// Path of the page in the repository, such as `docs/reference/api.md`.
    let file: String
    let name: String
    /// Markdown without an empty line at its ends.
    let text: String

    /// Returns a page with this text in place of what it has between the marks.
    ///
    /// - Throws: `Failure` for a page without the marks.
    func written(into page: String) throws -> String {
        let mark = "<!-- \(name) -->"
        let parts = page.split(separator: mark, omittingEmptySubsequences: false)
        guard parts.count == 2, let end = parts[1].firstRange(of: Self.end) else {
            throw Failure(description: "\(file) lacks one \(mark) … \(Self.end)")
        }
        return "\(parts[0])\(mark)\n\n\(text)\n\n\(parts[1][end.lowerBound...])"
    }

    /// Writes the text into its page.
    func write() throws {
        try Data(try written(into: try page).utf8).write(to: place)
    }

    /// The first line in which the page differs, as it has to be; nil where it is current.
    var firstStaleLine: String? {
        get throws {
            let page = try page
            let (found, wanted) = (Self.lines(page), Self.lines(try written(into: page)))
            guard found != wanted else { return nil }
            return zip(found, wanted).first { $0 != $1 }.map { String($1) } ?? "the end"
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private var place: URL {
        let own = "Tests/ReferenceTests/ReferenceSection.swift"
        return URL(filePath: #filePath.replacing(own, with: file))
    }

    private var page: String {
        get throws { String(decoding: try Data(contentsOf: place), as: UTF8.self) }
    }
}
