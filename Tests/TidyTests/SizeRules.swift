extension TidyRule {
    static let size = [functionSize, parameterNumber, fileSize, lineSize]

    private static func isProgram(_ file: SourceFile) -> Bool {
        [".swift", ".c", ".h", ".py"].contains { file.name.hasSuffix($0) }
            || file.isUnder("scripts/", ".ci/")
    }

    private static func text(lineCount: Int) -> String {
        String(repeating: "\n", count: lineCount - 1)
    }

    private static let functionSize = perFile(
        "A function has at most 60 lines",
        bad: [
            .file("Sources/Station/A.swift", "func a() {\(text(lineCount: 61))}"),
            .file("Sources/Station/A.swift", "init(x: Int) throws {\(text(lineCount: 61))}"),
        ],
        good: [
            .file("Sources/Station/A.swift", "func a() {\(text(lineCount: 60))}"),
            .file(
                "Sources/Station/A.swift",
                "protocol P { func a() }\n\(text(lineCount: 90)) f { }"
            ),
        ]
    ) { file in
        file.functions.filter { $0.lineCount > 60 }.map {
            let words = "\($0.name) has \($0.lineCount) lines, 60 are allowed"
            return Finding(path: file.path, line: $0.line, words: words)
        }
    }

    /// Memberwise initializers are exempt.
    ///
    /// Swift writes them unasked, but only at internal access: a `package` one has to be spelled
    /// out, and its length is that of the value. An `init` that does anything else is not exempt.
    private static let parameterNumber = perFile(
        "A function takes at most 6 parameters, memberwise initializers excepted",
        bad: [
            .file("A.swift", "func a(_ a: A, b: B, c: C, d: D, e: E, f: F, g: G = .init(x: 1)) {}"),
            .file("A.swift", "init(a: A, b: B, c: C, d: D, e: E, f: F, g: G) { self.a = a; go() }"),
        ],
        good: [
            .file("A.swift", "func a<T: P>(a: [A: B], b: (B, x: C) -> D = { (x: Int) in 1 }) {}"),
            .file("A.swift", "func + (a: A, b: B) -> C where C: D {}"),
            .file(
                "A.swift",
                """
                init(a: A, b: B, c: C, d: D, e: E, f: F, g: G) {
                    self.a = a
                    self.b = b
                    self.c = c
                    self.d = d
                    self.e = e
                    self.f = f
                    self.g = g
                }
                """
            ),
        ]
    ) { file in
        file.functions.filter { $0.parameterCount > 6 && !$0.isMemberwise }.map {
            let words = "\($0.name) takes \($0.parameterCount) parameters, 6 are allowed"
            return Finding(path: file.path, line: $0.line, words: words)
        }
    }

    private static let fileSize = perFile(
        "A program file has at most 400 lines",
        bad: [.file("Sources/Station/A.swift", text(lineCount: 402))],
        good: [
            .file("Sources/Station/A.swift", text(lineCount: 401)),  // 400 and the last newline.
            .file("README.md", text(lineCount: 900)),
        ]
    ) { file in
        let lineCount = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
        guard isProgram(file), lineCount > 400 else { return [] }
        return [Finding(path: file.path, line: 0, words: "has \(lineCount) lines")]
    }

    private static let lineSize = perFile(
        "A line of Swift or C has at most 100 characters",
        bad: [
            .file("Sources/Station/A.swift", "// " + String(repeating: "µ", count: 98)),
            .file("Sources/CLinux/a.c", String(repeating: "x", count: 101)),
        ],
        good: [.file("Sources/Station/A.swift", "// " + String(repeating: "µ", count: 97))]
    ) { file in
        guard [".swift", ".c", ".h"].contains(where: { file.name.hasSuffix($0) }) else { return [] }
        return file.lines.enumerated().compactMap { number, line in
            // Counting characters is slow; few lines have more than 100 bytes.
            guard line.utf8.count > 100, line.count > 100 else { return nil }
            return Finding(path: file.path, line: number + 1, words: "has \(line.count) characters")
        }
    }
}
