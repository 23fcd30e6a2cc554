extension TidyRule {
    static let concurrency = [
        structuredConcurrency, tasksOnTheLoop, injectedTime, noSleepByC, noTraps,
    ]

    /// Where the world outside structured concurrency is met; nowhere else.
    private static func mayStartTasks(_ file: SourceFile) -> Bool {
        file.isUnder(
            "Sources/LinuxIO/",
            "Tests/LinuxIOTests/",
            "Sources/roostd/",
            "Sources/roost-web/"
        )
            || file.path == "Sources/SimulationKit/Simulate.swift"  // The one root task of tests.
    }

    private static let structuredConcurrency = perFile(
        "Unstructured tasks and Dispatch stay in LinuxIO, roostd, roost-web and Simulate.swift",
        bad: [
            .file("Sources/Station/A.swift", "Task { work() }"),
            .file("Sources/Station/A.swift", "let t = Task.detached { }"),
            .file("Sources/Station/A.swift", "Task(priority: .low) { }"),
            .file("Sources/Station/A.swift", "Task<Void, Never> { }"),
            .file("Sources/Station/A.swift", "Task.immediate { }"),
            .file("Tests/StationTests/A.swift", "DispatchQueue.main.async { }"),
            .file("Tests/StationTests/A.swift", "import Dispatch"),
        ],
        good: [
            .file("Sources/LinuxIO/A.swift", "Task { work() }"),
            .file("Sources/SimulationKit/Simulate.swift", "Task { work() }"),
            .file("Sources/Station/A.swift", "if Task.isCancelled { return } // Task { }"),
            .file("Sources/Station/A.swift", "let words = \"Task { }\""),
        ]
    ) { file in
        guard !mayStartTasks(file) else { return [] }
        let words = "starts work outside structured concurrency"
        let dispatch = file.tokens.filter { $0.text.hasPrefix("Dispatch") }
        return ["Task {", "Task (", "Task <", "Task . detached", "Task . immediate"]
            .flatMap { file.findings(of: $0, words) }
            + dispatch.map { Finding(path: file.path, line: $0.line, words: words) }
    }

    /// A loop that a test runs holds a thread of the pool; two that wait for the pool hold both.
    private static let tasksOnTheLoop = perFile(
        "A task that a test of LinuxIO starts prefers the loop",
        bad: [.file("Tests/LinuxIOTests/ATests.swift", "let read = Task { try await read() }")],
        good: [
            .file("Tests/LinuxIOTests/ATests.swift", "Task(executorPreference: loop) { work() }"),
            .file("Sources/LinuxIO/A.swift", "Task { work() }"),
        ]
    ) { file in
        guard file.isUnder("Tests/LinuxIOTests/") else { return [] }
        return ["Task {", "Task <"].flatMap { file.findings(of: $0, "runs beside the loop") }
    }

    private static let injectedTime = perFile(
        "Time comes from the NodeClock that was handed in",
        bad: [
            .file("Sources/Station/A.swift", "let now = Date()"),
            .file("Sources/Station/A.swift", "let now = Date.now"),
            .file("Tests/StationTests/A.swift", "try await Task.sleep(for: .seconds(1))"),
            .file("Sources/LinuxIO/A.swift", "let clock = ContinuousClock()"),
            .file("Sources/LinuxIO/A.swift", "let clock = SuspendingClock()"),
        ],
        good: [
            .file("Sources/Station/A.swift", "try await clock.sleep(for: .seconds(1))"),
            .file("Sources/Station/A.swift", "let date = CivilDate(daysSince1970: 1)"),
        ]
    ) { file in
        [
            "Date ( )", "Date . now", "Task . sleep", "ContinuousClock", "SuspendingClock",
        ].flatMap { file.findings(of: $0, "takes time from elsewhere") }
    }

    /// C's sleep takes one bare argument; ours have a label or none.
    private static let noSleepByC = perFile(
        "Nothing blocks the loop in sleep(3) and its kin",
        bad: [
            .file("Tests/StationTests/A.swift", "usleep(10)"),
            .file("Sources/LinuxIO/A.swift", "sleep(1)"),
            .file("Sources/LinuxIO/A.swift", "Glibc.sleep(seconds)"),
            .file("Sources/LinuxIO/A.swift", "nanosleep(&time, nil)"),
        ],
        good: [
            .file("Sources/Core/A.swift", "try await sleep(until: deadline)"),
            .file("Sources/Devices/A.swift", "try await sensor.sleep()"),
            .file("Sources/Devices/A.swift", "func sleep() async {}"),
            .file("Sources/Devices/A.swift", "case .sleep(let since): since"),
        ]
    ) { file in
        let words = "blocks the thread"
        let named = ["usleep (", "nanosleep (", "clock_nanosleep ("]
            .flatMap { file.findings(of: $0, words) }
        let bare = file.tokens.indices.dropLast(3).filter { index in
            let next = file.tokens[(index + 1)...(index + 3)].map(\.text)
            let before = index >= 2 ? file.tokens[(index - 2)..<index].map(\.text) : []
            return file.tokens[index].text == "sleep" && next[0] == "(" && next[2] == ")"
                && (before.last != "." || before.first == "Glibc") && before.last != "func"
        }
        return named
            + bare.map { Finding(path: file.path, line: file.tokens[$0].line, words: words) }
    }

    private static let noTraps = perFile(
        "No try or cast is forced",
        bad: [
            .file("Sources/Station/A.swift", "let x = try! read()"),
            .file("Tests/StationTests/A.swift", "let x = y as! Int"),
        ],
        good: [.file("Sources/Station/A.swift", "let x = try !read(); let y = z as? Int")]
    ) { file in
        // `try !isReady()` negates, `try!` forces: only the spelling tells them apart.
        let forced = file.findings(of: "try !", "forces a try").filter {
            file.lines[$0.line - 1].contains("try!")
        }
        return forced + file.findings(of: "as !", "forces a cast")
    }
}
