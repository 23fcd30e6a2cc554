import Testing

/// Rules that the compiler cannot check, checked on the source tree itself.
@Suite struct TidyTests {
    static let rules =
        TidyRule.concurrency + TidyRule.size + TidyRule.imports + TidyRule.habits + TidyRule.layout
        + TidyRule.children + TidyRule.words + TidyRule.names + TidyRule.circles

    @Test(arguments: rules)
    func holdsInThisRepository(_ rule: TidyRule) throws {
        let tree = try SourceTree.repository.get()
        let findings = rule.findings(tree)
        // A bound for the reader: the first twenty say enough.
        let words = findings.prefix(20).map(\.description).joined(separator: "\n")
        #expect(findings.isEmpty, "\(rule.name):\n\(words)")
    }

    @Test(arguments: rules)
    func findsWhatBreaksTheRule(_ rule: TidyRule) {
        #expect(!rule.badExamples.isEmpty)
        for (number, example) in rule.badExamples.enumerated() {
            #expect(!rule.findings(example).isEmpty, "bad example \(number) of: \(rule.name)")
        }
    }

    @Test(arguments: rules)
    func leavesAloneWhatKeepsTheRule(_ rule: TidyRule) {
        for (number, example) in rule.goodExamples.enumerated() {
            let findings = rule.findings(example).map(\.description)
            #expect(findings.isEmpty, "good example \(number) of: \(rule.name)")
        }
    }

    @Test func readsTheWholeTree() throws {
        let tree = try SourceTree.repository.get()
        let paths = Set(tree.files.map(\.path))
        #expect(paths.contains("Sources/Core/Reading.swift"))
        #expect(paths.contains("Tests/TidyTests/TidyTests.swift"))
        #expect(paths.contains("SECURITY.md"))
        #expect(tree.executables["scripts/test"] == true)
    }
}

@Suite struct TokenizerTests {
    @Test(arguments: [
        ("a // b\nc", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        ("x = \"a \\(f(\"b\") + c) d\" + y", ["x", "=", "\"\"", "+", "y"]),
        ("#\"a\" \\(b)\"# c", ["\"\"", "c"]),
        ("\"\"\"\n a \"b\" c\n \"\"\" d", ["\"\"", "d"]),
        ("try! f()", ["try", "!", "f", "(", ")"]),
        ("\"\\\\\" a", ["\"\"", "a"]),
        ("#if DEBUG", ["#", "if", "DEBUG"]),
    ])
    func leavesOutCommentsAndStrings(_ text: String, _ words: [String]) {
        #expect(Tokenizer.tokens(of: text).map(\.text) == words)
    }

    @Test func countsLinesThroughCommentsAndStrings() {
        let text = "/*\n\n*/ a \"\"\"\n x\n \"\"\"\n// z\nb"
        #expect(Tokenizer.tokens(of: text).map(\.line) == [3, 3, 7])
    }
}
