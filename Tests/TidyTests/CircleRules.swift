extension TidyRule {
    static let circles = [fileCircles]

    /// The page whose table lists the circles that stay, each with all its files and the reason.
    private static let page = "docs/developing/circles.md"

    private static let fileCircles = TidyRule(
        "Files of a target use each other in one direction",
        bad: [
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B { let c: C }"),
                SourceFile(path: "Sources/A/C.swift", text: "struct C { func f(_ b: B) {} }"),
            ]),
            // One that has grown, and one that is gone.
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B { let c: C }"),
                SourceFile(path: "Sources/A/C.swift", text: "struct C { let d: D }"),
                SourceFile(path: "Sources/A/D.swift", text: "struct D { func f(_ b: B) {} }"),
                SourceFile(path: page, text: "| A | B, C | so |"),
            ]),
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B {}"),
                SourceFile(path: page, text: "| A | B, C | so |"),
            ]),
        ],
        good: [
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B { let c: C }"),
                SourceFile(path: "Sources/A/C.swift", text: "struct C {} // B"),
            ]),
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B { let c: C }"),
                SourceFile(path: "Sources/D/C.swift", text: "struct C { func f(_ b: B) {} }"),
            ]),
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B { let c: C }"),
                SourceFile(path: "Sources/A/X/C.swift", text: "struct C { func f(_ b: B) {} }"),
                SourceFile(path: page, text: "| A | C, B | so |"),
            ]),
        ]
    ) { tree in
        let circles = Set(FileCircles.all(in: tree).map(line))
        let listed = Set(tree.files.first { $0.path == page }.map(lines) ?? [])
        return circles.subtracting(listed).sorted().map {
            Finding(path: page, line: 0, words: "does not list the whole circle | \($0) |")
        }
            + listed.subtracting(circles).sorted().map {
                Finding(path: page, line: 0, words: "lists what is no whole circle: | \($0) |")
            }
    }

    /// Target and files of a circle as the page's table has them, in order of their names.
    private static func line(_ circle: [String]) -> String {
        let target = circle[0].split(separator: "/")[1]
        let names = circle.compactMap { $0.split(separator: "/").last?.dropLast(".swift".count) }
        return "\(target) | \(names.sorted().joined(separator: ", "))"
    }

    /// The table's rows in the same form.
    private static func lines(_ page: SourceFile) -> [String] {
        page.lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Target ") }.compactMap { row in
            let cells = row.split(separator: "|").map { $0.split(separator: " ") }
            guard cells.count > 1, cells[1] != ["---"] else { return nil }
            let names = cells[1].map { $0.last == "," ? $0.dropLast() : $0 }.sorted()
            return "\(cells[0].joined()) | \(names.joined(separator: ", "))"
        }
    }
}

/// Circles of files of one target, by the types that they name.
///
/// A file uses another when it names a type of that one's outermost level. Members that an
/// extension adds, free functions, nested types and names that two files declare are not seen, so
/// there are more circles than these; what is found is one.
enum FileCircles {
    /// Paths of each circle, in order.
    static func all(in tree: SourceTree) -> [[String]] {
        let sources = tree.files.filter {
            $0.isUnder("Sources/", "Lab/") && $0.name.hasSuffix(".swift")
        }
        return Dictionary(grouping: sources) { $0.target ?? "" }.values
            .flatMap { circles(of: uses(in: $0)) }
            .sorted { $0[0] < $1[0] }
    }

    /// Returns the files that declare the names that each file uses.
    private static func uses(in files: [SourceFile]) -> [String: Set<String>] {
        var places: [String: Set<String>] = [:]
        for file in files {
            for name in file.topNames where !name.isPrivate {
                places[name.name, default: []].insert(file.path)
            }
        }
        let homes = places.compactMapValues { $0.count == 1 ? $0.first : nil }
        var uses: [String: Set<String>] = [:]
        for file in files {
            let own = Set(file.topNames.map(\.name))
            let named = file.tokens.indices.compactMap { index -> String? in
                let isMember = index > 0 && file.tokens[index - 1].text == "."
                let name = file.tokens[index].text
                return isMember || own.contains(name) ? nil : homes[name]
            }
            uses[file.path] = Set(named)
        }
        return uses
    }

    /// Files that reach each other, by Kosaraju's two passes.
    private static func circles(of uses: [String: Set<String>]) -> [[String]] {
        var (order, seen) = ([String](), Set<String>())
        func visit(_ file: String, _ graph: [String: Set<String>], _ out: inout [String]) {
            guard seen.insert(file).inserted else { return }
            for next in (graph[file] ?? []).sorted() { visit(next, graph, &out) }
            out.append(file)
        }
        for file in uses.keys.sorted() { visit(file, uses, &order) }
        var users: [String: Set<String>] = [:]
        for (file, used) in uses { for other in used { users[other, default: []].insert(file) } }
        seen = []
        return order.reversed().compactMap { file in
            var circle: [String] = []
            visit(file, users, &circle)
            return circle.count > 1 ? circle.sorted() : nil
        }
    }
}
