import Testing

/// Where a rule is broken, and how.
struct Finding: Hashable, Sendable, CustomStringConvertible {
    let path: String
    /// Line number from 1; 0 concerns the whole file.
    let line: Int
    let words: String

    var description: String { "\(path):\(line): \(words)" }
}

/// One habit of this repository that the compiler cannot check.
struct TidyRule: Sendable, CustomTestStringConvertible {
    /// A sentence.
    let name: String
    /// Everything in the tree that breaks the rule.
    let findings: @Sendable (SourceTree) -> [Finding]
    /// Trees that each break it, so that a rule which cannot fail is noticed.
    let badExamples: [SourceTree]
    /// Trees that look alike and keep it.
    let goodExamples: [SourceTree]

    var testDescription: String { name }

    init(
        _ name: String,
        bad: [SourceTree],
        good: [SourceTree],
        findings: @escaping @Sendable (SourceTree) -> [Finding]
    ) {
        self.name = name
        badExamples = bad
        goodExamples = good
        self.findings = findings
    }

    /// A rule that looks at one file at a time.
    static func perFile(
        _ name: String,
        bad: [SourceTree],
        good: [SourceTree],
        findings: @escaping @Sendable (SourceFile) -> [Finding]
    ) -> TidyRule {
        TidyRule(name, bad: bad, good: good) { $0.files.flatMap(findings) }
    }
}

extension SourceTree {
    /// A tree of one file, for examples.
    static func file(_ path: String, _ text: String) -> SourceTree {
        SourceTree(files: [SourceFile(path: path, text: text)])
    }
}

extension SourceFile {
    /// Places where the tokens stand in a row; `*` is any one token.
    func findings(of pattern: String, _ words: String) -> [Finding] {
        let wanted = pattern.split(separator: " ").map(String.init)
        return tokens.indices.compactMap { start in
            guard tokens[start].text == wanted[0], start + wanted.count <= tokens.count else {
                return nil
            }
            let isMatch = wanted.indices.dropFirst().allSatisfy {
                wanted[$0] == "*" || wanted[$0] == tokens[start + $0].text
            }
            return isMatch ? Finding(path: path, line: tokens[start].line, words: words) : nil
        }
    }

    /// Lines whose raw text, comments and strings included, contains one of the words.
    func lineFindings(_ needles: [String], _ words: String) -> [Finding] {
        let needles = needles.map { Array($0.utf8) }
        let heads = Set(needles.compactMap(\.first))
        return lines.enumerated().compactMap { number, line in
            let isHit = line.utf8.withContiguousStorageIfAvailable { bytes in
                bytes.indices.contains { index in
                    heads.contains(bytes[index])
                        && needles.contains { bytes[index...].starts(with: $0) }
                }
            }
            guard isHit == true else { return nil }
            return Finding(path: path, line: number + 1, words: words)
        }
    }
}
