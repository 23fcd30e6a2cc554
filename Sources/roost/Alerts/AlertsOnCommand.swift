import ArgumentParser
import ClientSupport
import ControlProtocol

struct AlertsOnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Switches a rule on: one that is off, or one that comes with Roost.",
        discussion: """
            Examples: roost alerts on who-24h
                      roost alerts on unusual
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A rule, as in `roost alerts rules`.")
    var rule: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: SwitchRule(rule, isOn: true)) { report, _ in
            [AlertText.changed(rule, in: report)]
        }
    }
}

struct AlertsOffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Switches a rule off, and ends what it has raised.",
        discussion: """
            A rule of roost.json is refused: change it there.

            Example: roost alerts off us-nowcast
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A rule, as in `roost alerts rules`.")
    var rule: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: SwitchRule(rule, isOn: false)) { report, _ in
            [AlertText.changed(rule, in: report)]
        }
    }
}
