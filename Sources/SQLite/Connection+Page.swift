import CSQLite

extension Connection {
    /// A page of the file as it lies there; what is in the write-ahead log alone is not in it.
    ///
    /// Read through SQLite's own descriptor: closing another one would drop its locks.
    ///
    /// - Parameters:
    ///   - number: From 1 on.
    ///   - size: Bytes of a page.
    /// - Returns: Its bytes.
    /// - Throws: `SQLITE_IOERR` when it cannot be read, or is not there.
    package func filePage(_ number: Int, size: Int) throws(SQLiteError) -> [UInt8] {
        var opened: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &opened)
        guard code == SQLITE_OK, let opened, let read = opened.pointee.pMethods?.pointee.xRead
        else { throw error(code == SQLITE_OK ? SQLITE_CANTOPEN : code) }
        var bytes = [UInt8](repeating: 0, count: size)
        let offset = sqlite3_int64(number - 1) * sqlite3_int64(size)
        let result = bytes.withUnsafeMutableBytes { buffer in
            read(opened, buffer.baseAddress, Int32(size), offset)
        }
        guard result == SQLITE_OK else { throw error(result) }
        return bytes
    }
}
