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

    package var description: String {
        "\(path): \(message) (SQLite \(extendedCode))" + (sql.map { " in: \($0)" } ?? "")
    }
}
