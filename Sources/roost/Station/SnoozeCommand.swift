import ArgumentParser
import ClientSupport
import ControlProtocol

struct SnoozeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snooze",
        abstract: "Replaces no component for hanging, for a while: for debugging.",
        discussion: """
            The station goes on petting its watchdogs, whatever its parts do, and `roost status`
            says so. It ends by itself, after 15 min at most; `--for 0s` ends it at once.

            Examples: roost snooze --for 10m
                      roost snooze --for 0s
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Option(name: .customLong("for"), help: "How long: 90s, 15m; at most 15m, 0s ends it.")
    var length: String = "10m"

    @OptionGroup var zone: ZoneOptions
    @OptionGroup var client: ClientOptions

    func validate() throws { _ = try seconds() }

    func run() throws {
        let request = ControlRequest(.snooze, seconds: try seconds())
        try client.show(request, as: StatusReport.self, ReportText.status)
    }

    private func seconds() throws -> Double {
        if ["0", "0s", "0m"].contains(length) { return 0 }
        guard let duration = DurationArgument(argument: length), duration.seconds <= 900 else {
            throw ValidationError("--for is a time such as 90s or 10m, at most 15m; not \(length)")
        }
        return duration.seconds
    }
}
