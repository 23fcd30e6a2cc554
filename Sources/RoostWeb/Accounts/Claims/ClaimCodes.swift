import ControlProtocol
import FileIO
import Glibc
import HardwareIO
import Logging
import SQLite
import Synchronization

/// Answers `roost claim`: people in the group `roost` are near the station.
struct ClaimCodes: Sendable {
    /// Local users who may own the station.
    ///
    /// The services are in the group `roost` to read, and must not own the station.
    static let users: Set<LocalUser> = [.root, .person]

    let accounts: Accounts
    /// URLs of the dashboard, as people type them.
    let addresses: [String]
    /// Fingerprint of the station's own authority, to compare with the page Trust.
    var fingerprint: @Sendable () -> String? = { nil }

    /// Answers one line of JSON with one line.
    func answer(
        _ line: String,
        from user: LocalUser,
        _ peer: PeerCredentials? = nil
    ) async -> String {
        // Questions about a backup name themselves; the one of `roost claim` has no name.
        if line.contains("\"command\"") {
            do {
                return try await AccountBackup(accounts).table(for: user).answer(line, from: peer)
            } catch {
                let answer = ControlAnswer<ClaimReport>(.failure(Self.failure(error)))
                return (try? ControlCodec.line(answer)) ?? ""
            }
        }
        let result: Result<ClaimReport, ControlFailure>
        do {
            let request = try ControlCodec.message(ClaimRequest.self, from: line)
            guard Self.users.contains(user) else {
                let words = user.refusal(of: request.reset ? "claim --reset" : "claim", by: peer)
                accounts.logger.warning("\(words)")
                throw ControlFailure(code: .forbidden, message: words)
            }
            result = .success(try await report(request))
        } catch {
            result = .failure(Self.failure(error))
        }
        return (try? ControlCodec.line(ControlAnswer(result))) ?? ""
    }

    private static func failure(_ error: any Error) -> ControlFailure {
        switch error {
        case let failure as ControlFailure: failure
        case let problem as Problem:
            ControlFailure(code: problem.kind, message: problem.detail)
        default: ControlFailure(code: .internal, message: "\(error)")
        }
    }

    private func report(_ request: ClaimRequest) async throws -> ClaimReport {
        let removed = request.reset ? try await accounts.reset() : nil
        let roster = accounts.roster
        let code = roster.isClaimed ? nil : try await accounts.newClaimCode()
        return ClaimReport(
            code: code,
            seconds: code == nil ? nil : Int(ClaimTable.lifeSeconds),
            addresses: addresses,
            claimedBy: roster.claimed?.name,
            claimedAt: roster.claimed.map { AccountText.date($0.time) },
            removedCount: removed,
            fingerprint: fingerprint()
        )
    }
}

extension Accounts {
    /// Makes a code that takes the place of the one before.
    ///
    /// - Throws: `Problem` `busy`, `store`.
    func newClaimCode() async throws -> String {
        let (code, clock) = (RandomSecret.spoken(groups: 2), clock)
        try await change { try ClaimTable(connection: $0).set(code, clock) }
        logger.notice("a claim code was made")
        return code
    }

    /// Removes all accounts, sessions, tokens and invitations; the audit and the history stay.
    ///
    /// - Returns: How many accounts there were.
    /// - Throws: `Problem` `busy`, `store`.
    package func reset() async throws -> Int {
        let (count, now) = (roster.accounts.count, clock.seconds())
        try await change { connection in
            try Self.removeAll(connection, count, by: "roost claim", at: now)
        }
        logger.notice("roost claim --reset removed all accounts: \(count)")
        return count
    }

    /// Takes what a card brought: called once, at the start.
    package func begin(with folder: String) {
        reset(by: folder)
        AccountBackup(self).applyCard(in: folder)
        takeCode(from: folder)
    }

    /// Does so because of a file of the card; before the card's code.
    func reset(by folder: String) {
        let name = "roost-reset-accounts.txt"
        let path = "\(folder)/\(name)"
        guard access(path, F_OK) == 0 else { return }
        // A file that stays would remove the next owner's account at the next start.
        guard access(folder, W_OK) == 0 else {
            return logger.error("\(path) removes no accounts, as it cannot be removed itself")
        }
        let (count, now) = (roster.accounts.count, clock.seconds())
        do {
            try startingWith { connection in
                try connection.transaction(.immediate, wrapping: { $0 as any Error }) {
                    () throws(any Error) in
                    try Self.removeAll(connection, count, by: name, at: now)
                }
                let roster = try Roster(reading: connection)
                self.memory.withLock { $0.roster = roster }
            }
            logger.notice("\(name) of the card removed all accounts: \(count)")
            guard unlink(path) == 0 else {
                throw FileError(path, .system(call: "unlink", code: errno))
            }
            try Files.sync(folder: folder)
        } catch { logger.error("\(name): \(error)") }
    }

    private static func removeAll(
        _ connection: Connection,
        _ count: Int,
        by actor: String,
        at now: Int64
    ) throws {
        try AccountTable(connection: connection).deleteAll()
        try InvitationTable(connection: connection).deleteAll()
        try ClaimTable(connection: connection).reset()
        let visitor = Visitor(time: now, address: "", agent: "")
        try audit(connection, actor, .reset, "\(count) accounts", visitor)
    }
}
