extension TidyRule {
    static let children = [stoppedChildren]

    private static let table = "Tests/StationTests/Conformance/"
    /// The children of the courier, which is a process of its own.
    private static let courierTable = "Tests/RoostCourierTests/Conformance/"

    private static let stoppedChildren = TidyRule(
        "Every child is a row of the table that stops each of them",
        bad: [
            .file("Sources/Station/A.swift", "package actor A: Child {}"),
            .file("Sources/Devices/A/A.swift", "final class A: Sendable, OrderlyStop {}"),
            SourceTree(files: [
                SourceFile(path: "Sources/Station/A.swift", text: "extension A: SensorChild {}"),
                SourceFile(path: table + "T.swift", text: "ChildRow(B.self)"),
            ]),
        ],
        good: [
            SourceTree(files: [
                SourceFile(path: "Sources/Station/A.swift", text: "actor A: OrderlyStop {}"),
                SourceFile(path: table + "T.swift", text: "ChildRow(A.self)"),
            ]),
            .file("Sources/Runtime/A.swift", "protocol A: Child {}\nactor B: ChildLike {}"),
            .file("Sources/Station/A.swift", "func f() { struct A: Child {} }"),
        ]
    ) { tree in
        let tables = tree.files.filter { $0.isUnder(table) || $0.isUnder(courierTable) }
        let rows = Set(tables.flatMap(\.metatypes))
        return tree.files.filter { $0.isUnder("Sources/", "Lab/") }.flatMap { file in
            file.children.filter { !rows.contains($0.name) }.map {
                Finding(path: file.path, line: $0.line, words: "\($0.name) has no row")
            }
        }
    }
}

extension SourceFile {
    /// Types that are named as `A.self`.
    fileprivate var metatypes: [String] {
        tokens.indices.dropLast(2).compactMap { index in
            let isMetatype = tokens[index + 1].text == "." && tokens[index + 2].text == "self"
            return isMetatype ? tokens[index].text : nil
        }
    }

    /// Types of a file's outermost level that are declared or extended to be children.
    fileprivate var children: [(name: String, line: Int)] {
        var depth = 0
        return tokens.indices.dropLast(2).compactMap { index in
            if tokens[index].text == "{" { depth += 1 }
            if tokens[index].text == "}" { depth -= 1 }
            guard depth == 0,
                ["actor", "class", "struct", "enum", "extension"].contains(tokens[index].text),
                tokens[index + 2].text == ":"
            else { return nil }
            let list = tokens[(index + 3)...].prefix { $0.text != "{" && $0.text != "where" }
            let isChild = list.contains {
                ["Child", "OrderlyStop", "SensorChild"].contains($0.text)
            }
            return isChild ? (tokens[index + 1].text, tokens[index].line) : nil
        }
    }
}
