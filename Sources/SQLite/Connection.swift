import CSQLite
import Glibc

/// One connection to one database file.
///
/// Not thread-safe and not `Sendable`: it belongs to the thread that opened it, and so do its
/// statements and blobs. Only its `Interrupter` may travel. It costs little memory: a page cache of
/// 512 KiB by default, no memory map (a failing card would raise SIGBUS), and at most
/// `statementCacheCountMax` prepared statements.
package final class Connection {
    /// How a file is opened.
    package enum Mode: Hashable, Sendable {
        /// Creates the file when it is missing; the folder must exist.
        case readWriteCreate
        /// Refuses a missing file.
        case readWrite
        /// Uses locks, so another process may write meanwhile.
        case readOnly
        /// Uses no locks and ignores journals: for a file that cannot change.
        case immutable
    }

    /// When a transaction acquires its lock.
    package enum TransactionKind: String, Hashable, Sendable {
        /// The lock is taken at the first read or write.
        case deferred = "DEFERRED"
        /// The write lock at once, so that it cannot fail half-way for want of it.
        case immediate = "IMMEDIATE"
    }

    /// Prepared statements kept by their SQL; at the bound the one unused longest is finalised.
    static let statementCacheCountMax = 32

    package let path: String
    let interrupter: Interrupter
    /// The database handle of SQLite; nil once closed.
    private var handle: OpaquePointer?
    private var cache: [String: (statement: Statement, usedAt: UInt64)] = [:]
    private var useCount: UInt64 = 0

    /// Opens the file and reads its header.
    ///
    /// A hot journal left by a power cut is rolled back here, unless the mode is read-only.
    ///
    /// - Parameters:
    ///   - path: The file; ":memory:" for none.
    ///   - mode: What may be done with it.
    ///   - vfs: The name of the layer below, such as "powercut"; nil for the system's own.
    ///   - busyTimeout: How long a call waits for another process's lock before `SQLITE_BUSY`.
    ///   - cacheKibibytes: Bound of the page cache; beyond it SQLite reads pages again, and spills
    ///     dirty ones into the file under the journal's protection.
    /// - Throws: `SQLITE_CANTOPEN`, or `SQLITE_NOTADB` for a file that is something else.
    package init(
        _ path: String,
        mode: Mode = .readWriteCreate,
        vfs: String? = nil,
        busyTimeout: Duration = .seconds(5),
        cacheKibibytes: Int = 512
    ) throws(SQLiteError) {
        self.path = path
        let (name, flags) = try Self.name(path, mode)
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, vfs)
        interrupter = Interrupter(opened)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(code, database: opened, path: path)
            interrupter.forget()
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_extended_result_codes(opened, 1)
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(opened, Int32(clamping: milliseconds))
        // A released half-made instance runs deinit, which closes the handle.
        try setPragma("cache_size", .integer(Int64(-cacheKibibytes)))
        try setPragma("mmap_size", .integer(0))
    }

    deinit {
        cache = [:]
        interrupter.forget()
        // Waits for the last statement or blob, should one still be alive.
        sqlite3_close_v2(handle)
    }

    /// Closes the file; a second call does nothing, any other call afterwards is a mistake.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement or blob is still alive; the connection stays open.
    package func close() throws(SQLiteError) {
        guard let handle else { return }
        cache = [:]
        interrupter.forget()
        let code = sqlite3_close(handle)
        guard code == SQLITE_OK else {
            interrupter.remember(handle)
            throw SQLiteError(code, database: handle, path: path)
        }
        self.handle = nil
    }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    package var changeCount: Int { Int(sqlite3_changes64(database)) }

    /// Rows changed since the file was opened.
    package var totalChangeCount: Int { Int(sqlite3_total_changes64(database)) }

    /// The rowid of the last INSERT.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(database) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

    var database: OpaquePointer {
        guard let handle else { preconditionFailure("\(path) is closed") }
        return handle
    }

    func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(code, database: handle, sql: sql, path: path)
    }

    private static func name(
        _ path: String,
        _ mode: Mode
    ) throws(SQLiteError) -> (String, Int32) {
        guard !path.utf8.contains(0) else {
            throw SQLiteError(SQLITE_CANTOPEN, "the path contains a NUL", path: path)
        }
        // Opening a pipe for reading waits for a writer, possibly without end.
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw SQLiteError(SQLITE_CANTOPEN, "it is no regular file", path: path)
        }
        // NOMUTEX: one thread at a time, as promised above, needs no lock per call.
        let common = SQLITE_OPEN_NOMUTEX
        switch mode {
        case .readWriteCreate: return (path, common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        case .readWrite: return (path, common | SQLITE_OPEN_READWRITE)
        case .readOnly: return (path, common | SQLITE_OPEN_READONLY)
        case .immutable:
            let name = "file:\(percentEncoded(path))?immutable=1"
            return (name, common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        }
    }

    private static func percentEncoded(_ path: String) -> String {
        let bytes = path.utf8.flatMap { byte in
            let digits = String(byte, radix: 16)
            return [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%")].contains(byte)
                ? [UInt8]("%\(digits)".utf8) : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - Statements

extension Connection {
    /// Prepares a statement that the caller keeps: for a cursor that outlives one call.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        Statement(sql, handle: try prepare(sql, flags: 0), connection: self)
    }

    /// Hands out the cached statement for this SQL, or a passing one while that one is in use.
    func cached(_ sql: String) throws(SQLiteError) -> Statement {
        useCount += 1
        if let statement = cache[sql]?.statement {
            cache[sql]?.usedAt = useCount
            // A query within its own row closure.
            return statement.isBusy ? try self.statement(sql) : statement
        }
        let handle = try prepare(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        let statement = Statement(sql, handle: handle, connection: nil)
        let oldest = cache.min { $0.value.usedAt < $1.value.usedAt }?.key
        if cache.count >= Self.statementCacheCountMax, let oldest { cache[oldest] = nil }
        cache[sql] = (statement, useCount)
        return statement
    }

    private func prepare(_ sql: String, flags: UInt32) throws(SQLiteError) -> OpaquePointer {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
        guard let prepared else {
            throw SQLiteError(SQLITE_MISUSE, "there is no statement", sql: sql, path: path)
        }
        return prepared
    }
}

extension Connection {
    /// Runs one statement to its end; rows it returns are dropped.
    package func execute(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...
    ) throws(SQLiteError) {
        try run(sql, arguments) { (_) throws(SQLiteError) in true }
    }

    /// Runs several statements, separated by semicolons, without arguments.
    package func executeScript(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
    }

    /// Hands each row to the closure as it is read, in constant memory.
    package func query(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...,
        row: (Row) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try run(sql, arguments) { (found) throws(SQLiteError) in
            try row(found)
            return true
        }
    }

    /// The rows, each turned into a value.
    package func rows<Value>(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...,
        as convert: (Row) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> [Value] {
        var values: [Value] = []
        try run(sql, arguments) { (found) throws(SQLiteError) in
            values.append(try convert(found))
            return true
        }
        return values
    }

    /// The first column of the first row; nil when there is no row or it is NULL.
    package func scalar<Value: SQLiteConvertible>(
        _ sql: String,
        _ arguments: (any SQLiteConvertible)?...
    ) throws(SQLiteError) -> Value? {
        var value: Value?
        try run(sql, arguments) { (found) throws(SQLiteError) in
            value = try found.optional(0)
            return false
        }
        return value
    }

    /// Steps until the closure returns false or the rows end.
    private func run(
        _ sql: String,
        _ arguments: [(any SQLiteConvertible)?],
        _ row: (Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        let statement = try cached(sql)
        defer { statement.clear() }
        try statement.bind(arguments)
        while try statement.step() {
            guard try row(statement.row) else { return }
        }
    }

    /// Runs the closure in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// One inside another is a programmer's mistake and traps.
    ///
    /// - Throws: What the closure throws, or what BEGIN or COMMIT say. After a failed COMMIT
    ///   nothing of the transaction is kept.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try transaction(kind, wrapping: { $0 }, body)
    }

    /// A transaction whose closure throws an error of its own kind.
    ///
    /// `wrap` makes an error of that kind of what SQLite says to BEGIN and COMMIT.
    package func transaction<Result, Failure: Error>(
        _ kind: TransactionKind = .immediate,
        wrapping wrap: (SQLiteError) -> Failure,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(!isInTransaction, "a transaction is open already")
        do { try execute("BEGIN \(kind.rawValue)") } catch { throw wrap(error) }
        // SQLite ends the transaction by itself after some errors, a full disk for one. Should the
        // ROLLBACK fail, the next opening rolls back; the first error is the one to throw.
        defer { if isInTransaction { try? execute("ROLLBACK") } }
        let result = try body()
        do { try execute("COMMIT") } catch { throw wrap(error) }
        return result
    }
}

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

/// How far a backup has come.
package struct BackupProgress: Hashable, Sendable {
    package let pagesDone: Int
    package let pageCount: Int
}

extension Connection {
    /// Copies the database into another file, page by page, while it may be in use.
    ///
    /// The copy is durable when this returns. Should another process write meanwhile, SQLite starts
    /// over: the progress jumps back. An existing file at the path is overwritten.
    ///
    /// - Parameters:
    ///   - destination: The file; created when missing.
    ///   - vfs: The layer below the copy; nil for the system's own.
    ///   - pagesPerStep: Pages copied under one lock, 256 being 1 MiB at 4 KiB a page.
    ///   - progress: Called after each step; false stops with `SQLITE_INTERRUPT`, and leaves an
    ///     unfinished copy to be removed.
    /// - Throws: What either file says; an unfinished copy is left to be removed.
    package func backup(
        to destination: String,
        vfs: String? = nil,
        pagesPerStep: Int = 256,
        progress: (BackupProgress) -> Bool = { _ in true }
    ) throws(SQLiteError) {
        let copy = try Connection(destination, vfs: vfs)
        guard let backup = sqlite3_backup_init(copy.database, "main", database, "main") else {
            throw copy.error(sqlite3_extended_errcode(copy.database))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, Int32(pagesPerStep))
            let pageCount = Int(sqlite3_backup_pagecount(backup))
            let left = Int(sqlite3_backup_remaining(backup))
            let step = BackupProgress(pagesDone: pageCount - left, pageCount: pageCount)
            if code == SQLITE_OK, !progress(step) { code = SQLITE_INTERRUPT }
            if code == SQLITE_DONE { _ = progress(step) }
        }
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw SQLiteError(code, database: copy.database, path: destination)
        }
        guard finished == SQLITE_OK else { throw copy.error(finished) }
        try copy.close()
    }
}
