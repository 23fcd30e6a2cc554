import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct DropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Leaves out what waits at a target from before a moment.",
        discussion: """
            The samples stay in the station's store; the target is never sent them. The count \
            shows in `roost outbox` as dropped by you.

            Example: roost outbox drop influx --before 2026-11-01
            """
    )

    @Argument(help: "The target.")
    var target: String

    @Option(help: "The moment: 2026-11-01 on this machine's clocks, or with a zone.")
    var before: MomentArgument

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: CourierOptions

    func run() throws {
        if let note = before.note { Output.error(note) }
        if !yes {
            let what = "What waits at \(target) from before \(before.text)"
            Output.error("\(what) will not be delivered.")
            Output.error("Type yes to go on: ")
            guard readLine()?.lowercased() == "yes" else { throw ExitCode(1) }
        }
        let question = DropSamples(target, before: before.text)
        let report = try options.ask(question, within: CourierOptions.serverLimit)
        if options.json { return Output.line(try ControlCodec.line(report)) }
        let what = report.dropped == 1 ? "1 sample" : "\(report.dropped) samples"
        Output.line("\(report.target): \(what) left out")
    }
}
