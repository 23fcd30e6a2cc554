import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct AlertsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "What is worth an alert, what was done about it, and the rules.",
        discussion: """
            Examples: roost alerts
                      roost alerts rules
                      roost alerts replay --last 365d
                      roost alerts ack 17 --for 8h
                      roost alerts add stuffy --channel '*/co2' --above 1500 --for 10m
            Exit codes: 0 done, 1 refused, 2 an alert is raised (list), 69 no station answers.
            """,
        subcommands: [
            AlertsListCommand.self, AlertsRulesCommand.self, AlertsCheckCommand.self,
            AlertsTestCommand.self, AlertsReplayCommand.self, AlertsAckCommand.self,
            AlertsSilenceCommand.self, AlertsUnsilenceCommand.self, AlertsAddCommand.self,
            AlertsRemoveCommand.self, AlertsOnCommand.self, AlertsOffCommand.self,
        ],
        defaultSubcommand: AlertsListCommand.self
    )
}

struct AlertsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "What is raised, what waits, and what is silenced.",
        discussion: """
            Examples: roost alerts
                      roost alerts list --json
            Exit codes: 0 none is raised, 2 one is, 69 no station answers.
            """
    )
    @OptionGroup var client: ClientOptions

    func run() throws {
        let report = try client.withStation { try await $0.ask(GetAlerts()) }
        try client.show(report, AlertText.alerts)
        if report.alerts.contains(where: { $0.level > 0 }) { throw ExitCode(2) }
    }
}

struct AlertsRulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "All rules, and what each finds at its channels now.",
        discussion: """
            Example: roost alerts rules
            Exit codes: 0 done, 69 no station answers.
            """
    )
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: GetAlerts(), AlertText.rules)
    }
}

struct AlertsTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Raises a notice of a rule, marked as a test.",
        discussion: """
            It takes the way of every notice, and changes no alert.

            Examples: roost alerts test who-24h --value 31
                      roost alerts test who-24h --to phone
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A rule, as in `roost alerts rules`.")
    var rule: String

    @Option(parsing: .unconditional, help: "The value that the notice has.")
    var value: Double?

    @Option(help: "One receiver; default: all.")
    var to: String?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard value?.isFinite ?? true else { throw ValidationError("--value is a number") }
    }

    func run() throws {
        let receivers = try SocketLine.courier(nil).report(GetCourierStatus())?.receivers ?? []
        if let to, !receivers.contains(where: { $0.id == to }) {
            let known = receivers.map(\.id).joined(separator: ", ")
            let there = known.isEmpty ? "no courier with receivers runs" : "there are \(known)"
            throw ClientFailure(message: "there is no receiver \(to); \(there)", exitCode: 1)
        }
        let test = TestAlert(rule, value: value, receiver: to)
        try client.show(answerTo: test) { report, _ in
            let end =
                receivers.isEmpty
                ? "told to no person: no courier with receivers runs" : "on its way"
            return ["notice \(report.number) is \(end)"]
        }
    }
}

struct AlertsAckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack",
        abstract: "Says that you know of an alert.",
        discussion: """
            It is not reminded of until it is over or becomes worse, or for as long as you say.

            Examples: roost alerts ack 17
                      roost alerts ack 17 --for 8h
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "Its number, as in `roost alerts`.")
    var number: Int64

    @Option(name: .customLong("for"), help: "90s, 15m, 8h, 7d; default: until it is over.")
    var length: DurationArgument?

    @OptionGroup var client: ClientOptions

    func run() throws {
        let question = AcknowledgeAlert(number, seconds: length?.seconds)
        try client.show(answerTo: question, AlertText.alerts)
    }
}

struct AlertsSilenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence",
        abstract: "Holds the notices of a rule and channel back for a while.",
        discussion: """
            The alert goes on; pages and lamps show it. A restart does not end the silence.

            Examples: roost alerts silence who-24h:balcony/pm25 --for 2h
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "Rule and channel, as in `roost alerts`.")
    var key: String

    @Option(name: .customLong("for"), help: "90s, 15m, 2h, 7d.")
    var length: DurationArgument

    @OptionGroup var client: ClientOptions

    func run() throws {
        let question = SilenceAlerts(key, seconds: length.seconds)
        try client.show(answerTo: question, AlertText.alerts)
    }
}

struct AlertsUnsilenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsilence",
        abstract: "Ends a `roost alerts silence`.",
        discussion: """
            Example: roost alerts unsilence who-24h:balcony/pm25
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "What was silenced, as in `roost alerts`.")
    var key: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: UnsilenceAlerts(key), AlertText.alerts)
    }
}
