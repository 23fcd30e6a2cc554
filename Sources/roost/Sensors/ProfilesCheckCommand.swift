import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Devices
import LinuxPlatform
import Profiles

struct ProfilesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says everything that is wrong with profiles; exit code 1 if anything is.",
        discussion: """
            Each mistake with file, place, reason and, where possible, what was meant. A named \
            file is checked as if it lay in the folder of your own profiles, beside the shipped \
            ones; without files the folder is checked.

            Examples: roost profiles check my-meter.json
                      roost profiles check --json a.json b.json
                      roost profiles check
            """
    )
    @OptionGroup var options: ProfilesOptions

    @Argument(help: "The files; those of the folder when none is named.")
    var files: [String] = []

    func run() throws {
        let overlay =
            files.isEmpty
            ? ProfileFolder.files(options.profiles) : files.map(ProfileFolder.file)
        let catalog = ProfileCatalog(overlay: overlay, reader: .checking)
        let report = ProfilesCheckReport(catalog, checkedFiles: overlay.map(\.path))
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in catalog.problems.flatMap(\.lines) { Output.line(line) }
            for note in catalog.notes { Output.line(note) }
            let count = report.problems.count
            let files =
                files.isEmpty
                ? "\(ShippedProfiles.files.count) shipped profiles and \(overlay.count) of yours"
                : "\(files.count) file\(files.count == 1 ? "" : "s")"
            let verdict = count == 1 ? "1 mistake" : "\(count) mistakes"
            Output.line(count == 0 ? "\(files): in order" : "\(files): \(verdict)")
        }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}

/// The result of checking hardware profiles, as JSON.
struct ProfilesCheckReport: Codable, Hashable {
    struct Problem: Codable, Hashable {
        let file: String
        let place: String
        let message: String
        let suggestion: String?
    }

    let files: [String]
    let problems: [Problem]
    let notes: [String]

    init(_ catalog: ProfileCatalog, checkedFiles: [String]) {
        files = checkedFiles
        notes = catalog.notes
        problems = catalog.problems.flatMap { error in
            error.problems.map { problem in
                Problem(
                    file: error.file,
                    place: problem.place,
                    message: problem.message,
                    suggestion: problem.suggestion
                )
            }
        }
    }
}

extension ConfigurationError {
    /// A line per mistake: file, place, reason, suggestion.
    var lines: [String] { problems.map { "\(file): \($0)" } }
}
