import SQLite

/// Sessions in web.db.
struct SessionTable {
    static let accountMax = 16
    static let countMax = 128

    let connection: Connection

    func all() throws(SQLiteError) -> [[UInt8]: SessionRecord] {
        var found: [[UInt8]: SessionRecord] = [:]
        let sql = """
            SELECT hash, id, account, created, last_used, agent, address, born, used FROM sessions
            """
        try connection.query(sql) { (row) throws(SQLiteError) in
            let (hash, id, account): ([UInt8], Int64, Int64) = (
                try row[0], try row[1], try row[2]
            )
            let (created, lastUsed): (Int64, Int64) = (try row[3], try row[4])
            let (agent, address): (String, String) = (try row[5], try row[6])
            let (born, used): (Int64, Int64) = (try row[7], try row[8])
            found[hash] = SessionRecord(
                id: id,
                account: account,
                created: created,
                lastUsed: lastUsed,
                agent: agent,
                address: address,
                born: born,
                used: used
            )
        }
        return found
    }

    /// Adds one; the account's oldest beyond 16, and the oldest of all beyond 128, end.
    func insert(hash: [UInt8], of account: Int64, by visitor: Visitor) throws(SQLiteError) {
        try deleteOutdated(at: visitor.age)
        try connection.execute(
            """
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE account = ?
                ORDER BY used DESC, id DESC LIMIT -1 OFFSET \(Self.accountMax - 1))
            """,
            account
        )
        try connection.execute(
            """
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions ORDER BY used DESC, id DESC
                LIMIT -1 OFFSET \(Self.countMax - 1))
            """
        )
        try connection.execute(
            """
            INSERT INTO sessions(account, hash, created, last_used, agent, address, born, used)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            account,
            hash,
            visitor.time,
            visitor.time,
            visitor.agent,
            visitor.address,
            visitor.age,
            visitor.age
        )
    }

    /// Adds a session that began without the card, unless its account is gone or it is there.
    ///
    /// It gets another number where another session has its own.
    func insert(_ session: SessionRecord, hash: [UInt8]) throws(SQLiteError) {
        try connection.execute(
            """
            INSERT INTO sessions(
                id, account, hash, created, last_used, agent, address, born, used)
            SELECT CASE WHEN EXISTS (SELECT 1 FROM sessions WHERE id = ?) THEN NULL ELSE ? END,
                id, ?, ?, ?, ?, ?, ?, ?
            FROM accounts
            WHERE id = ? AND NOT EXISTS (SELECT 1 FROM sessions WHERE hash = ?)
            """,
            session.id,
            session.id,
            hash,
            session.created,
            session.lastUsed,
            session.agent,
            session.address,
            session.born,
            session.used,
            session.account,
            hash
        )
    }

    func delete(_ session: Int64) throws(SQLiteError) {
        try connection.execute("DELETE FROM sessions WHERE id = ?", session)
    }

    /// Notes a use: its date, and the count of `SessionAge`.
    func touch(_ session: Int64, at now: Int64, age: Int64) throws(SQLiteError) {
        let sql = "UPDATE sessions SET last_used = ?, used = ? WHERE id = ?"
        try connection.execute(sql, now, age, session)
    }

    /// - Returns: Whether there was one.
    func delete(_ session: Int64, of account: Int64) throws(SQLiteError) -> Bool {
        let sql = "DELETE FROM sessions WHERE id = ? AND account = ?"
        try connection.execute(sql, session, account)
        return connection.changeCount > 0
    }

    /// Ends all sessions of an account but the one kept, if any.
    func deleteAll(of account: Int64, except kept: Int64? = nil) throws(SQLiteError) {
        let sql = "DELETE FROM sessions WHERE account = ? AND id IS NOT ?"
        try connection.execute(sql, account, kept)
    }

    private func deleteOutdated(at age: Int64) throws(SQLiteError) {
        try connection.execute(
            "DELETE FROM sessions WHERE used <= ? OR born <= ?",
            age - SessionRecord.idleMax,
            age - SessionRecord.ageMax
        )
    }
}

/// Address and time of a request.
struct Visitor: Hashable, Sendable {
    let time: Int64
    let address: String
    let agent: String
    /// Time of the request on the count of `SessionAge`.
    var age: Int64 = 0

    /// The date of a moment of that count, for people: as the clock of now has it.
    func date(of moment: Int64) -> Int64 { time + (moment - age) }
}
