import ControlProtocol
import Core

/// The programs of a station, asked for their parts of a backup, and given them back.
package struct StationBackup: Sendable {
    /// Time for one part: a slow card needs seconds to keep it.
    private static let limit = Duration.seconds(20)

    private let clients: [BackupOwner: any QuestionClient]
    private let actor: String?

    /// - Parameters:
    ///   - clients: Programs that are installed.
    ///   - actor: Name of the account that asks; nil for the process itself.
    package init(_ clients: [BackupOwner: any QuestionClient], for actor: String? = nil) {
        (self.clients, self.actor) = (clients, actor)
    }

    /// Makes a backup of all programs.
    ///
    /// - Throws: The error of a program that does not answer, but for the camera's: half a backup
    ///   is none.
    package func make(secrets: Bool) async throws -> BackupFile {
        var (parts, leftOut) = ([BackupFile.Part](), [String]())
        for owner in BackupOwner.allCases {
            guard let client = clients[owner] else {
                leftOut.append(owner.program)
                continue
            }
            // Accounts are secret as a whole.
            guard secrets || owner != .dashboard else {
                leftOut.append("accounts")
                continue
            }
            let report: BackupPartReport
            do {
                report = try await client.ask(
                    BackUp(secrets: secrets),
                    for: actor,
                    within: Self.limit
                )
            } catch {
                // A camera that does not answer keeps no rules, people and laser hours back.
                guard owner == .camera else { throw error }
                leftOut.append(owner.program)
                continue
            }
            if report.leftOutCount > 0 { leftOut.append("secrets") }
            if report.lacksSubscribers == true { leftOut.append("subscribers") }
            parts.append(BackupFile.Part(owner, report.content))
        }
        let status = try await clients[.station]?.ask(GetStatus(), for: actor)
        return BackupFile(
            name: status?.name ?? "station",
            station: status?.stationID,
            time: status?.wallTime,
            leftOut: leftOut,
            parts: parts
        )
    }

    /// The configuration files of the station, the courier and the camera for another card.
    ///
    /// - Throws: The error of the station alone: what another program refuses is named.
    package func exportedFiles() async throws -> ExportedFiles {
        var (files, leftOut) = ([ExportedFile](), [String]())
        for owner in [BackupOwner.station, .courier, .camera] {
            guard let client = clients[owner] else {
                leftOut.append("\(owner.program): it does not run here")
                continue
            }
            do {
                files.append(try await client.ask(ExportSettings(), for: actor, within: Self.limit))
            } catch let error as CancellationError {
                throw error
            } catch {
                // A camera in trouble keeps no rules, devices and targets back.
                guard owner != .station else { throw error }
                let reason = (error as? ControlFailure)?.message ?? "\(error)"
                leftOut.append("\(owner.program): \(reason)")
            }
        }
        return ExportedFiles(files: files, leftOut: leftOut)
    }

    /// Checks a backup with all programs: nothing is changed.
    ///
    /// - Throws: As the first program that refuses its part.
    package func check(_ file: BackupFile) async throws -> RestoreReport {
        var items: [RestoreReport.Item] = []
        for owner in BackupOwner.allCases {
            guard let content = file.content(of: owner) else { continue }
            guard let client = clients[owner] else {
                if let left = try Self.left(content, of: owner) { items.append(left) }
                continue
            }
            items += try await ask(client, owner, content, isTrial: true).items
        }
        return RestoreReport(items)
    }

    /// The item of a part whose program is not here; nil for one that has nothing.
    ///
    /// A station may have no camera: the rest of its backup counts all the same.
    ///
    /// - Throws: `ControlFailure` `not-offered` for all others.
    private static func left(
        _ content: String,
        of owner: BackupOwner
    ) throws(ControlFailure) -> RestoreReport.Item? {
        guard owner == .camera else {
            throw ControlFailure(
                code: .notOffered,
                message: "the backup has a part for \(owner.program), which is not here"
            )
        }
        guard content != "{}" else { return nil }
        return RestoreReport.Item(
            .camera,
            owner.program,
            .same,
            next: "it does not run here, so the camera's settings stay in the file: start it, and "
                + "restore the file again"
        )
    }

    /// Checks all parts, then restores one after the other.
    ///
    /// - Throws: As `check`; and for a part that fails later, which parts were restored.
    package func restore(_ file: BackupFile) async throws -> RestoreReport {
        _ = try await check(file)
        var (items, done) = ([RestoreReport.Item](), [String]())
        for owner in BackupOwner.allCases {
            guard let content = file.content(of: owner) else { continue }
            guard let client = clients[owner] else {
                if let left = try Self.left(content, of: owner) { items.append(left) }
                continue
            }
            do {
                items += try await ask(client, owner, content, isTrial: false).items
            } catch {
                guard !done.isEmpty else { throw error }
                let reason = (error as? ControlFailure)?.message ?? "\(error)"
                throw ControlFailure(
                    code: .notKept,
                    message: "restored: \(done.joined(separator: ", ")); not restored: "
                        + "\(owner.program), as \(reason). Restore the file again"
                )
            }
            done.append(owner.program)
        }
        return RestoreReport(items)
    }

    private func ask(
        _ client: any QuestionClient,
        _ owner: BackupOwner,
        _ content: String,
        isTrial: Bool
    ) async throws -> RestoreReport {
        guard content.utf8.count <= RestorePart.contentMax else {
            throw ControlFailure(
                code: .tooLarge,
                message: "the part of \(owner.program) has more than "
                    + "\(RestorePart.contentMax >> 10) KiB; put the file on the card instead"
            )
        }
        let question = RestorePart(content, isTrial: isTrial)
        return try await client.ask(question, for: actor, within: Self.limit)
    }
}
