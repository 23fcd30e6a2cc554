import Backup
import ControlProtocol
import Core
import Glibc
import HTTPTypes
import HardwareIO

/// Routes to back the station up and to restore it, for the owner only.
package struct BackupRoutes: Sendable {
    private static let passphraseMax = 1_024

    /// Returns the programs beside the station that run.
    typealias Others = @Sendable () -> [BackupOwner: any QuestionClient]

    let station: any QuestionClient
    let others: Others
    let accounts: Accounts

    /// Routes of a station with accounts; none without.
    ///
    /// - Parameters:
    ///   - others: Programs beside the station, which may not be installed.
    ///   - root: Root folder of the system; empty for this machine.
    package static func all(
        _ station: StationClient?,
        _ others: [BackupOwner: StationClient],
        _ accounts: Accounts?,
        root: String
    ) -> [Route] {
        guard let station, let accounts else { return [] }
        // Where none is installed, its socket is not there.
        let present: Others = { others.filter { access($0.value.path, F_OK) == 0 } }
        return Self(station: station, others: present, accounts: accounts).all
            + [ResetRoute(accounts: accounts, root: root).route]
    }

    var all: [Route] {
        [
            Route(.post, "/api/v1/backup", .owner) { try .json(try await backUp($0)) }
                .about(
                    "One file of settings, rules and names; with a passphrase secrets, too.",
                    takes: BackupForm.self,
                    answers: BackupView.self
                ),
            Route(.get, "/api/v1/backup/files", .owner) { request in
                let exported = try await backup(for: request).exportedFiles()
                return try .json(ExportView(files: exported.files, leftOut: exported.leftOut))
            }
            .about(
                "What the owner set, as configuration files for another card, without secrets.",
                answers: ExportView.self
            ),
            Route(
                .post,
                "/api/v1/restore",
                .owner,
                body: .json(maxBytes: BackupFile.byteMax / 3 * 4 + 8_192)
            ) { try .json(try await restore($0)) }
            .about(
                "Shows what a backup would change, or puts it in use.",
                takes: RestoreForm.self,
                answers: RestoreView.self
            ),
        ]
    }

    private func backup(for request: WebRequest) async throws -> StationBackup {
        let account = try request.account(in: accounts)
        var clients = others()
        clients[.station] = station
        clients[.dashboard] = AccountBackup(accounts, keeping: account.id).table(for: .dashboard)
        return StationBackup(clients, for: request.actor)
    }

    private func backUp(_ request: WebRequest) async throws -> BackupView {
        let form = try request.decoded(BackupForm.self)
        let passphrase = try Self.passphrase(form.passphrase)
        // Secrets leave the station only for a person who knows the password, not for an open page.
        if passphrase != nil { try await accounts.demand(form.password ?? "", of: request) }
        let file = try await backup(for: request).make(secrets: passphrase != nil)
        let bytes = try await accounts.read { _ in try file.bytes(passphrase: passphrase) }
        try await record(.backup, passphrase == nil ? "without secrets" : "with secrets", request)
        return BackupView(
            fileName: file.fileName,
            leftOut: file.leftOut,
            file: Base64.text(bytes)
        )
    }

    /// A look at what would change is no change, and has no line in the audit.
    private func record(
        _ action: AuditAction,
        _ target: String,
        _ request: WebRequest
    ) async throws {
        let (visitor, actor) = (accounts.visitor(request), request.identity?.name ?? "")
        try await accounts.change { try Accounts.audit($0, actor, action, target, visitor) }
    }

    private static func passphrase(_ text: String?) throws -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= passphraseMax else {
            throw Problem.outOfRange(
                "passphrase",
                "a passphrase has at most \(passphraseMax) bytes"
            )
        }
        return text
    }

    private func restore(_ request: WebRequest) async throws -> RestoreView {
        let form = try request.decoded(RestoreForm.self)
        let passphrase = try Self.passphrase(form.passphrase)
        guard let bytes = Base64.bytes(form.file) else {
            throw Problem.badRequest("file is base64")
        }
        let file = try await accounts.read { _ in try BackupFile(bytes, passphrase: passphrase) }
        // A file can replace every account: an open page is not enough for that.
        if !form.isTrial { try await accounts.demand(form.password ?? "", of: request) }
        let backup = try await backup(for: request)
        let report =
            form.isTrial ? try await backup.check(file) : try await backup.restore(file)
        if !form.isTrial { try await record(.restore, file.name, request) }
        return RestoreView(
            name: file.name,
            time: file.time,
            version: file.program,
            leftOut: file.leftOut,
            items: report.items
        )
    }
}

struct BackupForm: Decodable, Sendable {
    /// Encrypts the file; without one no secret and no account is in it.
    let passphrase: String?
    /// The password of the person who asks; needed with a passphrase.
    let password: String?
}

/// The answer of `POST /api/v1/backup`.
struct BackupView: Codable, Sendable {
    let fileName: String
    /// `secrets`, `subscribers`, `accounts`, or a program that is not there.
    let leftOut: [String]
    /// Base64.
    let file: String
}

/// The answer of `GET /api/v1/backup/files`.
struct ExportView: Codable, Sendable {
    let files: [ExportedFile]
    /// Programs that have no file here, each with its reason.
    let leftOut: [String]
}

struct RestoreForm: Decodable, Sendable {
    /// Base64 of the whole file.
    let file: String
    let passphrase: String?
    /// Whether the answer only shows what would change.
    let isTrial: Bool
    /// The password of the person who asks; needed to put the backup in use.
    let password: String?
}

/// The answer of `POST /api/v1/restore`.
struct RestoreView: Codable, Sendable {
    /// The station that the backup is of, when it was made, and by which version.
    let name: String
    let time: String?
    let version: String
    let leftOut: [String]
    let items: [RestoreReport.Item]
}
