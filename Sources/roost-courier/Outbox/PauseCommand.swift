import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Sends a target nothing for a while; what is recorded waits.",
        discussion: """
            No restart ends it, neither the courier's nor the machine's.

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
        let question = PauseTarget(target, seconds: duration?.seconds)
        try OutboxText.show(try options.ask(question), asJSON: options.json)
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
        try OutboxText.show(try options.ask(ResumeTarget(target)), asJSON: options.json)
    }
}
