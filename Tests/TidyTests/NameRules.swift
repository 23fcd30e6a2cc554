extension TidyRule {
    static let names = [fileNames, plusNames, typeNames, oneTarget, verbs]

    /// Files of extensions and functions alone, each with the reason.
    private static let unnamed: Set<String> = [
        // Adds what udev's C structures hold to values that another target declares.
        "Sources/LinuxIO/Serial/UdevDevice.swift",
        // Reads a scenario's JSON: initialisers of `Scenario` and its parts.
        "Lab/Scenarios/Scenario/ScenarioReader.swift",
        // Two ends of one encoding, in one file.
        "Sources/Store/Journal/RecordBytes.swift",
    ]

    /// The only files that still have a plus in their names; docs/developing/circles.md says why.
    private static let plus: Set<String> = [
        "Sources/Devices/Serial/SensorSession+Sampling.swift",
        "Sources/Profiles/ProfileReader+Parts.swift",
        "Lab/Scenarios/Checker/Checker+Devices.swift",
        "Lab/Scenarios/Checker/Checker+Node.swift",
        "Lab/Scenarios/Checker/Checker+Sampling.swift",
        "Lab/Scenarios/World/Machine+Client.swift",
        "Lab/Scenarios/World/Machine+Faults.swift",
        "Lab/Scenarios/World/Machine+Owner.swift",
        "Lab/Scenarios/World/Machine+USB.swift",
        "Sources/Station/Detection/DetectionMachine+Acts.swift",
        "Sources/Station/Detection/DetectionMachine+Adoption.swift",
        "Sources/Station/Detection/DetectionMachine+Candidates.swift",
        "Sources/Station/Detection/DetectionMachine+List.swift",
    ]

    private static let fileNames = perFile(
        "A file of Sources is named after a type or function that it declares",
        bad: [
            .file("Sources/Station/A.swift", "struct B { struct A {} }"),
            .file("Sources/Station/A.swift", "extension A {}"),
        ],
        good: [
            .file("Sources/Station/A.swift", "struct B {}\npackage final class A {}"),
            .file("Sources/Station/Simulate.swift", "func simulate() {}"),
            .file("Sources/roost/Main.swift", "@main struct Roost {}"),
            .file("Tests/StationTests/A.swift", "struct B {}"),
        ]
    ) { file in
        guard file.isUnder("Sources/", "Lab/"), file.name.hasSuffix(".swift"),
            file.name != "Main.swift",
            !unnamed.contains(file.path), !plus.contains(file.path)
        else { return [] }
        let name = file.name.dropLast(".swift".count).lowercased()
        let declared = file.topNames.map { $0.name.lowercased() } + file.topFunctions
        guard !declared.contains(name) else { return [] }
        return [Finding(path: file.path, line: 0, words: "declares nothing of its name")]
    }

    /// Private words for things that the field has a term for; CONTRIBUTING lists the terms.
    private static let privateWords = [
        "Attendant", "Birth", "Book", "Desk", "Doorman", "Draft", "Judge", "Keeper", "Lacks",
        "Looks", "Materials", "Moment", "News", "Outlet", "Seats", "Shelf", "Spare",
    ]

    private static let typeNames = perFile(
        "No type is named by a private word where the field has a term",
        bad: [
            .file("Sources/Station/AlertDesk.swift", "final class AlertDesk {}"),
            .file("Tests/StationTests/A.swift", "private enum FlapJudge {}"),
        ],
        good: [
            .file("Sources/Station/Notebook.swift", "struct Notebook {}"),
            .file("Sources/Station/A.swift", "struct A { enum News {} }"),
        ]
    ) { file in
        file.topNames.compactMap { name, _ in
            guard let word = privateWords.first(where: name.hasSuffix) else { return nil }
            return Finding(path: file.path, line: 0, words: "\(name) ends in \(word)")
        }
    }

    private static let oneTarget = TidyRule(
        "No type name exists in two targets",
        bad: [
            SourceTree(files: [
                SourceFile(path: "Sources/Core/A.swift", text: "struct A {}"),
                SourceFile(path: "Lab/Fuzzing/A.swift", text: "enum A {}"),
            ])
        ],
        good: [
            SourceTree(files: [
                SourceFile(path: "Sources/Core/A.swift", text: "struct A {}"),
                SourceFile(path: "Sources/Core/B.swift", text: "struct B {}"),
                SourceFile(path: "Lab/Fuzzing/A.swift", text: "private enum A {}"),
                SourceFile(path: "Tests/CoreTests/A.swift", text: "struct A {}"),
            ]),
            SourceTree(files: [
                SourceFile(path: "Sources/roost/Main.swift", text: "@main struct Main {}"),
                SourceFile(path: "Sources/roostd/Main.swift", text: "@main struct Main {}"),
            ]),
        ]
    ) { tree in
        var targets: [String: Substring] = ["Main": ""]  // Each program has one.
        return tree.files.filter { $0.isUnder("Sources/", "Lab/") }.flatMap { file in
            let target = file.path.split(separator: "/")[1]
            return file.topNames.filter { !$0.isPrivate }.compactMap { name, _ -> Finding? in
                let known = targets[name, default: target]
                targets[name] = known
                guard known != target, name != "Main" else { return nil }
                return Finding(path: file.path, line: 0, words: "\(name) is a type of \(known)")
            }
        }
    }

    /// Verbs that do not say what a function does; CONTRIBUTING lists better ones.
    private static let vagueVerbs: Set = ["note", "take", "tell", "words"]

    private static let verbs = perFile(
        "No function is named by a verb that does not say what it does",
        bad: [
            .file("Sources/Station/A.swift", "struct A { mutating func take(_ event: Event) {} }"),
            .file("Tests/StationTests/A.swift", "func words() -> String { \"\" }"),
        ],
        good: [
            .file("Sources/Station/A.swift", "struct A { mutating func takeAll() {} }"),
            .file("Sources/Station/A.swift", "let a = b.take(1)"),
        ]
    ) { file in
        file.functions.filter { vagueVerbs.contains($0.name) }.map {
            Finding(path: file.path, line: $0.line, words: "func \($0.name)")
        }
    }

    private static let plusNames = perFile(
        "No file holds an extension that opens another file's properties",
        bad: [.file("Sources/Station/A+B.swift", "")],
        good: [.file("Sources/Station/AB.swift", ""), .file("docs/a+b.md", "")]
    ) { file in
        guard file.isUnder("Sources/", "Lab/"), file.name.contains("+"), !plus.contains(file.path)
        else {
            return []
        }
        return [Finding(path: file.path, line: 0, words: "make it a type, or part of one")]
    }
}

extension SourceFile {
    /// Types of a file's outermost level, with whether other files see them.
    var topNames: [(name: String, isPrivate: Bool)] {
        let kinds: Set = ["actor", "class", "enum", "protocol", "struct", "typealias"]
        return outermost.compactMap { index in
            guard kinds.contains(tokens[index].text), index + 1 < tokens.count,
                tokens[index + 1].text.first?.isUppercase == true
            else { return nil }
            let before = tokens[max(0, index - 2)..<index].map(\.text)
            let isPrivate = before.contains("private") || before.contains("fileprivate")
            return (tokens[index + 1].text, isPrivate)
        }
    }

    /// Functions of a file's outermost level, in lower case.
    fileprivate var topFunctions: [String] {
        outermost.compactMap { index in
            tokens[index].text == "func" && index + 1 < tokens.count
                ? tokens[index + 1].text.lowercased() : nil
        }
    }

    /// Indices of the tokens that are in no bracket.
    private var outermost: [Int] {
        var depth = 0
        return tokens.indices.filter { index in
            if ["}", ")"].contains(tokens[index].text) { depth -= 1 }
            defer { if ["{", "("].contains(tokens[index].text) { depth += 1 } }
            return depth == 0
        }
    }
}
