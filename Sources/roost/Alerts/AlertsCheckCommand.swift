import Alerts
import ArgumentParser
import ClientSupport
import Configuration
import ControlProtocol
import Core
import Glibc
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

    /// Returns the rules that a command uses: those of a file, the station's, or the standard ones.
    ///
    /// - Throws: `ClientFailure`.
    static func alerts(_ named: String?) throws -> AlertsConfiguration {
        let standard = StationFiles.standardPath
        guard let path = named ?? (access(standard, F_OK) == 0 ? standard : nil) else {
            return .standard
        }
        do throws(ConfigurationError) { return try read(path) } catch {
            let words = error.problems.map { "\(path): \($0)" }.joined(separator: "\n")
            throw ClientFailure(message: words, exitCode: 1)
        }
    }

    static func read(_ path: String) throws(ConfigurationError) -> AlertsConfiguration {
        var bytes: [UInt8]
        switch ProfileFolder.file(path).contents {
        case .success(let contents): bytes = contents
        case .failure(let failure): throw ConfigurationError(file: path, message: failure.reason)
        }
        let value = try? JSONParser.parse(bytes)
        if case .object(let fields)? = value, !fields.isEmpty, keys.isSuperset(of: fields.keys) {
            bytes = Array(#"{"alerts": "#.utf8) + bytes + Array("}".utf8)
        }
        return try StationConfiguration.read(bytes, file: path).alerts
    }
}
