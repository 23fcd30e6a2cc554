import ArgumentParser
import ClientSupport
import ControlProtocol

struct DevicesTryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Blinks the part on a pin for 3 s, or says what it reads in 5 s.",
        discussion: """
            A lamp blinks and goes on as before; press the button or move before the sensor while \
            it is read. On a free line --type says what is there; a line of another program is \
            refused.

            Examples: roost devices try GPIO17
                      roost devices try GPIO22 --type led
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @Argument(help: "A line of the header, as in `roost devices pins`.")
    var line: String

    @Option(help: "The part on a free line: led, button or hc-sr501.")
    var type: String?

    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: TryPin(line, profile: type)) { report, _ in
            [Self.text(report)]
        }
    }

    static func text(_ report: PinTrialReport) -> String {
        let name = report.device.map { "\(report.line), \($0)," } ?? report.line
        guard !report.isOutput else {
            return "\(name) blinked for \(durationText(seconds: report.seconds))"
        }
        return "\(name) changed \(report.changeCount ?? 0) times in "
            + "\(durationText(seconds: report.seconds)), was active for "
            + "\(report.activeSeconds ?? 0) s, and is \(report.isActive == true ? "" : "not ")"
            + "active now"
    }
}
