import ControlProtocol
import SQLite

/// Accounts in web.db.
struct AccountTable {
    static let countMax = 32

    let connection: Connection

    private static let columns = "id, name, email, role, location, preferences, created"

    func all() throws(SQLiteError) -> [AccountRecord] {
        let sql = "SELECT \(Self.columns) FROM accounts ORDER BY id"
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            let (id, name, email): (Int64, String, String) = (try row[0], try row[1], try row[2])
            let (role, location): (String, String?) = (try row[3], try row.optional(4))
            let (preferences, created): (String, Int64) = (try row[5], try row[6])
            return AccountRecord(
                id: id,
                name: name,
                email: email,
                role: Role(rawValue: role) ?? .viewer,
                location: location,
                preferences: preferences,
                created: created
            )
        }
    }

    /// Returns the hash of an account's password.
    func password(of account: Int64) throws(SQLiteError) -> String? {
        try connection.scalar("SELECT password FROM accounts WHERE id = ?", account)
    }

    /// - Returns: The new id.
    /// - Throws: `Problem` `conflict` when the address is taken or there are enough accounts.
    func insert(_ person: NewPerson, _ role: Role, password: String, at now: Int64) throws -> Int64
    {
        let count: Int = try connection.scalar("SELECT count(*) FROM accounts") ?? 0
        guard count < Self.countMax else {
            throw Problem(.conflict, "\(Self.countMax) accounts exist, and more are not possible")
        }
        try demandFree(person.email, besides: 0)
        try connection.execute(
            "INSERT INTO accounts(name, email, password, role, created) VALUES (?, ?, ?, ?, ?)",
            person.name,
            person.email,
            password,
            role.rawValue,
            now
        )
        return connection.lastInsertedRow
    }

    /// - Throws: `Problem` `conflict` when the address is taken.
    func update(_ account: AccountRecord) throws {
        try demandFree(account.email, besides: account.id)
        try connection.execute(
            """
            UPDATE accounts SET name = ?, email = ?, role = ?, location = ?, preferences = ?
            WHERE id = ?
            """,
            account.name,
            account.email,
            account.role.rawValue,
            account.location,
            account.preferences,
            account.id
        )
    }

    func setPassword(_ password: String, of account: Int64) throws(SQLiteError) {
        try connection.execute("UPDATE accounts SET password = ? WHERE id = ?", password, account)
    }

    /// - Throws: `Problem` `conflict` when no owner would be left.
    func demandOtherOwner(than account: Int64) throws {
        let others: Int? = try connection.scalar(
            "SELECT count(*) FROM accounts WHERE role = 'owner' AND id <> ?",
            account
        )
        guard others ?? 0 > 0 else {
            throw Problem(.conflict, "the last owner stays: make another member an owner first")
        }
    }

    /// Removes an account with its sessions and tokens.
    func delete(_ account: Int64) throws(SQLiteError) {
        try connection.execute("DELETE FROM accounts WHERE id = ?", account)
    }

    func deleteAll() throws(SQLiteError) { try connection.execute("DELETE FROM accounts") }

    private func demandFree(_ email: String, besides account: Int64) throws {
        let owner: Int64? = try connection.scalar(
            "SELECT id FROM accounts WHERE email = ? AND id <> ?",
            email,
            account
        )
        guard owner == nil else {
            let detail = "an account with this address exists"
            throw Problem(
                .conflict,
                detail,
                places: [Problem.Place(pointer: "/email", detail: detail)]
            )
        }
    }
}
