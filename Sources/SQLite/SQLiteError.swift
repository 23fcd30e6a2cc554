/// What SQLite said, with what it was asked.
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
