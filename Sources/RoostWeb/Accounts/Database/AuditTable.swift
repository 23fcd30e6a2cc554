import SQLite

/// The last 1 000 changes in web.db.
struct AuditTable {
    static let countMax: Int64 = 1_000

    let connection: Connection

    /// Adds a line, in place of the oldest when there are `countMax`.
    func add(_ record: AuditRecord) throws(SQLiteError) {
        try connection.execute(
            "INSERT INTO audit(time, actor, action, target, address) VALUES (?, ?, ?, ?, ?)",
            record.time,
            String(record.actor.prefix(64)),
            record.action.rawValue,
            String(record.target.prefix(128)),
            String(record.address.prefix(64))
        )
        let last = connection.lastInsertedRow
        try connection.execute("DELETE FROM audit WHERE id <= ?", last - Self.countMax)
    }

    /// Newest first.
    ///
    /// - Parameters:
    ///   - before: Only older ones than this id; nil begins with the newest.
    ///   - limit: At most so many.
    /// - Returns: The rows with their ids.
    /// - Throws: What SQLite says.
    func page(before: Int64?, limit: Int) throws(SQLiteError) -> [(id: Int64, AuditRecord)] {
        let sql = """
            SELECT id, time, actor, action, target, address FROM audit WHERE id < ?
            ORDER BY id DESC LIMIT ?
            """
        return try connection.rows(sql, before ?? Int64.max, limit) { (row) throws(SQLiteError) in
            let (id, time): (Int64, Int64) = (try row[0], try row[1])
            let (actor, action): (String, String) = (try row[2], try row[3])
            let (target, address): (String, String) = (try row[4], try row[5])
            return (
                id,
                AuditRecord(
                    time: time,
                    actor: actor,
                    action: AuditAction(rawValue: action) ?? .change,
                    target: target,
                    address: address
                )
            )
        }
    }
}
