extension TidyRule {
    static let words = [plainWords, firstWords]

    /// Words without a named subject, or with a figurative sense; CONTRIBUTING says what to write.
    private static let guesses = [
        "whoever", "whomever", "nobody", "nobody's", "somebody", "somebody's", "everybody",
        "everybody's", "anybody", "told", "tells", "telling", "unless told", "in words",
    ]

    private static let plainWords = perFile(
        "No comment uses a word that a reader has to guess at",
        bad: [
            .file("Sources/Station/A.swift", "/// Whoever waits is woken."),
            .file("Sources/Station/A.swift", "let a = 1  // Nobody's any more."),
            .file("docs/guide/a.md", "It says in words what is wrong."),
        ],
        good: [
            .file("Sources/Station/A.swift", "/// The task is woken.\ntold(\"nobody\")"),
            .file("Sources/Station/A.swift", "/// Calls `told` once."),
            .file("CHANGELOG.md", "- Nobody is replaced."),
            .file("docs/guide/a.md", "```\nnobody 1 root\n```\nThe user is `nobody`."),
        ]
    ) { file in
        // A changelog is history, and CONTRIBUTING names the words.
        guard !["CHANGELOG.md", "CONTRIBUTING.md"].contains(file.name),
            file.path.hasSuffix(".md") || file.isUnder("Sources/", "Lab/")
        else { return [] }
        return file.prose.compactMap { line, text in
            let words = text.lowercased().split { !($0.isLetter || $0 == "'") }
            let padded = " " + words.joined(separator: " ") + " "
            guard let word = guesses.first(where: { padded.contains(" \($0) ") }) else {
                return nil
            }
            return Finding(path: file.path, line: line, words: "says \"\(word)\"")
        }
    }

    private static let firstWords = perFile(
        "No comment begins with Of or Nil",
        bad: [
            .file("Sources/Station/A.swift", "/// Of the last boot.\nlet a = 1"),
            .file("Tests/StationTests/A.swift", "let a = 1  // Nil: there is none."),
        ],
        good: [
            .file("Sources/Station/A.swift", "/// Samples\n/// Of the last boot; nil without one."),
            .file("Sources/Station/A.swift", "let a = 1  // Often nil."),
        ]
    ) { file in
        guard file.isUnder("Sources/", "Lab/", "Tests/"), !file.isUnder("Tests/TidyTests/")
        else { return [] }
        var before: Substring = ""
        return file.lines.enumerated().compactMap { number, line in
            defer { before = line }
            let isSecond = line.hasCommentOnly && before.hasCommentOnly
            let first = line.comment.drop { $0 == "/" || $0 == " " }.prefix { $0.isLetter }
            guard !isSecond, first == "Of" || first == "Nil" else { return nil }
            return Finding(path: file.path, line: number + 1, words: "begins with \(first)")
        }
    }
}

extension Substring {
    fileprivate var hasCommentOnly: Bool { drop { $0 == " " }.starts(with: "//") }
}

extension SourceFile {
    /// Lines of comments or of a document, without quoted code.
    fileprivate var prose: [(line: Int, text: String)] {
        let isDocument = path.hasSuffix(".md")
        var isCode = false
        return lines.enumerated().compactMap { number, line in
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode else { return nil }
            let text = isDocument ? line : line.comment
            guard !text.isEmpty else { return nil }
            let plain = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
            return (number + 1, plain)
        }
    }
}

extension Substring {
    /// The text behind `//` at the start of the line or after a space; empty without a comment.
    fileprivate var comment: Substring {
        var index = startIndex
        while let slash = self[index...].firstRange(of: "//") {
            if slash.lowerBound == startIndex || self[self.index(before: slash.lowerBound)] == " " {
                return self[slash.upperBound...]
            }
            index = slash.upperBound
        }
        return self[endIndex...]
    }
}
