import ControlProtocol
import SQLite

/// Keys of programs in web.db.
struct TokenTable {
    static let countMax = 32

    let connection: Connection

    func all() throws(SQLiteError) -> [String: TokenRecord] {
        var found: [String: TokenRecord] = [:]
        let sql = "SELECT id, account, name, scopes, hash, created, last_used, ends FROM tokens"
        try connection.query(sql) { (row) throws(SQLiteError) in
            let (id, account, name): (String, Int64, String) = (try row[0], try row[1], try row[2])
            let (scopes, hash): (String, [UInt8]) = (try row[3], try row[4])
            let (created, lastUsed): (Int64, Int64?) = (try row[5], try row.optional(6))
            let ends: Int64 = try row[7]
            found[id] = TokenRecord(
                id: id,
                account: account,
                name: name,
                scopes: Set(
                    scopes.split(separator: " ").compactMap { TokenScope(rawValue: "\($0)") }
                ),
                hash: hash,
                created: created,
                lastUsed: lastUsed,
                ends: ends
            )
        }
        return found
    }

    /// Adds one in place of those that have ended.
    ///
    /// - Parameters:
    ///   - visitor: Who made it, and when.
    /// - Throws: `Problem` `conflict` when there are enough.
    func insert(_ token: TokenRecord, by visitor: Visitor) throws {
        try connection.execute("DELETE FROM tokens WHERE ends <= ?", visitor.age)
        let count: Int = try connection.scalar("SELECT count(*) FROM tokens") ?? 0
        guard count < Self.countMax else {
            throw Problem(.conflict, "\(Self.countMax) tokens exist: remove one first")
        }
        try connection.execute(
            """
            INSERT INTO tokens(id, account, name, scopes, hash, created, expires, ends)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            token.id,
            token.account,
            token.name,
            token.scopes.map(\.rawValue).sorted().joined(separator: " "),
            token.hash,
            token.created,
            visitor.date(of: token.ends),
            token.ends
        )
    }

    func touch(_ token: String, at now: Int64) throws(SQLiteError) {
        try connection.execute("UPDATE tokens SET last_used = ? WHERE id = ?", now, token)
    }

    func delete(_ token: String) throws(SQLiteError) {
        try connection.execute("DELETE FROM tokens WHERE id = ?", token)
    }
}
