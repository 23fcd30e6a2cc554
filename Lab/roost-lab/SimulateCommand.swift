import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import LinuxIO
import Profiles
import Scenarios

/// Simulates a station for each seed, and exits with 1 if a run (a *life*) breaks a promise.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Lives months of a whole station in seconds, and checks what it promises.",
        discussion: """
            The station's own code runs on a simulated machine: sensors, adapters, card, clock and
            power fail as the scenario says, the same way for the same seed. Afterwards a checker
            that knows nothing of the station's inside says which promises were kept, by what a
            client saw and by the files on the simulated card.

            Exit codes: 0 every promise was kept, 1 one was not, 64 wrong usage.

            Examples: roost-lab simulate --list
                      roost-lab simulate --scenario quiet-year --for 365d
                      roost-lab simulate --scenario everything --for 30d --seed 7 --runs 5
                      roost-lab simulate --scenario mine.json --for 90d --json
            """
    )

    @Flag(help: "List the scenarios.")
    var list = false

    @Flag(help: "List every kind of fault and its area.")
    var kinds = false

    @Option(help: "One of the list, or a file.")
    var scenario: String?

    @Option(name: .customLong("for"), help: "Simulated time.")
    var length = DurationArgument(.days(30))

    @Option(help: "Seed of weather, people and faults.")
    var seed: UInt64 = 1

    @Option(help: "Lives, each with the next seed.")
    var runs = 1

    @Option(help: "Only these faults of the plan, by number: 3,17 or none.")
    var only: String?

    @Option(help: "Of the promises that are broken, look for a smaller life for this one: P7.")
    var promise: String?

    @Flag(help: "Do not look for a smaller life that fails.")
    var noShrink = false

    @Flag(help: "Print JSON, one line for each life.")
    var json = false

    @Option(help: "Write everything that happens into a file.")
    var log: String?

    @Flag(help: "Leave the card's files, for roost ledger and roost store check, and say where.")
    var keep = false

    func validate() throws {
        guard list || kinds || scenario != nil else {
            throw ValidationError("name a --scenario, or ask for the --list")
        }
        guard (1...100_000).contains(runs) else {
            throw ValidationError("--runs is 1 to 100000, not \(runs)")
        }
        guard length.duration >= .hours(2) else { throw ValidationError("--for is 2h at least") }
        if only != nil, chosen == nil {
            throw ValidationError("--only expects numbers such as 3,17, or none")
        }
        guard log == nil || runs == 1 else { throw ValidationError("--log is for one life") }
    }

    private var chosen: Set<Int>? {
        guard let only else { return nil }
        if only == "none" { return [] }
        let numbers = only.split(separator: ",").map { Int($0) }
        return numbers.contains(nil) ? nil : Set(numbers.compactMap(\.self))
    }

    func run() throws {
        if list { return try reportAll() }
        if kinds {
            for kind in FaultKind.all { Output.line("\(kind.rawValue) \(kind.area.rawValue)") }
            return
        }
        let scenario = try Self.read(scenario ?? "")
        var failedCount = 0
        for number in 0..<runs {
            let order = Life.Order(
                seed: seed &+ UInt64(number),
                length: length.duration,
                only: chosen
            )
            if try !live(scenario, order) { failedCount += 1 }
        }
        if failedCount > 0 { throw ExitCode(1) }
    }

    private func reportAll() throws {
        for file in ShippedScenarios.files {
            let name = String(file.path.dropLast(5))
            guard let scenario = try ShippedScenarios.scenario(name) else { continue }
            Output.line(name.column(16) + scenario.about)
        }
    }

    private static func read(_ name: String) throws -> Scenario {
        if let shipped = try ShippedScenarios.scenario(name) { return shipped }
        guard name.contains("/") || name.hasSuffix(".json") else {
            let known = ShippedScenarios.files.map { String($0.path.dropLast(5)) }
            let meant = Spelling.nearest(to: name, among: known)
            let hint = meant.map { "; did you mean \($0)?" } ?? "; see roost-lab simulate --list"
            throw ClientFailure(message: "there is no scenario \(name)\(hint)", exitCode: 1)
        }
        let text = try FileBytes.read(name, limit: Scenario.byteLimit)
        do { return try Scenario.read(text, file: name) } catch {
            throw ClientFailure(message: "\(error)", exitCode: 1)
        }
    }

    /// Runs one life, prints its report, and shrinks it if it fails; false for a broken promise.
    private func live(_ scenario: Scenario, _ order: Life.Order) throws -> Bool {
        let line = try ProgressLine()
        defer { line.finish() }
        var life = Life(scenario, order)
        var lines: [String] = []
        if log != nil { life.log = { lines.append($0) } }
        if keep {
            life.keepFiles = { Output.error("the card's files are in \($0)") }
        }
        life.progress = { share in
            line.show("simulate: \(scenario.name) seed \(order.seed), \(Int(share * 100)) %")
        }
        var slowest: Duration = .zero
        life.stopwatch = { .boot.advanced(by: ProcessFigures.cpuTime()) }
        life.openingTook = { slowest = max(slowest, $0) }
        let report = try life.run()
        if let log { try FileBytes.put(Array((lines.joined(separator: "\n") + "\n").utf8), log) }
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for text in SimulateText.lines(report, seconds: line.elapsed, opening: slowest) {
                Output.line(text)
            }
        }
        guard !report.failures.isEmpty else { return true }
        let name = self.scenario ?? scenario.name
        guard !noShrink, order.only == nil else {
            Output.error("a promise was broken; to see it again:\n    " + command(order, name))
            return false
        }
        var shrinker = Shrinker(scenario, order, report, promise: promise) { progress in
            line.show(
                "simulate: shrinking, life \(progress.triedCount) of \(Shrinker.lifeMax) at most, "
                    + "\(progress.faultCount) faults in \(Int(progress.length.inSeconds / 3_600)) h"
            )
        }
        let found = try shrinker.smallest()
        line.finish()
        show(found, from: report, name)
        return false
    }

    private func show(_ found: Shrinker.Found, from report: LifeReport, _ name: String) {
        func text(_ report: LifeReport) -> String {
            "\(report.plannedFaultCount) faults in \((report.days * 10).rounded() / 10) days"
        }
        var lines = [
            "a promise was broken, by \(text(report)); the smallest of "
                + "\(found.triedCount) lives tried since has \(text(found.report))"
        ]
        for verdict in found.report.failures {
            lines.append("\(verdict.promise): \(verdict.failure ?? "")")
        }
        lines += ["to see it again:", command(found.order, name)]
        Output.error(lines.joined(separator: "\n    "))
    }

    private func command(_ order: Life.Order, _ name: String) -> String {
        let seconds = Int(order.length.inSeconds.rounded(.up))
        var words = "roost-lab simulate --scenario \(name) --for \(seconds)s --seed \(order.seed)"
        if let only = order.only {
            let numbers = only.sorted().map { "\($0)" }.joined(separator: ",")
            words += " --only " + (numbers.isEmpty ? "none" : numbers)
        }
        return words
    }
}

