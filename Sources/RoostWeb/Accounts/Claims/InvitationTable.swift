import ControlProtocol
import SQLite

/// Invitations in web.db; a code is good for one account.
struct InvitationTable {
    static let countMax = 16

    let connection: Connection

    func all(at age: Int64) throws(SQLiteError) -> [InvitationRecord] {
        let sql = """
            SELECT id, role, author, created, ends FROM invitations WHERE ends > ?
            ORDER BY id
            """
        return try connection.rows(sql, age) { (row) throws(SQLiteError) in
            let (id, role, author): (Int64, String, String) = (try row[0], try row[1], try row[2])
            let (created, ends): (Int64, Int64) = (try row[3], try row[4])
            return InvitationRecord(
                id: id,
                role: Role(rawValue: role) ?? .viewer,
                author: author,
                created: created,
                ends: ends
            )
        }
    }

    /// Adds one in place of those that have ended.
    ///
    /// - Throws: `Problem` `conflict` when there are enough.
    func insert(hash: [UInt8], _ invitation: InvitationRecord, by visitor: Visitor) throws {
        try connection.execute("DELETE FROM invitations WHERE ends <= ?", visitor.age)
        let count: Int = try connection.scalar("SELECT count(*) FROM invitations") ?? 0
        guard count < Self.countMax else {
            throw Problem(.conflict, "\(Self.countMax) invitations are open: withdraw one first")
        }
        try connection.execute(
            """
            INSERT INTO invitations(hash, role, author, created, expires, ends)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            hash,
            invitation.role.rawValue,
            invitation.author,
            invitation.created,
            visitor.date(of: invitation.ends),
            invitation.ends
        )
    }

    /// Returns the role that a code gives; nil when it is unknown, used or too old.
    func role(hash: [UInt8], at age: Int64) throws(SQLiteError) -> Role? {
        let text: String? = try connection.scalar(
            "SELECT role FROM invitations WHERE hash = ? AND ends > ?",
            hash,
            age
        )
        return text.flatMap(Role.init(rawValue:))
    }

    func delete(hash: [UInt8]) throws(SQLiteError) {
        try connection.execute("DELETE FROM invitations WHERE hash = ?", hash)
    }

    /// - Returns: Whether there was one.
    func delete(_ id: Int64) throws(SQLiteError) -> Bool {
        try connection.execute("DELETE FROM invitations WHERE id = ?", id)
        return connection.changeCount > 0
    }

    func deleteAll() throws(SQLiteError) { try connection.execute("DELETE FROM invitations") }
}
