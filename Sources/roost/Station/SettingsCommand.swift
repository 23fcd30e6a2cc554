import ArgumentParser
import ClientSupport
import ControlProtocol
import StoreQueries

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "What can be set while the station runs: shows and changes it.",
        discussion: """
            What the configuration file sets wins, and is changed there.

            Examples: roost settings
                      roost settings set zone Europe/Rome
                      sudo roost settings --export --output class-3b
            """,
        subcommands: [
            SettingsListCommand.self, SettingsSetCommand.self, SettingsNewIDCommand.self,
        ],
        defaultSubcommand: SettingsListCommand.self
    )
}

struct SettingsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Shows the settings that can be changed while the station runs.",
        discussion: """
            Of each: its value, and who set it: `default`, `ui` (the dashboard or `roost settings \
            set`) or `file` (the configuration file, which wins).

            --export prints roost.json with what was set written into it: titles, levels, rules, \
            devices. As another card's roost.json it sets them there, where the page then shows \
            them and changes them no more. --output writes courier.json and eyes.json, too, where \
            their programs run. No secret is in them: standard error names those to set anew, \
            and what is left out.

            Examples: roost settings
                      roost settings --json
                      sudo roost settings --export > roost.json
                      sudo roost settings --export --output class-3b
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Flag(help: "Print what was set as a configuration file, for another card.")
    var export = false

    @OptionGroup var files: SettingsExport

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard export || files.output == nil else {
            throw ValidationError("--output needs --export")
        }
        guard !export || !client.json else {
            throw ValidationError("--export is JSON already, as the file has it")
        }
    }

    func run() throws {
        if export { return try files.write(station: client.socket) }
        try client.show(answerTo: GetSettings(), SettingsText.lines)
    }
}

struct SettingsSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes a setting of the station, without a restart.",
        discussion: """
            `roost settings` lists them. A setting that the configuration file has is changed there.

            Examples: roost settings set zone Europe/Rome
                      roost settings set zone --default
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
        try client.show(answerTo: ChangeSettings(patch)) { report, paint in
            report.settings.filter { $0.key == key }.map { SettingsText.line($0, paint) }
        }
    }
}

/// Settings as lines of text.
private enum SettingsText {
    static func lines(_ report: SettingsReport, _ paint: Paint) -> [String] {
        report.settings.map { line($0, paint) }
    }

    static func line(_ setting: SettingReport, _ paint: Paint) -> String {
        let value = setting.value ?? (setting.kind == .zone ? "the machine's" : "not set")
        return "\(setting.key.padded(to: 10)) \(paint.bold(value.padded(to: 24))) "
            + "\(setting.origin.rawValue.padded(to: 8)) \(setting.title)"
    }
}
