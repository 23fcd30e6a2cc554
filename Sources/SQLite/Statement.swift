import CSQLite

/// A prepared statement and a cursor over its rows.
///
/// Belongs to the thread of its connection. One from `Connection.statement(_:)` keeps its
/// connection alive and is finalised when it is released.
package final class Statement {
    package let sql: String
    private let handle: OpaquePointer
    /// The connection that this keeps alive; nil for a statement in the connection's own cache.
    private let connection: Connection?

    init(_ sql: String, handle: OpaquePointer, connection: Connection?) {
        self.sql = sql
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column, as `AS` gave it.
    func columnName(_ index: Int) -> String {
        sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
    }

    /// Rewinds and replaces every argument.
    package func bind(_ arguments: (any SQLiteConvertible)?...) throws(SQLiteError) {
        try bind(arguments)
    }

    /// Moves to the next row; false after the last one.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw error(code) }
        return false
    }

    /// The row under the cursor; only between a `step()` that returned true and the next call.
    package var row: Row { Row(statement: self) }

    /// Rewinds, letting go of the read lock; arguments stay.
    package func reset() { sqlite3_reset(handle) }

    /// Whether it stands in the middle of its rows.
    var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Rewinds and forgets the arguments, and their memory with them.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func bind(_ arguments: [(any SQLiteConvertible)?]) throws(SQLiteError) {
        sqlite3_reset(handle)
        let wanted = Int(sqlite3_bind_parameter_count(handle))
        guard wanted == arguments.count else {
            let message = "\(arguments.count) arguments for \(wanted) parameters"
            throw SQLiteError(SQLITE_RANGE, message, sql: sql, path: path)
        }
        for (index, argument) in arguments.enumerated() {
            let code = bind(argument?.sqliteValue ?? .null, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies before returning.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
        case .real(let real): return sqlite3_bind_double(handle, index, real)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // A nil pointer would bind NULL.
                    let start = characters.baseAddress
                    return start == nil
                        ? sqlite3_bind_text(handle, index, "", 0, transient)
                        : sqlite3_bind_text64(
                            handle,
                            index,
                            start,
                            UInt64(characters.count),
                            transient,
                            UInt8(SQLITE_UTF8)
                        )
                }
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), transient)
        }
    }

    fileprivate func value(_ index: Int) -> SQLiteValue {
        let column = Int32(index)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, column) else { return .text("") }
            let count = Int(sqlite3_column_bytes(handle, column))
            return .text(
                String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
            )
        case SQLITE_BLOB: return .blob(withBytes(index) { [UInt8]($0) })
        default: return .null
        }
    }

    fileprivate func withBytes<Result>(
        _ index: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let start = sqlite3_column_blob(handle, Int32(index))
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(index)))
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }

    fileprivate func mismatch(_ index: Int, _ type: Any.Type) -> SQLiteError {
        let message = "column \(index) (\(columnName(index))) holds no \(type)"
        return SQLiteError(SQLITE_MISMATCH, message, sql: sql, path: path)
    }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code, database: sqlite3_db_handle(handle), sql: sql, path: path)
    }

    private var path: String {
        sqlite3_db_filename(sqlite3_db_handle(handle), "main").map { String(cString: $0) } ?? ""
    }
}

/// The row under a statement's cursor; it must not outlive the closure it was handed to.
package struct Row {
    private let statement: Statement

    fileprivate init(statement: Statement) { self.statement = statement }

    var columnCount: Int { statement.columnCount }

    /// The value of a column, 0 is the first.
    ///
    /// - Throws: `SQLITE_MISMATCH`, naming the column, when it is NULL or of another type: a
    ///   missing value never reads as 0.
    package subscript<Value: SQLiteConvertible>(index: Int) -> Value {
        get throws(SQLiteError) {
            guard let value = Value(statement.value(index)) else {
                throw statement.mismatch(index, Value.self)
            }
            return value
        }
    }

    /// The value of a column that may be NULL.
    ///
    /// - Throws: `SQLITE_MISMATCH` for any other type.
    package func optional<Value: SQLiteConvertible>(_ index: Int) throws(SQLiteError) -> Value? {
        let found = statement.value(index)
        guard found != .null else { return nil }
        guard let value = Value(found) else { throw statement.mismatch(index, Value.self) }
        return value
    }

    /// The value of the column, of any type.
    package func value(_ index: Int) -> SQLiteValue { statement.value(index) }

    /// The bytes of a blob or text in place, without a copy; empty for NULL.
    func withBytes<Result>(
        _ index: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        statement.withBytes(index, body)
    }
}
