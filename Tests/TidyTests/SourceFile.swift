import FoundationEssentials

/// One file of the tree, read once: its text, and its Swift tokens without comments and strings.
struct SourceFile: Sendable {
    /// Relative to the root of the repository.
    let path: String
    let lines: [Substring]
    /// Tokens of the file; empty unless it is Swift.
    let tokens: [Token]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        tokens = path.hasSuffix(".swift") ? Tokenizer.tokens(of: text) : []
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The target a Swift file belongs to: `Readings` for `Sources/Core/Events/Event.swift`.
    var target: String? {
        let parts = path.split(separator: "/")
        guard parts.count > 2, ["Sources", "Lab", "Tests", "Benchmarks"].contains(parts[0]) else {
            return nil
        }
        return String(parts[1])
    }

    func isUnder(_ prefixes: String...) -> Bool { prefixes.contains { path.hasPrefix($0) } }
}

/// The files of the repository that rules look at.
struct SourceTree: Sendable {
    let files: [SourceFile]
    /// Scripts and the like that must be executable, with whether they are.
    let executables: [String: Bool]

    static let root: String = {
        // …/Tests/TidyTests/SourceFile.swift, three steps up.
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    /// This repository, read once for all tests.
    static let repository = Result { try SourceTree(readingFrom: root) }

    init(files: [SourceFile], executables: [String: Bool] = [:]) {
        self.files = files
        self.executables = executables
    }

    /// Reads the folders named here and the top of the tree, no build folder.
    private init(readingFrom root: String) throws {
        let manager = FileManager.default
        var paths = try manager.contentsOfDirectory(atPath: root)
        for folder in ["Sources", "Lab", "Tests", "Benchmarks", "docs", "scripts", ".ci"]
        where manager.fileExists(atPath: "\(root)/\(folder)") {
            paths += try manager.subpathsOfDirectory(atPath: "\(root)/\(folder)")
                .map { "\(folder)/\($0)" }
        }
        var (files, executables) = ([SourceFile](), [String: Bool]())
        for path in paths.sorted() where Self.isText(path) {
            let full = "\(root)/\(path)"
            var isDirectory = false
            guard manager.fileExists(atPath: full, isDirectory: &isDirectory), !isDirectory else {
                continue
            }
            let text = String(decoding: try Data(contentsOf: URL(filePath: full)), as: UTF8.self)
            files.append(SourceFile(path: path, text: text))
            if path.hasPrefix("scripts/") || path.hasPrefix(".ci/") {
                executables[path] = manager.isExecutableFile(atPath: full)
            }
        }
        self.init(files: files, executables: executables)
    }

    /// Programs and prose; fixtures are other people's bytes.
    private static func isText(_ path: String) -> Bool {
        guard !path.contains("/Fixtures/"), !path.contains("__pycache__") else { return false }
        if path.hasPrefix("scripts/") || path.hasPrefix(".ci/") { return true }
        let ends = [".swift", ".c", ".h", ".py", ".md", ".service", ".socket"]
        return ends.contains { path.hasSuffix($0) }
    }
}
