import ArgumentParser
import ClientSupport
import ControlProtocol
import StoreQueries

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Shows the settings that can be changed while the station runs.",
        discussion: """
            Of each: its value, and who set it: `default`, `ui` (the dashboard or `roost set`) or
            `file` (the configuration file, which wins).

            Examples: roost settings
                      roost settings --json
            Exit codes: 0 done, 1 refused, 69 no station answers.
            """
    )
    @OptionGroup var client: ClientOptions

    func run() throws {
        try client.show(answerTo: GetSettings(), SettingsText.lines)
    }
}

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes a setting of the station, without a restart.",
        discussion: """
            `roost settings` lists them. A setting that the configuration file has is changed there.

            Examples: roost set zone Europe/Rome
                      roost set zone --default
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "The setting, as in `roost settings`.")
    var key: String

    @Argument(help: "Its new value.")
    var value: String?

    @Flag(help: "Take the setting back.")
    var `default` = false

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard (value == nil) == `default` else {
            throw ValidationError("give a value or --default")
        }
        if key == "zone", let value, Zone(named: value) == nil {
            throw ValidationError("there is no zone \(value); use a name such as Europe/Berlin")
        }
    }

    func run() throws {
        let patch = try ControlCodec.line([key: value])
        try client.show(answerTo: ChangeSettings(patch), SettingsText.lines)
    }
}

/// Settings as lines of text.
private enum SettingsText {
    static func lines(_ report: SettingsReport, _ paint: Paint) -> [String] {
        report.settings.map { setting in
            let value = setting.value ?? (setting.kind == .zone ? "the machine's" : "not set")
            return "\(setting.key.padded(to: 10)) \(paint.bold(value.padded(to: 24))) "
                + "\(setting.origin.rawValue.padded(to: 8)) \(setting.title)"
        }
    }
}
