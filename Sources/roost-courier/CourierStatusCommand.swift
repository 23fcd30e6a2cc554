import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct CourierStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says how the courier and its targets are.",
        discussion: """
            Example: roost courier status --json
            Exit codes: 0 it runs, 69 no courier answers.
            """
    )

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(GetCourierStatus())
        if !options.json {
            let up = durationText(seconds: report.uptimeSeconds)
            Output.line("roost-courier \(report.version), process \(report.processID), up \(up)")
        }
        try OutboxText.show(report, asJSON: options.json)
    }
}
