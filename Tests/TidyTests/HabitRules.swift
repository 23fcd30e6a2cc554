extension TidyRule {
    static let habits = [noPrint, noPublic, noUnfinished, noStartLimit, oneFileOpener]

    private static let noStartLimit = perFile(
        "A unit that is started again is so without an end: a station is alone for months",
        bad: [
            .file("packaging/a.service", "[Unit]\n[Service]\nRestart=on-failure\n"),
            .file("packaging/a.socket", "[Socket]\nListenStream=80\n"),
        ],
        good: [
            .file("packaging/a.service", "StartLimitIntervalSec=0\n[Service]\nRestart=always\n"),
            .file("packaging/a.service", "[Service]\nType=oneshot\n"),
            .file("packaging/a.socket", "[Socket]\nTriggerLimitIntervalSec=0\n"),
        ]
    ) { file in
        let isRestarted = file.lines.contains { $0.hasPrefix("Restart=") && $0 != "Restart=no" }
        let isSocket = file.path.hasSuffix(".socket")
        let isRule = isSocket || file.path.hasSuffix(".service") && isRestarted
        guard file.isUnder("packaging/"), isRule else { return [] }
        let wanted = isSocket ? "TriggerLimitIntervalSec=0" : "StartLimitIntervalSec=0"
        guard !file.lines.contains(wanted[...]) else { return [] }
        return [Finding(path: file.path, line: 0, words: "lacks \(wanted)")]
    }

    /// Targets and files that open something by hand.
    private static let openers = [
        // The one place for files.
        "Sources/FileIO/",
        // Devices, locks, and the blocks of a preallocated file.
        "Sources/LinuxIO/",
        // Pages of a database that is damaged, below what simulated power cuts replace.
        "Sources/Store/",
        // Video devices.
        "Sources/Eyes/Camera/",
        // A terminal or pipe of lamp letters.
        "Sources/LinuxPlatform/LinuxPlatform.swift",
        // A block device.
        "Sources/ProvisioningIO/LinuxUpdateCard.swift",
        // The flags of a file that a child opens.
        "Sources/roost/Demo/ChildProcess.swift",
        // A sector table and a ring that must not be there yet.
        "Sources/roost/Store/Partition/",
        // A lock.
        "Sources/roost/Update/UpdateInstallCommand.swift",
    ]

    private static let oneFileOpener = perFile(
        "Files are opened, listed and replaced by FileIO, and by hand only where the list says so",
        bad: [
            .file("Sources/RoostWeb/A.swift", "let raw = open(path, O_RDONLY | O_CLOEXEC)"),
            .file("Sources/Doctor/A.swift", "let flags = O_WRONLY"),
            .file("Sources/Eyes/A.swift", "let stream = opendir(path)"),
        ],
        good: [
            .file("Sources/RoostWeb/A.swift", "let file = try open(path)"),
            .file("Sources/LinuxIO/A.swift", "let raw = open(path, O_RDWR)"),
            .file("Lab/PowerCut/A.swift", "let raw = open(path, O_RDWR)"),
            .file("Tests/StoreTests/A.swift", "let stream = opendir(path)"),
        ]
    ) { file in
        guard file.isUnder("Sources/"), !openers.contains(where: file.path.hasPrefix) else {
            return []
        }
        return ["O_RDONLY", "O_WRONLY", "O_RDWR", "opendir"].flatMap { word in
            file.findings(of: word, "opens by hand: use Files of FileIO")
        }
    }

    private static let noPrint = perFile(
        "Only the command line prints; the others log or return",
        bad: [
            .file("Sources/Station/A.swift", "print(value)"),
            .file("Sources/roostd/A.swift", "debugPrint(value)"),
            .file("Tests/StationTests/A.swift", "dump(value)"),
        ],
        good: [
            .file("Sources/roost/A.swift", "print(value)"),
            .file("Benchmarks/RoostBench/A.swift", "print(value)"),
            .file("Sources/Station/A.swift", "printer.print(value) // print(value)"),
        ]
    ) { file in
        guard
            !file.isUnder(
                "Sources/roost/",
                "Lab/roost-lab/",
                "Sources/roost-web/",
                "Sources/ClientSupport/",
                "Benchmarks/"
            )
        else { return [] }
        return ["print", "debugPrint", "dump"].flatMap { name in
            file.tokens.indices.dropLast().filter { index in
                file.tokens[index].text == name && file.tokens[index + 1].text == "("
                    && (index == 0 || ![".", "func"].contains(file.tokens[index - 1].text))
            }
            .map { Finding(path: file.path, line: file.tokens[$0].line, words: "prints") }
        }
    }

    private static let noPublic = perFile(
        "Nothing is public: there is one package",
        bad: [
            .file("Sources/Station/A.swift", "public struct A {}"),
            .file("Tests/StationTests/A.swift", "open class A {}"),
        ],
        good: [.file("Sources/Station/A.swift", "package struct A {} // public\nport.open()")]
    ) { file in
        file.findings(of: "public", "is public") + file.findings(of: "open class", "is open")
    }

    private static let noUnfinished = perFile(
        "No file keeps a note to finish it later",
        bad: [
            .file("Sources/Station/A.swift", "// TO" + "DO: more"),
            .file("README.md", "FIX" + "ME"),
            .file("Sources/Station/Placeholder.swift", ""),
        ],
        good: [.file("Sources/Station/A.swift", "let today = toDo()")]
    ) { file in
        let notes = ["TO" + "DO", "FIX" + "ME"]
        let placeholder =
            file.name.contains("Place" + "holder")
            ? [Finding(path: file.path, line: 0, words: "holds a place")] : []
        return file.lineFindings(notes, "is a note to finish it later") + placeholder
    }
}
