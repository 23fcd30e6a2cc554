import ControlProtocol
import Core
import FileIO
import Glibc
import HardwareIO
import Logging
import SQLite
import Synchronization

/// People of the dashboard in a backup: their accounts with the hashes of their passwords.
struct AccountBackup: Sendable {
    struct Person: Codable, Hashable, Sendable {
        let name: String
        let email: String
        let role: Role
        let location: String?
        let preferences: String
        let created: Int64
        /// Hash of the password, by Argon2id.
        let password: String
    }

    private struct Content: Codable { let people: [Person] }

    private let accounts: Accounts
    /// The account that restores: its session goes on, also where the backup does not have it.
    private let kept: Int64?

    init(_ accounts: Accounts, keeping account: Int64? = nil) {
        (self.accounts, kept) = (accounts, account)
    }

    /// Answers `back-up` and `restore`.
    ///
    /// - Parameter user: Who asks.
    func table(for user: LocalUser) -> QuestionTable {
        var table = QuestionTable("the dashboard") { _ in user }
        table.on(BackUp.self) { question, _ in
            guard question.secrets else {
                return BackupPartReport(
                    content: try ControlCodec.line(Content(people: [])),
                    leftOutCount: accounts.roster.accounts.count
                )
            }
            let people = try await accounts.read { try Self.people($0).map(\.person) }
            return BackupPartReport(content: try ControlCodec.line(Content(people: people)))
        }
        table.on(RestorePart.self) { question, asker in
            try await restore(question, by: asker.actor ?? "roost restore")
        }
        return table
    }

    private static func people(
        _ connection: Connection
    ) throws(SQLiteError) -> [(id: Int64, person: Person)] {
        let table = AccountTable(connection: connection)
        var people: [(id: Int64, person: Person)] = []
        for account in try table.all() {
            people.append((account.id, Person(account, try table.password(of: account.id) ?? "")))
        }
        return people
    }

    // MARK: Restoring

    /// Restores what `roost provision` found on the card, once.
    func applyCard(in folder: String) {
        let path = "\(folder)/roost-restore-people.json"
        do {
            guard let bytes = try Files.readIfThere(path, limit: 1 << 20) else { return }
            let people = try Self.people(String(decoding: bytes, as: UTF8.self))
            guard !people.isEmpty else { return try Self.remove(path) }
            let visitor = Visitor(time: accounts.clock.seconds(), address: "", agent: "")
            try accounts.startingWith { connection in
                try connection.transaction(.immediate, wrapping: { $0 as any Error }) {
                    () throws(any Error) in
                    try Self.write(people, to: connection, keeping: nil)
                    let words = "\(people.count) accounts of a backup"
                    try Accounts.audit(connection, "card", .restore, words, visitor)
                }
                let roster = try Roster(reading: connection)
                accounts.memory.withLock { $0.roster = roster }
            }
            try Self.remove(path)
            accounts.logger.notice("\(people.count) accounts of the card's backup are restored")
        } catch { accounts.logger.error("the people of the backup are not restored: \(error)") }
    }

    private static func remove(_ path: String) throws(FileError) {
        guard unlink(path) != 0 else { return }
        throw FileError(path, .system(call: "unlink", code: errno))
    }

    /// The people of a part, checked.
    private static func people(_ content: String) throws(ControlFailure) -> [Person] {
        let people: [Person]
        do { people = try ControlCodec.message(Content.self, from: content).people } catch {
            throw .badRequest("the part of roost-web cannot be read: \(error.message)")
        }
        // A station without an owner has no account to bring back: those here stay.
        if !people.isEmpty { try check(people) }
        return people
    }

