import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct FlushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Tries at once all that waits, and waits for it to be delivered.",
        discussion: """
            A file goes when its period is over: what is recorded in the present one does not count.

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
            let question = FlushOutbox(target, seconds: min(rest, 2))
            report = try options.ask(question, within: .seconds(12))
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
        report.targets.filter { (target == nil || $0.id == target) && !$0.waitsForPeriod }
            .reduce(0) { $0 + ($1.samples?.waiting ?? 0) }
    }
}
