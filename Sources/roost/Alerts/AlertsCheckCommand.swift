import Alerts
import ArgumentParser
import ClientSupport
import Configuration
import ControlProtocol
import Core
import Devices
import Glibc
import HardwareIO
import LinuxIO
import LinuxPlatform
import Profiles

struct AlertsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says everything that is wrong with rules; exit code 1 if anything is.",
        discussion: """
            The file is a configuration, or its part `alerts` alone. Nothing is changed.

            Examples: roost alerts check try.json
                      roost alerts check /etc/roost/roost.json
            """
    )
    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        let report = AlertsCheckReport(file)
        if json {
            Output.line(try ControlCodec.line(report))
        } else if report.problems.isEmpty {
            Output.line("\(file): in order, \(report.rules.count) rules")
        } else {
            for problem in report.problems { Output.line("\(file): \(problem)") }
        }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}

/// The result of checking a file of alert rules.
struct AlertsCheckReport: Codable {
    let file: String
    /// Names of the rules; none with mistakes.
    let rules: [String]
    let problems: [String]

    init(_ file: String) {
        self.file = file
        do throws(ConfigurationError) {
            rules = try AlertsFile.read(file).rules.map(\.id)
            problems = []
        } catch { (rules, problems) = ([], error.problems.map(\.description)) }
    }
}

/// Rules in a file of the owner.
enum AlertsFile {
    /// Keys of the part `alerts`: a file with no others is that part.
    private static let keys: Set<String> = ["zone", "use", "rules"]

    /// Returns the rules that a command uses: those of a file, or those of the station.
    ///
    /// The station's are those of its configuration, or the standard ones, and of its owner's
    /// settings. What of the settings does not count is said on standard error.
    ///
    /// - Parameter folder: The store's; the settings are beside it.
    /// - Throws: `ClientFailure`.
    static func alerts(_ named: String?, besides folder: String) throws -> AlertsConfiguration {
        let standard = StationFiles.standardPath
        let path = named ?? (access(standard, F_OK) == 0 ? standard : nil)
        do throws(ConfigurationError) {
            let base =
                if let path { try configuration(path) } else {
                    try StationConfiguration.read(Array("{}".utf8), file: standard)
                }
            return named == nil ? overlaid(base, LinuxFolder(folder)) : base.alerts
        } catch {
            let words = error.problems.map { "\(path ?? standard): \($0)" }
            throw ClientFailure(message: words.joined(separator: "\n"), exitCode: 1)
        }
    }

    /// Puts the owner's rules over those of the configuration file.
    static func overlaid(
        _ base: StationConfiguration,
        _ folder: any FolderFiles
    ) -> AlertsConfiguration {
        let stored = OverlayFile(folder).read()
        if let trouble = stored.trouble { Output.error(trouble) }
        let overlaid = OverlaidConfiguration(base, stored.overlay, catalog: .shipped)
        for problem in overlaid.problems where problem.place.hasPrefix("alerts.") {
            Output.error("\(OverlayFile.name): \(problem)")
        }
        return overlaid.configuration.alerts
    }

    static func read(_ path: String) throws(ConfigurationError) -> AlertsConfiguration {
        try configuration(path).alerts
    }

    private static func configuration(
        _ path: String
    ) throws(ConfigurationError) -> StationConfiguration {
        var bytes: [UInt8]
        switch ProfileFolder.file(path).contents {
        case .success(let contents): bytes = contents
        case .failure(let failure): throw ConfigurationError(file: path, message: failure.reason)
        }
        let value = try? JSONParser.parse(bytes)
        if case .object(let fields)? = value, !fields.isEmpty, keys.isSuperset(of: fields.keys) {
            bytes = Array(#"{"alerts": "#.utf8) + bytes + Array("}".utf8)
        }
        return try StationConfiguration.read(bytes, file: path)
    }
}
