import ArgumentParser
import Backup
import ClientSupport
import ControlProtocol
import Store

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes one file with settings, rules, names, laser hours and camera.",
        discussion: """
            With --encrypt or --passphrase-file the file has people, passwords and tokens, too, \
            encrypted in the format of age: `age -d FILE` opens it. Without, they are left out. \
            What was measured is not in it: --history writes it beside, as NAME-history.db, \
            which is as large as the history, not encrypted, and read by `roost import`.

            Examples: sudo roost backup
                      sudo roost backup --history home.backup
                      sudo roost backup --encrypt home.backup
                      sudo roost backup --passphrase-file secret.txt /media/stick/home.backup
            Exit codes: 0 done, 1 refused, 64 wrong usage, 69 no station answers.
            """
    )
    @Argument(help: "The new file; by default roost-NAME-DATE.backup here.")
    var file: String?

    @Flag(help: "Put people and secrets in it, encrypted by a passphrase.")
    var encrypt = false

    @Flag(help: "Also write what was measured, into a second file beside the first.")
    var history = false

    @OptionGroup var options: BackupOptions

    /// What was written.
    struct Report: Codable, Sendable {
        let file: String
        let byteCount: Int
        let isEncrypted: Bool
        let leftOut: [String]
        /// The file with what was measured; nil for none.
        var history: String?
        /// Samples in it.
        var samples: Int?
    }

    func run() throws {
        let isEncrypted = encrypt || options.passphraseFile != nil
        let passphrase = isEncrypted ? try options.passphrase(isNew: true) : nil
        let backup = try options.withStation { try await $0.make(secrets: isEncrypted) }
        let bytes = try backup.bytes(passphrase: passphrase)
        let path = file ?? backup.fileName
        let beside = history ? try HistoryBeside(beside: path) : nil
        try FileBytes.put(bytes, path, isNew: true)
        let written = try beside?.write(socket: options.socket)
        var report = Report(
            file: path,
            byteCount: bytes.count,
            isEncrypted: isEncrypted,
            leftOut: backup.leftOut
        )
        (report.history, report.samples) = (beside?.path, written?.samples)
        guard !options.json else { return Output.line(try ControlCodec.line(report)) }
        let names = report.leftOut.joined(separator: ", ")
        let rest = names.isEmpty ? "" : "; left out: \(names)"
        Output.line("\(path) is written (\(bytes.count) bytes)\(rest)")
        guard let beside, let written else { return }
        Output.line("\(beside.path) is written (\(written.samples) samples): see `roost import`")
    }
}