    private func restore(_ question: RestorePart, by actor: String) async throws -> RestoreReport {
        let people = try Self.people(question.content)
        let present = try await accounts.read { try Self.people($0) }
        let report = report(from: present, to: people)
        let kept = kept
        let isBeside = people.contains { person in
            present.contains { $0.id == kept && $0.person.hasAddress(of: person) }
        }
        guard isBeside || kept == nil || people.count < AccountTable.countMax else {
            throw ControlFailure.badRequest(
                "the part of roost-web leaves no room for your account"
            )
        }
        guard !question.isTrial, !people.isEmpty else { return report }
        let visitor = Visitor(time: accounts.clock.seconds(), address: "", agent: "")
        try await accounts.change { connection in
            try Self.write(people, to: connection, keeping: kept)
            // A request over HTTP has its own line.
            guard kept == nil else { return }
            let words = "\(people.count) accounts of a backup"
            try Accounts.audit(connection, actor, .restore, words, visitor)
        }
        accounts.logger.notice("\(people.count) accounts of a backup were restored")
        return report
    }

    private static func check(_ people: [Person]) throws(ControlFailure) {
        guard people.count <= AccountTable.countMax,
            Set(people.map { $0.email.lowercased() }).count == people.count
        else { throw .badRequest("the part of roost-web has too many accounts, or one twice") }
        guard people.contains(where: { $0.role == .owner }) else {
            throw .badRequest("the part of roost-web has no owner")
        }
        for person in people {
            guard (try? NewPerson(name: person.name, email: person.email)) != nil,
                PasswordHash.isOfBoundedCost(person.password),
                hasPreferences(person)
            else { throw .badRequest("the part of roost-web has an account that cannot be one") }
        }
    }

    private static func hasPreferences(_ person: Person) -> Bool {
        let bytes = Array(person.preferences.utf8)
        return (try? JSONBody.decoded([String: Preference].self, from: bytes)) != nil
    }

    private func report(
        from present: [(id: Int64, person: Person)],
        to people: [Person]
    ) -> RestoreReport {
        var items: [RestoreReport.Item] = []
        guard !people.isEmpty else { return RestoreReport(items) }
        for person in people {
            let before = present.first { $0.person.hasAddress(of: person) }?.person
            if let item = RestoreReport.Item(.person, person.name, before, person) {
                items.append(item)
            }
        }
        for (id, person) in present where !people.contains(where: { person.hasAddress(of: $0) }) {
            items.append(RestoreReport.Item(.person, person.name, id == kept ? .same : .removed))
        }
        return RestoreReport(items)
    }

    private static func write(
        _ people: [Person],
        to connection: Connection,
        keeping kept: Int64?
    ) throws {
        let table = AccountTable(connection: connection)
        let present = try Self.people(connection)
        for (id, person) in present
        where id != kept && !people.contains(where: { person.hasAddress(of: $0) }) {
            try table.delete(id)
        }
        for person in people {
            let new = try NewPerson(name: person.name, email: person.email)
            let before = present.first { $0.person.hasAddress(of: person) }
            let id: Int64
            if let before {
                id = before.id
            } else {
                let (hash, time) = (person.password, person.created)
                id = try table.insert(new, person.role, password: hash, at: time)
            }
            try table.update(person.account(id))
            guard let before, before.person.password != person.password else { continue }
            try table.setPassword(person.password, of: id)
            // A password that is another one ends what was begun with the one before.
            if id != kept {
                try SessionTable(connection: connection).deleteAll(of: id, except: nil)
            }
        }
        try InvitationTable(connection: connection).deleteAll()
    }
}

extension AccountBackup.Person {
    fileprivate init(_ account: AccountRecord, _ password: String) {
        self.init(
            name: account.name,
            email: account.email,
            role: account.role,
            location: account.location,
            preferences: account.preferences,
            created: account.created,
            password: password
        )
    }

    fileprivate func hasAddress(of other: Self) -> Bool {
        email.lowercased() == other.email.lowercased()
    }

    fileprivate func account(_ id: Int64) -> AccountRecord {
        AccountRecord(
            id: id,
            name: name,
            email: email,
            role: role,
            location: location,
            preferences: preferences,
            created: created
        )
    }
}
