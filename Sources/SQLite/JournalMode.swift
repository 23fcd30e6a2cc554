import CSQLite

/// How SQLite protects a transaction.
package enum JournalMode: String, Hashable, Sendable {
    case delete
    case truncate
    case persist
    case memory
    case wal
    case off
}

/// How often SQLite waits for the card.
package enum SynchronousMode: Int64, Hashable, Sendable {
    case off = 0
    case normal = 1
    case full = 2
    /// Syncs the folder too, after the journal is gone.
    case extra = 3
}

extension Connection {
    /// The value of a pragma; nil when there is none by that name.
    ///
    /// The name may hold the pragma's argument; it must never come from outside.
    package func pragma<Value: SQLiteConvertible>(_ name: String) throws(SQLiteError) -> Value? {
        try scalar("PRAGMA \(name)")
    }

    /// Sets a pragma; one that SQLite does not know is ignored by it.
    package func setPragma(_ name: String, _ value: SQLiteValue) throws(SQLiteError) {
        switch value {
        case .integer(let integer): try execute("PRAGMA \(name) = \(integer)")
        case .text(let word): try execute("PRAGMA \(name) = \(word)")
        case .null, .real, .blob: preconditionFailure("a pragma needs an integer or a name")
        }
    }

    /// Changes how transactions are protected.
    ///
    /// - Throws: `SQLITE_ERROR` when SQLite keeps another mode, as it does for a database in
    ///   memory, or while another process has the file open.
    package func setJournalMode(_ mode: JournalMode) throws(SQLiteError) {
        let sql = "PRAGMA journal_mode = \(mode.rawValue)"
        let kept: String? = try scalar(sql)
        guard kept == mode.rawValue else {
            let reason = "the journal mode stays \(kept ?? "unknown")"
            throw SQLiteError(SQLITE_ERROR, reason, sql: sql, path: path)
        }
    }

    func journalMode() throws(SQLiteError) -> JournalMode? {
        let word: String? = try pragma("journal_mode")
        return word.flatMap(JournalMode.init(rawValue:))
    }

    package func setSynchronous(_ mode: SynchronousMode) throws(SQLiteError) {
        try setPragma("synchronous", .integer(mode.rawValue))
    }

    /// Bytes of a page: set it before the first table, a power of two, 512…65 536.
    package func setPageSize(_ byteCount: Int) throws(SQLiteError) {
        try setPragma("page_size", .integer(Int64(byteCount)))
    }

    package func pageSize() throws(SQLiteError) -> Int { try pragma("page_size") ?? 0 }

    /// Pages in the file, unused ones too.
    package func pageCount() throws(SQLiteError) -> Int { try pragma("page_count") ?? 0 }

    /// Four bytes in the header that say whose file this is.
    package func setApplicationID(_ id: Int32) throws(SQLiteError) {
        try setPragma("application_id", .integer(Int64(id)))
    }

    package func applicationID() throws(SQLiteError) -> Int32 {
        Int32(truncatingIfNeeded: try pragma("application_id") ?? Int64(0))
    }

    /// Four bytes in the header for the application's own use.
    package func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try setPragma("user_version", .integer(Int64(version)))
    }

    package func userVersion() throws(SQLiteError) -> Int32 {
        Int32(truncatingIfNeeded: try pragma("user_version") ?? Int64(0))
    }

    /// Moves what the write-ahead log holds into the database and empties the log.
    package func checkpoint() throws(SQLiteError) {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Returns faults of the file, at most `limit`; none when it is sound.
    ///
    /// Reads the whole file, all indexes too: minutes on a slow card. The interrupter ends it.
    package func integrityCheck(limit: Int = 100) throws(SQLiteError) -> [String] {
        do {
            let sql = "PRAGMA integrity_check(\(limit))"
            let found = try rows(sql) { (row) throws(SQLiteError) in
                let reason: String = try row[0]
                return reason
            }
            return found == ["ok"] ? [] : found
        } catch  where error.isCorrupt {
            // Damage to the schema itself ends the check.
            return [error.message]
        } catch {
            throw error
        }
    }
}
