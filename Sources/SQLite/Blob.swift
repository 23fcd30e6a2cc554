import CSQLite

/// One blob in one row, read and written in place; its size never changes.
///
/// Belongs to the thread of its connection, and keeps it alive. An UPDATE or DELETE of the row by
/// SQL makes it stale: the next call throws `SQLITE_ABORT`, until `reopen(at:)`.
package final class Blob {
    private let connection: Connection
    private var handle: OpaquePointer?

    fileprivate init(_ connection: Connection, _ handle: OpaquePointer) {
        self.connection = connection
        self.handle = handle
    }

    deinit { sqlite3_blob_close(handle) }

    package var byteCount: Int { Int(sqlite3_blob_bytes(handle)) }

    /// Reads a part that must lie within the blob.
    package func read(at offset: Int = 0, count: Int) throws(SQLiteError) -> [UInt8] {
        try check(offset, count)
        var code = SQLITE_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard count > 0 else { return }
            code = sqlite3_blob_read(handle, buffer.baseAddress, Int32(count), Int32(offset))
            initialized = code == SQLITE_OK ? count : 0
        }
        guard code == SQLITE_OK else { throw connection.error(code) }
        return bytes
    }

    /// Replaces a part that must lie within the blob; without a transaction around it, it commits.
    package func write(_ bytes: [UInt8], at offset: Int = 0) throws(SQLiteError) {
        try check(offset, bytes.count)
        let code = sqlite3_blob_write(handle, bytes, Int32(bytes.count), Int32(offset))
        guard code == SQLITE_OK else { throw connection.error(code) }
    }

    /// Moves to the same column of another row: cheaper than opening anew.
    ///
    /// After it threw, only another `reopen(at:)` or `close()` makes sense.
    package func reopen(at row: Int64) throws(SQLiteError) {
        let code = sqlite3_blob_reopen(handle, row)
        guard code == SQLITE_OK else { throw connection.error(code) }
    }

    /// Lets go; a second call does nothing.
    ///
    /// - Throws: What the implied commit of a write outside a transaction says.
    package func close() throws(SQLiteError) {
        guard let handle else { return }
        self.handle = nil
        let code = sqlite3_blob_close(handle)
        guard code == SQLITE_OK else { throw connection.error(code) }
    }

    private func check(_ offset: Int, _ count: Int) throws(SQLiteError) {
        guard offset >= 0, count >= 0, offset <= byteCount - count else {
            let text = "bytes \(offset)..<\(offset + count) of a blob of \(byteCount)"
            throw SQLiteError(SQLITE_ERROR, text, path: connection.path)
        }
    }
}

extension Connection {
    /// Opens the blob in one row for incremental reading or writing.
    ///
    /// - Parameters:
    ///   - table: A table of the main database with rowids.
    ///   - column: Its column; to be written it must be in no index.
    ///   - isWritable: False acquires only the read lock.
    /// - Returns: The open blob; it keeps the connection alive.
    /// - Throws: `SQLITE_ERROR` when there is no such row or it holds no blob.
    package func blob(
        table: String,
        column: String,
        row: Int64,
        isWritable: Bool = false
    ) throws(SQLiteError) -> Blob {
        var opened: OpaquePointer?
        let flag: Int32 = isWritable ? 1 : 0
        let code = sqlite3_blob_open(database, "main", table, column, row, flag, &opened)
        guard code == SQLITE_OK, let opened else { throw error(code) }
        return Blob(self, opened)
    }
}
