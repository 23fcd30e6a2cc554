import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct RetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Sends once more what a target refused, after its cause was repaired.",
        discussion: """
            The courier remembers the last 256 refused samples of each target since it started. It \
            stops when the server does not answer, and after half a minute: say it again then.

            Example: roost outbox retry influx
            Exit codes: 0 none is left, 1 some are still refused, 69 no courier answers.
            """
    )

    @Argument(help: "The target.")
    var target: String

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(
            RetryRefused(target),
            within: CourierOptions.serverLimit
        )
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            let end = report.why.map { "; it ended early: \($0)" } ?? ""
            Output.line(
                "\(report.target): \(report.taken) taken, \(report.left) still refused\(end)"
            )
        }
        if report.left > 0 { throw ExitCode(1) }
    }
}