/// Formats the report of a life for the terminal.
enum SimulateText {
    static func lines(
        _ report: LifeReport,
        seconds: Double,
        opening: Duration
    ) -> [String] {
        func row(_ name: String, _ text: String) -> String { name.column(18) + text }
        let speed = report.days * 86_400 / max(seconds, 0.001)
        var lines = [
            "\(report.scenario), seed \(report.seed)",
            row(
                "lived",
                "\(rounded(report.days)) days in \(rounded(seconds)) s, "
                    + "\(Int(speed)) × real time"
            ),
            row("readings", "\(report.sampleCount) samples, \(report.valueCount) with values"),
            row("events", "\(report.eventCount)"),
            row("acknowledged", "\(report.acknowledgedCount) samples that a client received"),
            row("lost", "\(report.betrayedCount) samples, by a card that lied or rotted"),
            row(
                "history",
                "\(report.fullCount) times full, \(report.refoundCount) times not any more"
            ),
            row("processes", "\(report.processCount) in \(report.bootCount) boots"),
        ]
        for (ending, count) in report.endings.sorted(by: { $0.key < $1.key }) {
            lines.append(row("", "\(count) × \(ending)"))
        }
        let hours = max(report.days * 24, 0.001)
        lines += [
            row("wake-ups", "\(report.wakeUps), \(Int(Double(report.wakeUps) / hours)) an hour"),
            row(
                "card",
                "\(report.cardByteCount) B, \(report.cardWriteCount) writes, "
                    + "\(report.cardSyncCount) syncs"
            ),
            row(
                "laser",
                "\(rounded(report.laserHours)) h, duty "
                    + "\(rounded(report.laserDuty * 100)) % at most, "
                    + "\(rounded(report.ownLaserDuty * 100)) % by the station itself"
            ),
            row("store opens", "in \(rounded(opening.inSeconds * 1_000)) ms at most"),
            row("resumption", "\(Int(report.resumedSeconds)) s after the last fault at most"),
            row("memory", "\(ProcessFigures.now().residentKibibytes) KiB of the simulation itself"),
            row("faults", "\(report.plannedFaultCount) planned, \(report.fired.count) kinds shown"),
            row("availability", "\(rounded(report.availability * 100)) %"),
        ]
        let all = report.ledger.values.reduce(0, +)
        for (cause, time) in report.ledger.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            let share = rounded(time / max(all, 1) * 100)
            lines.append(row("  " + cause, "\(durationText(seconds: time)), \(share) %"))
        }
        lines.append(row("log hash", report.logHash))
        for verdict in report.verdicts {
            let checks = "\(verdict.checkCount) checks"
            lines.append(row(verdict.promise, verdict.failure.map { "BROKEN: \($0)" } ?? checks))
        }
        return lines
    }

    private static func rounded(_ value: Double) -> String {
        "\((value * 1_000).rounded() / 1_000)"
    }
}
