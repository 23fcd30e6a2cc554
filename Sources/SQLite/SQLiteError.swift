import CSQLite

/// An error of SQLite, with the statement and file that it concerns.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Primary result code, such as `SQLITE_BUSY` (5).
    package let code: Int32
    /// Extended result code.
    package let extendedCode: Int32
    package let message: String
    /// The statement, or nil outside one.
    package let sql: String?
    /// The database file.
    package let path: String

    package init(code: Int32, extendedCode: Int32, message: String, sql: String?, path: String) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
    }

    /// SQLITE_IOERR_SHMSIZE: the card has no room for what processes share.
    var hasNoSharedMemory: Bool { extendedCode == 4_874 }

    package var description: String {
        if hasNoSharedMemory {
            return
                "\(path): no space left on the card for its shared memory (SQLite \(extendedCode))"
        }
        return "\(path): \(message) (SQLite \(extendedCode))" + (sql.map { " in: \($0)" } ?? "")
    }
}

extension SQLiteError {
    /// Takes the message from the database handle; without one, that of the code.
    init(_ code: Int32, database: OpaquePointer?, sql: String? = nil, path: String) {
        // The handle describes the last call only: its text is used when its code is the same.
        let isOfThisCall = database.map { sqlite3_errcode($0) & 0xFF == code & 0xFF } ?? false
        let extended = isOfThisCall ? sqlite3_extended_errcode(database) : code
        let text = isOfThisCall ? sqlite3_errmsg(database) : sqlite3_errstr(code)
        self.init(
            code: code & 0xFF,
            extendedCode: extended,
            message: text.map { String(cString: $0) } ?? "unknown error",
            sql: sql,
            path: path
        )
    }

    /// A refusal of this layer, with SQLite's text for the code.
    init(_ code: Int32, _ message: String, sql: String? = nil, path: String) {
        self.init(code: code & 0xFF, extendedCode: code, message: message, sql: sql, path: path)
    }

    /// Whether the card or the file system is out of space.
    package var isFull: Bool { code == SQLITE_FULL || hasNoSharedMemory }
    /// Whether another process holds the file, longer than the busy timeout.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// Whether the file is no database or a damaged one.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
    /// Whether the file, or the medium below it, refuses writes.
    package var isReadOnly: Bool { code == SQLITE_READONLY }
    /// Whether the file, or its folder, could not be opened.
    package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
    /// Whether the file system refused to read or to write.
    package var isInputOutput: Bool { code == SQLITE_IOERR }
    /// Whether the file or its medium is the cause, and not the statement.
    package var isOfMedium: Bool {
        isFull || isCorrupt || isReadOnly || isCannotOpen || isInputOutput
    }
    package var isInterrupted: Bool { code == SQLITE_INTERRUPT }
}
