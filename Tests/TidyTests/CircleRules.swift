extension TidyRule {
    static let circles = [fileCircles]

    /// Circles that stay, by one file of each: docs/developing/circles.md has the reasons.
    private static let known: Set<String> = [
        "Sources/ControlProtocol/DetailRow.swift",
        "Sources/LinuxIO/Loop/EventLoop.swift",
        "Sources/LinuxIO/Network/LocalSocket.swift",
        "Lab/PowerCut/Play.swift",
        "Lab/PowerCutWorkloads/StoreCensus.swift",
        "Sources/SQLite/Connection.swift",
        "Lab/Scenarios/World/Part.swift",
        "Lab/Scenarios/Checker/Checker.swift",
        "Sources/SimulationKit/SimulatedGPIO.swift",
        "Sources/SimulationKit/SimulatedMemory.swift",
        "Sources/Station/Control/ClaimWindow.swift",
        "Sources/Station/Readings/ReadingCursor.swift",
        "Sources/Station/Detection/Station+Detection.swift",
        "Sources/Store/Journal/JournalRecordCodec.swift",
        "Sources/Store/History/HistorySchema.swift",
        "Sources/Store/Ledger/GapLedgerTimeline.swift",
        "Sources/Store/Recovery/CatalogSnapshot.swift",
        "Sources/Store/Journal/JournalAlone.swift",
        "Sources/Store/Ledger/ChannelTotals.swift",
        "Sources/Runtime/Supervision/ChildSnapshot.swift",
        "Sources/Doctor/Machine/DoctorCard.swift",
    ]

    private static let fileCircles = TidyRule(
        "Files of a target use each other in one direction",
        bad: [
            SourceTree(files: [
                SourceFile(path: "Sources/A/B.swift", text: "struct B { let c: C }"),
                SourceFile(path: "Sources/A/C.swift", text: "struct C { func f(_ b: B) {} }"),
            ])
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
        ]
    ) { tree in
        FileCircles.all(in: tree).filter { known.isDisjoint(with: $0) }.map { circle in
            let names = circle.map { $0.split(separator: "/").last ?? "" }
            return Finding(
                path: circle[0],
                line: 0,
                words: "is in a circle of \(circle.count): \(names.joined(separator: ", "))"
            )
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
