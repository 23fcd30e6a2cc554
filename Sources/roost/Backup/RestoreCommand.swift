import ArgumentParser
import Backup
import ClientSupport
import ControlProtocol

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a file of `roost backup` in use, or shows what it would change.",
        discussion: """
            All of the file is checked before anything is changed. An encrypted file needs its \
            passphrase: typed, piped, or by --passphrase-file.

            Examples: sudo roost restore home.backup --dry-run
                      sudo roost restore home.backup --passphrase-file secret.txt
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Only show what would change.")
    var dryRun = false

    @OptionGroup var options: BackupOptions

    func run() throws {
        let bytes = try FileBytes.read(file, limit: BackupFile.byteMax)
        let passphrase = AgeFile.isOne(bytes) ? try options.passphrase() : nil
        let backup: BackupFile
        do throws(ControlFailure) {
            backup = try BackupFile(
                bytes,
                passphrase: passphrase,
                logCostMax: BackupOptions.logCostMax
            )
        } catch {
            throw ClientFailure(message: "\(file): \(error.message)", exitCode: 1)
        }
        let isTrial = dryRun
        let report = try options.withStation { station in
            isTrial ? try await station.check(backup) : try await station.restore(backup)
        }
        guard !options.json else { return Output.line(try ControlCodec.line(report)) }
        for line in Self.lines(report, isTrial) { Output.line(line) }
    }

    /// The changes as lines of text.
    static func lines(_ report: RestoreReport, _ isTrial: Bool) -> [String] {
        let changed = report.items.filter { $0.change != .same }
        let lines = changed.map { item in
            let value = item.value.map { " = \($0)" } ?? ""
            return "\(item.change.rawValue.padded(to: 8)) \(item.kind.rawValue.padded(to: 9)) "
                + "\(item.name)\(value)"
        }
        let sameCount = report.items.count - changed.count
        let end =
            isTrial
            ? "\(changed.count) would change, \(sameCount) are the same; nothing was changed"
            : "\(changed.count) changed, \(sameCount) were the same"
        return lines + report.items.compactMap { $0.next.map { "  \($0)" } } + [end]
    }
}
