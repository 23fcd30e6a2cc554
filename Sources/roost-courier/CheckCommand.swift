import ArgumentParser
import ClientSupport
import Core
import FoundationEssentials
import Glibc
import Profiles
import RoostCourier

struct CheckCommand: ParsableCommand {
    /// Output of `--json`.
    private struct Report: Encodable {
        struct Entry: Encodable {
            let id: String
            let type: String
            let secrets: [String]
        }

        struct Problem: Encodable {
            let place: String
            let message: String
            let suggestion: String?
        }

        var file: String
        var targets: [Entry] = []
        var receivers: [Entry] = []
        var feeds: [Entry] = []
        var problems: [Problem] = []
    }

    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads the courier's configuration and names all its mistakes at once.",
        discussion: """
            Says which secrets it names; it reads none of them and connects to no server.

            Examples: roost-courier check
                      roost-courier check courier.json --json
                      roost-courier check --schema >courier.schema.json
            """
    )

    @Argument(help: "The file; - is standard input.")
    var file = CourierConfiguration.standardPath

    @OptionGroup var presets: PresetOptions

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @Flag(help: "Print the file's JSON Schema for editors, and check nothing.")
    var schema = false

    func run() throws {
        if schema {
            let kinds = try EntryKinds.report(try presets.catalog())
            return Output.line(EntrySchema(kinds).text)
        }
        let bytes: [UInt8]
        do {
            bytes = try FileBytes.read(file, limit: CourierConfiguration.byteLimit + 1)
        } catch {
            Output.error("\(error)")
            throw ExitCode(1)
        }
        var report = Report(file: file)
        do {
            let catalog = try presets.catalog()
            let configuration = try CourierConfiguration(bytes, file: file, presets: catalog)
            let missing = configuration.authorityFiles.filter { access($0.path, R_OK) != 0 }
            report.problems = missing.map { place, path in
                let why = "the file \(path) cannot be read: \(String(cString: strerror(errno)))"
                return .init(place: place, message: why, suggestion: nil)
            }
            if !json {
                for problem in report.problems {
                    Output.error("\(file): \(problem.place) \(problem.message)")
                }
            }
            report.targets = configuration.targets.map { entry in
                .init(id: entry.id, type: entry.type, secrets: entry.secrets.map(\.text))
            }
            report.receivers = configuration.receivers.map { entry in
                .init(id: entry.id, type: entry.type, secrets: entry.secrets.map(\.text))
            }
            report.feeds = configuration.feeds.map { entry in
                .init(id: entry.id, type: entry.kind.name, secrets: entry.secrets.map(\.text))
            }
        } catch let error as ConfigurationError {
            report.file = error.file
            report.problems = error.problems.map {
                .init(place: $0.place, message: $0.message, suggestion: $0.suggestion)
            }
            if !json { Output.error("\(error)") }
        }
        try say(report)
        guard report.problems.isEmpty else { throw ExitCode(78) }
    }

    private func say(_ report: Report) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Output.line(String(decoding: try encoder.encode(report), as: UTF8.self))
        }
        guard report.problems.isEmpty else { return }
        for entry in report.targets { say("target", entry) }
        for entry in report.receivers { say("receiver", entry) }
        for entry in report.feeds { say("feed", entry) }
        let count = report.targets.count + report.receivers.count + report.feeds.count
        Output.line("\(file): right, \(count) \(count == 1 ? "entry" : "entries")")
    }

    private func say(_ what: String, _ entry: Report.Entry) {
        let secrets =
            entry.secrets.isEmpty ? "" : ", secrets " + entry.secrets.joined(separator: ", ")
        Output.line("\(what) \(entry.id): \(entry.type)\(secrets)")
    }
}
