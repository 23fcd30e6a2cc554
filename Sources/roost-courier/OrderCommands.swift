import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct FlushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Tries at once all that waits, and waits for it to be delivered.",
        discussion: """
            Examples: roost outbox flush
                      roost outbox flush influx --for 5m
            Exit codes: 0 nothing waits, 1 something is left, 69 no courier answers.
            """
    )

    @Argument(help: "One target; all without it.")
    var target: String?

    @Option(name: .customLong("for"), help: "How long to wait.")
    var limit = DurationArgument(.seconds(60))

    @OptionGroup var options: CourierOptions

    func run() throws {
        let progress = try ProgressLine()
        var report: CourierReport
        repeat {
            let rest = max(limit.seconds - progress.elapsed, 0)
            let request = CourierRequest(.flush, target: target, seconds: min(rest, 2))
            report = try options.ask(request, CourierReport.self)
            let waiting = Self.waiting(report, at: target)
            guard waiting > 0 else { break }
            progress.show("\(waiting) samples wait")
        } while progress.elapsed < limit.seconds
        progress.finish()
        if let target { report.targets.removeAll { $0.id != target } }
        try OutboxText.show(report, asJSON: options.json)
        if Self.waiting(report, at: target) > 0 { throw ExitCode(1) }
    }

    private static func waiting(_ report: CourierReport, at target: String?) -> Int {
        report.targets.filter { target == nil || $0.id == target }
            .reduce(0) { $0 + ($1.samples?.waiting ?? 0) }
    }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Sends a target nothing for a while; what is recorded waits.",
        discussion: """
            A restart of the courier ends it.

            Examples: roost courier pause influx --for 2h
                      roost courier pause map
            """
    )

    @Argument(help: "The target.")
    var target: String

    @Option(name: .customLong("for"), help: "How long; until `resume` without it.")
    var duration: DurationArgument?

    @OptionGroup var options: CourierOptions

    func run() throws {
        let request = CourierRequest(.pause, target: target, seconds: duration?.seconds)
        try OutboxText.show(try options.ask(request), asJSON: options.json)
    }
}

struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Ends the pause of a target.",
        discussion: "Example: roost courier resume influx"
    )

    @Argument(help: "The target.")
    var target: String

    @OptionGroup var options: CourierOptions

    func run() throws {
        let request = CourierRequest(.resume, target: target)
        try OutboxText.show(try options.ask(request), asJSON: options.json)
    }
}

struct DropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Leaves out what waits at a target from before a moment.",
        discussion: """
            The samples stay in the station's store; the target is never sent them. The count shows
            in `roost outbox` as dropped by you.

            Example: roost outbox drop influx --before 2026-11-01T00:00:00Z
            """
    )

    @Argument(help: "The target.")
    var target: String

    @Option(help: "The moment, ISO 8601.")
    var before: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: CourierOptions

    func run() throws {
        if !yes {
            Output.error("What waits at \(target) from before \(before) will not be delivered.")
            Output.error("Type yes to go on: ")
            guard readLine()?.lowercased() == "yes" else { throw ExitCode(1) }
        }
        var request = CourierRequest(.drop, target: target)
        request.time = before
        let report = try options.ask(request, OutboxDropReport.self)
        if options.json { return Output.line(try ControlCodec.line(report)) }
        let what = report.dropped == 1 ? "1 sample" : "\(report.dropped) samples"
        Output.line("\(report.target): \(what) left out")
    }
}
