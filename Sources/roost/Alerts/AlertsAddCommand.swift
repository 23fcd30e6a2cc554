import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Profiles

struct AlertsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a rule about values, or changes one that comes with Roost.",
        discussion: """
            It is in use at once and kept beside the store. A rule of the same id that you added \
            is replaced; one that comes with Roost is with --replace alone. A rule of roost.json \
            counts and is refused.

            Examples: roost alerts add stuffy --channel '*/co2' --above 1500 --for 10m
                      roost alerts add cold --channel attic/temperature --below 4 --until 6
                      roost alerts add frost --channel attic/temperature --below -5
                      roost alerts add street --channel '*/pm25' --mean 1h --above 35
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A name: letters, digits, - _ and dots.")
    var rule: String

    @Option(help: "Device and quantity, each with any number of *.")
    var channel: String

    @Option(parsing: .unconditional, help: "Raised at this value and beyond it.")
    var above: Double?

    @Option(parsing: .unconditional, help: "Raised at this value and under it.")
    var below: Double?

    @Option(help: "The mean of so long instead of each sample: 1h, 24h.")
    var mean: DurationArgument?

    @Option(
        parsing: .unconditional,
        help: "It ends beyond this value; default: a tenth of the limit away."
    )
    var until: Double?

    @Option(name: .customLong("for"), help: "Raised only after so long: 10m; default: at once.")
    var length: DurationArgument?

    @Option(help: "notice, warning or critical; default: warning.")
    var severity: String?

    @Flag(help: "Take the place of a rule of this id that comes with Roost.")
    var replace = false

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard (above == nil) != (below == nil) else {
            throw ValidationError("give either --above or --below")
        }
        guard [above, below, until].allSatisfy({ $0?.isFinite ?? true }) else {
            throw ValidationError("--above, --below and --until are numbers")
        }
    }

    func run() throws {
        let (id, text, replaces) = (rule, entry.text, replace)
        let report = try client.withStation { station in
            let known = try await station.ask(GetAlerts())
            try Self.demandFree(id, in: known.rules + known.off, replaces)
            return try await station.ask(ChangeRule(id, rule: text))
        }
        try client.show(report) { report, _ in [AlertText.changed(id, in: report)] }
    }

    /// - Throws: `ClientFailure` where a rule that comes with Roost would be replaced unasked.
    static func demandFree(_ id: String, in rules: [AlertsReport.Rule], _ replaces: Bool) throws {
        guard !replaces, let rule = rules.first(where: { $0.id == id }), rule.origin == .shipped
        else { return }
        throw ClientFailure(
            message: "\(id) is a rule that comes with Roost: choose another name, or replace it "
                + "with --replace; `roost alerts remove \(id)` takes that back",
            exitCode: 1
        )
    }

    private var entry: JSONValue {
        let limit = above ?? below ?? 0
        var condition: [String: JSONValue] = [above == nil ? "atMost" : "atLeast": .number(limit)]
        condition["overSeconds"] = mean.map { .number($0.seconds) }
        var fields: [String: JSONValue] = ["channel": .string(channel)]
        fields["when"] = .object([mean == nil ? "value" : "mean": .object(condition)])
        fields["until"] = until.map { .object([above == nil ? "above" : "below": .number($0)]) }
        fields["forSeconds"] = length.map { .number($0.seconds) }
        fields["severity"] = severity.map(JSONValue.string)
        return .object(fields)
    }
}

struct AlertsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a rule that you added, or takes back what you changed of one.",
        discussion: """
            A rule that comes with Roost is then again as it was shipped.

            Example: roost alerts remove stuffy
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A rule, as in `roost alerts rules`.")
    var rule: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: ChangeRule(rule, rule: nil)) { report, _ in
            [AlertText.changed(rule, in: report)]
        }
    }
}
