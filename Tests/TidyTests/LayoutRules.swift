extension TidyRule {
    static let layout = [deviceFolders, testPlaces, noBuildMachine, namedFiles, executables]

    private static let deviceFolders = TidyRule(
        "A device folder holds a dialect, or a driver with a decoder or machine, and its tests",
        bad: [
            device("X1", ["X1Driver.swift"], tests: ["X1DriverTests.swift"]),
            device("X1", ["X1Decoder.swift"], tests: ["X1DecoderTests.swift"]),
            device("X1", ["X1Driver.swift", "X1Machine.swift"], tests: []),
        ],
        good: [
            device("X1", ["X1Driver.swift", "X1Decoder.swift"], tests: ["X1DriverTests.swift"]),
            device("X1", ["X1Driver.swift", "X1Machine.swift"], tests: ["X1MachineTests.swift"]),
            device("X1", ["X1Dialect.swift"], tests: ["X1DialectTests.swift"]),
        ]
    ) { tree in
        let paths = Set(tree.files.map(\.path))
        let devices = Set(paths.compactMap(deviceName))
        return devices.sorted().flatMap { device in
            let (sources, tests) = ("Sources/Devices/\(device)", "Tests/DevicesTests/\(device)/")
            let name = device.split(separator: "/").last ?? ""
            let hasDecision = ["Decoder", "Machine"].contains {
                paths.contains("\(sources)/\(name)\($0).swift")
            }
            let hasTests = paths.contains { $0.hasPrefix(tests) && $0.hasSuffix("Tests.swift") }
            // A dialect decodes and decides; the driver is everybody's.
            let hasDialect = paths.contains("\(sources)/\(name)Dialect.swift")
            let hasDriver = paths.contains("\(sources)/\(name)Driver.swift")
            let missing = [
                hasDialect || hasDriver ? nil : "a driver",
                hasDialect || hasDecision ? nil : "a decoder or a machine",
                hasTests ? nil : "tests in \(tests)",
            ]
            return missing.compactMap(\.self).map {
                Finding(path: sources, line: 0, words: "lacks \($0)")
            }
        }
    }

    private static func deviceName(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard path.hasPrefix("Sources/Devices/") else { return nil }
        if parts.count == 5, parts[2] == "GPIO" { return "GPIO/\(parts[3])" }
        // Folders of code that several devices share.
        let shared: Set = ["BusLook", "GPIO", "HTTP", "Serial"]
        guard parts.count == 4, !shared.contains(String(parts[2])) else { return nil }
        return String(parts[2])
    }

    private static func device(_ name: String, _ sources: [String], tests: [String]) -> SourceTree {
        let paths =
            sources.map { "Sources/Devices/\(name)/\($0)" }
            + tests.map { "Tests/DevicesTests/\(name)/\($0)" }
        return SourceTree(files: paths.map { SourceFile(path: $0, text: "") })
    }

    private static let testPlaces = TidyRule(
        "The tests of a target are in the folder of its name",
        bad: [.file("Tests/NoveltyTests/ATests.swift", "")],
        good: [
            SourceTree(files: [
                SourceFile(path: "Sources/Station/A.swift", text: ""),
                SourceFile(path: "Tests/StationTests/ATests.swift", text: ""),
            ])
        ]
    ) { tree in
        let targets = Set(tree.files.filter { $0.isUnder("Sources/", "Lab/") }.compactMap(\.target))
        let exempt: Set = [
            "GPIOTests", "ReferenceTests", "SimulationTests", "StoreFixtures", "TestSupport",
            "TidyTests",
        ]
        return tree.files.filter { $0.isUnder("Tests/") && $0.name.hasSuffix(".swift") }.compactMap
        {
            file in
            guard let folder = file.target, !exempt.contains(folder),
                !folder.hasSuffix("Tests") || !targets.contains(String(folder.dropLast(5)))
            else { return nil }
            return Finding(path: file.path, line: 0, words: "\(folder) mirrors no target")
        }
    }

    private static let noBuildMachine = perFile(
        "No file names a folder of the machine it was written on",
        bad: [
            .file("README.md", "see /ro" + "ot/notes"),
            .file("Sources/Station/A.swift", "// /wo" + "rk/shared/x"),
            .file("scripts/test", "cd /ho" + "me/me/roost"),
        ],
        good: [
            .file("README.md", "see /run/roost and network/work/x, ~/roost"),
            .file("docs/guide/x.md", "cd /ho" + "me/pi/roost"),
        ]
    ) { file in
        let opens = [" ", "`", "\"", "(", "'", "="]
        let folders = ["/ro" + "ot/", "/wo" + "rk/", "/ho" + "me/", "/Us" + "ers/"]
        // Two steps, because few lines have the folders and all would be asked for the openings.
        return file.lineFindings(folders, "names a folder of one machine").filter { finding in
            // The usual home of a Raspberry Pi counts as the reader's.
            let line = file.lines[finding.line - 1].replacing("/ho" + "me/pi/", with: "~/")
            return folders.contains { folder in
                line.hasPrefix(folder) || opens.contains { line.contains($0 + folder) }
            }
        }
    }

    private static let namedFiles = TidyRule(
        "Every file that a document names is there",
        bad: [
            .file("README.md", "run `scripts/nothing --quick`"),
            .file("README.md", "run `scripts/check nothing --quick`"),
            .file("ARCHITECTURE.md", "see `Sources/Station/Gone.swift`."),
        ],
        good: [
            .file("README.md", "run `README.md` and `swift build`, or `scripts/*`"),
            SourceTree(
                files: ["Sources/Station/A.swift", "ARCHITECTURE.md"].map {
                    SourceFile(
                        path: $0,
                        text: "see `Sources/Station/A.swift` in `Sources/Station/`"
                    )
                }
            ),
        ]
    ) { tree in
        let paths = Set(tree.files.map(\.path))
        var folders = Set<String>()
        for path in paths {
            let parts = path.split(separator: "/")
            for count in 1..<max(1, parts.count) {
                folders.insert(parts.prefix(count).joined(separator: "/"))
            }
        }
        return tree.files.filter { $0.name.hasSuffix(".md") }.flatMap { file in
            file.namedPaths.compactMap { path, line in
                guard !paths.contains(path), !folders.contains(path) else { return nil }
                return Finding(
                    path: file.path,
                    line: line,
                    words: "names \(path), which is not there"
                )
            }
        }
    }

    private static let executables = TidyRule(
        "Every script is executable and says what runs it",
        bad: [
            script("#!/bin/sh\n", isExecutable: false),
            script("echo\n", isExecutable: true),
        ],
        good: [script("#!/bin/sh\n", isExecutable: true)]
    ) { tree in
        let notRunnable = tree.executables.filter { !$0.value }.keys.sorted()
        let silent = tree.files.filter {
            tree.executables[$0.path] != nil && $0.lines.first?.hasPrefix("#!") != true
        }
        return notRunnable.map { Finding(path: $0, line: 0, words: "is not executable") }
            + silent.map { Finding(path: $0.path, line: 1, words: "has no #! line") }
    }

    private static func script(_ text: String, isExecutable: Bool) -> SourceTree {
        let file = SourceFile(path: "scripts/x", text: text)
        return SourceTree(files: [file], executables: ["scripts/x": isExecutable])
    }
}

extension SourceFile {
    /// The path that a quoted text begins with; a check's name means its module.
    private static func path(in quoted: Substring) -> String? {
        let parts = quoted.split(separator: " ").filter { $0 != "sudo" }
        guard parts.count > 1, parts[0] == "scripts/check", parts[1] != "together",
            parts[1].first?.isLowercase == true
        else { return parts.first.map(String.init) }
        return "Tests/system/checks/\(parts[1].replacing("-", with: "_")).py"
    }

    /// Paths in back quotes that lead into this tree; a pattern with `*` or `<` is none.
    fileprivate var namedPaths: [(path: String, line: Int)] {
        let tops = ["Sources/", "Lab/", "Tests/", "Benchmarks/", "scripts/", ".ci/"]
        return lines.enumerated().flatMap { number, line in
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            let quoted = parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            let named: [String] = quoted.compactMap { Self.path(in: $0) }
            return named.compactMap { word -> (path: String, line: Int)? in
                guard tops.contains(where: { word.hasPrefix($0) }),
                    !word.contains(where: { "*<…{".contains($0) })
                else { return nil }
                let path = word.hasSuffix("/") ? String(word.dropLast()) : word
                return (path: path, line: number + 1)
            }
        }
    }
}
