import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Says what became of one reading at every target.",
        discussion: """
            Of each device the first sample from the moment on.

            Examples: roost outbox why 2026-11-20T03:10
                      roost outbox why 2026-11-20T03:10:00Z
            """
    )

    @Argument(help: "The moment: 2026-11-20T03:10 on this machine's clocks, or with a zone.")
    var time: MomentArgument

    @Option(help: "One target; all without it.")
    var target: String?

    @OptionGroup var options: CourierOptions

    func run() throws {
        if let note = time.note { Output.error(note) }
        let report = try options.ask(FindFates(from: time.text, at: target))
        if options.json { return Output.line(try ControlCodec.line(report)) }
        if report.fates.isEmpty { Output.line("No sample is known from \(time.text) on.") }
        for fate in report.fates {
            var line = "\(fate.target): \(fate.device) at \(fate.time ?? "an unknown time") "
            switch fate.fate {
            case "delivered": line += "is delivered"
            case "settled":
                line += "is delivered, or one of those that `roost outbox` counts as left out"
            case "waiting": line += "waits"
            case "notSeen": line += "was recorded just now"
            case "earlier": line += "was recorded before the target was added"
            default: line += "is left out: \(OutboxText.reason(fate.fate))"
            }
            if let why = fate.why { line += ": \(why)" }
            Output.line(line)
        }
    }
}
