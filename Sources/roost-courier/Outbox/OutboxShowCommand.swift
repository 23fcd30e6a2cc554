import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct OutboxShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the fates of samples by target.",
        discussion: """
            Examples: roost outbox
                      roost outbox influx --json
            Exit codes: 0 all is well, 2 a target is held or broken, 69 no courier answers.
            """
    )

    @Argument(help: "One target; all without it.")
    var target: String?

    @OptionGroup var options: CourierOptions

    func run() throws {
        var report = try options.ask(GetCourierStatus())
        if let target {
            let all = report.targets + report.receivers + report.feeds
            let known = all.map(\.id).joined(separator: ", ")
            report.targets.removeAll { $0.id != target }
            report.receivers.removeAll { $0.id != target }
            report.feeds.removeAll { $0.id != target }
            guard all.contains(where: { $0.id == target }) else {
                Output.error("there is no target \(target); there are \(known)")
                throw ExitCode(1)
            }
        }
        try OutboxText.show(report, asJSON: options.json)
        let all = report.targets + report.receivers + report.feeds
        let isBad = all.contains { $0.state == .held || $0.state == .broken }
        if isBad { throw ExitCode(2) }
    }
}
