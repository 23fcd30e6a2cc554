import Core
import Glibc
import SQLite

/// The file of a history: opened or made, checked, and set aside when it is unusable.
package enum HistoryFile {
    /// Damaged histories that are kept; a further one replaces the last.
    static let setAsideCountMax = 9

    /// Opens the history at `path`, or makes one with all its room.
    ///
    /// An unusable file is moved aside, never deleted: a store always starts.
    ///
    /// - Parameters:
    ///   - plan: How large a new one is made; one that is there keeps its size.
    ///   - version: The program's version, for the record of migrations.
    /// - Returns: The history, and the state of the file.
    /// - Throws: `StoreError` when the folder or the card refuses.
    package static func open(
        path: String,
        plan: StorePlan,
        version: String = "",
        testHooks: HistoryTestHooks = HistoryTestHooks()
    ) throws(StoreError) -> (History, HistoryOpening) {
        clearNames(path)
        do {
            return try openOrMake(path, plan, version, testHooks)
        } catch {
            guard case .database(let found) = error, isUnusable(path, found) else { throw error }
            let aside = setAside(path)
            var plan = plan
            let copy = path + HistorySchema.copySuffix
            plan.shape = HistoryShape.find(aside, copy, vfs: testHooks.vfs)
            let (history, _) = try openOrMake(path, plan, version, testHooks)
            return (history, .setAside(path: aside, because: found.message))
        }
    }

    static func open(_ place: StoreLocation) throws(StoreError) -> (History, HistoryOpening) {
        try open(
            path: place.historyPath,
            plan: place.plan,
            version: place.version,
            testHooks: place.testHooks
        )
    }

    /// Moves a history out of the way, with what belongs to it; the caller has closed it.
    ///
    /// - Returns: Its new path.
    @discardableResult
    package static func setAside(_ path: String) -> String {
        let aside = freeName(beside: path)
        for suffix in ["", "-wal", "-journal"] { rename(path + suffix, aside + suffix) }
        // SQLite's shared memory is of no use without a process; a folder may have its name.
        if unlink(path + "-shm") != 0 { rename(path + "-shm", aside + "-shm") }
        return aside
    }

    /// Moves aside a folder or link at a path that SQLite needs for a side file.
    ///
    /// A folder in place of the shared memory would make it try for ten seconds.
    ///
    /// - Returns: Its new path.
    @discardableResult
    static func clearNames(_ path: String) -> [String] {
        var moved: [String] = []
        for suffix in ["-wal", "-journal", "-shm"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
                continue
            }
            let aside = freeName(beside: path) + suffix
            if rename(path + suffix, aside) == 0 { moved.append(aside) }
        }
        return moved
    }

    /// The path that was set aside last; nil without one.
    static func newestSetAside(beside path: String) -> String? {
        (1...setAsideCountMax).map { "\(path).damaged-\($0)" }.last { access($0, F_OK) == 0 }
    }

    /// A name for a moved file; at the bound the last one set aside is replaced.
    static func freeName(beside path: String) -> String {
        let names = (1...setAsideCountMax).map { "\(path).damaged-\($0)" }
        var status = stat()
        // Neither name may be in use, since a database needs its side files; a link counts too.
        let isFree = { (name: String) in
            ["", "-wal", "-journal", "-shm"].allSatisfy { lstat(name + $0, &status) != 0 }
        }
        return names.first(where: isFree) ?? names[setAsideCountMax - 1]
    }

    /// Whether the file or one of its side files is at fault, and not the card.
    static func isUnusable(_ path: String, _ error: SQLiteError) -> Bool {
        // SQLITE_ERROR: the schema differs from ours.
        if error.isCorrupt || error.code == 1 { return true }
        // A folder, a link to itself, a file of another user: SQLITE_CANTOPEN, _READONLY, _IOERR.
        guard error.isCannotOpen || error.isReadOnly || error.isInputOutput else { return false }
        return ["", "-wal", "-journal", "-shm"].contains { suffix in
            var status = stat()
            guard lstat(path + suffix, &status) == 0, canSetAside(path + suffix) else {
                return false
            }
            let isFile = stat(path + suffix, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            return !isFile || access(path + suffix, R_OK | W_OK) != 0 && errno != EROFS
        }
    }

    /// A file, folder or link in a folder that can be written; never a device.
    static func canSetAside(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFBLK else { return false }
        if status.st_mode & S_IFMT == S_IFLNK {
            var target = stat()
            let isThere = stat(path, &target) == 0
            guard !isThere || target.st_mode & S_IFMT != S_IFBLK else { return false }
        }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return access(folder.isEmpty ? "/" : folder, W_OK) == 0
    }

    private static func openOrMake(
        _ path: String,
        _ plan: StorePlan,
        _ version: String,
        _ testHooks: HistoryTestHooks
    ) throws(StoreError) -> (History, HistoryOpening) {
        do {
            let connection = try Connection(path, mode: .readWriteCreate, vfs: testHooks.vfs)
            try checkHeader(of: connection)
            let isFresh = try connection.pageCount() == 0
            if isFresh {
                try connection.setPageSize(HistorySchema.pageSize)
                try connection.setApplicationID(HistorySchema.applicationID)
            } else if try connection.applicationID() != HistorySchema.applicationID {
                throw connection.damaged("it is a database of something else")
            }
            if !isFresh { try checkSize(of: connection) }
            var plan = plan
            plan.streamPlaces = testHooks.streamPlaces ?? plan.streamPlaces
            let migrations = HistorySchema.migrations(plan, and: testHooks.laterSteps)
            return try migrate(connection, isFresh: isFresh, migrations, version)
        } catch let error as SQLiteError {
            throw .database(error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("nothing else is thrown above")
        }
    }

    /// Requires that the small tables are whole: 2 MiB at most, for every size of the rings.
    private static func checkCatalogue(of connection: Connection) throws(SQLiteError) {
        for table in HistorySchema.catalogueTables {
            let text: String? = try connection.scalar("PRAGMA quick_check('\(table)')")
            guard let text, text != "ok" else { continue }
            throw connection.damaged("the table \(table) is damaged: \(text)")
        }
    }

    /// Requires that the file has the length in its header; it always is, from the first day on.
    private static func checkSize(of connection: Connection) throws(SQLiteError) {
        let wanted = try connection.pageCount() * HistorySchema.pageSize
        var status = stat()
        guard stat(connection.path, &status) == 0, Int(status.st_size) < wanted else { return }
        throw connection.damaged("it has \(status.st_size) bytes of \(wanted)")
    }

    /// Requires that the header is possible for a history.
    private static func checkHeader(of connection: Connection) throws(SQLiteError) {
        var (status, log) = (stat(), stat())
        // While there is a log of a transaction that was cut off, the file is not in its final
        // state.
        guard stat(connection.path + "-journal", &log) != 0,
            stat(connection.path, &status) == 0, status.st_size >= HistorySchema.pageSize
        else { return }
        let hasLog = stat(connection.path + "-wal", &log) == 0 && log.st_size > 0
        let header = try HistoryHeader(of: connection, fileByteCount: Int(status.st_size))
        guard let text = header.damage(hasLog: hasLog) else { return }
        throw connection.damaged(text)
    }

    private static func migrate(
        _ connection: Connection,
        isFresh: Bool,
        _ migrations: Migrations,
        _ version: String
    ) throws -> (History, HistoryOpening) {
        let applied: [String]
        do {
            applied =
                try migrations.pending(in: connection).isEmpty
                ? [] : migrations.apply(to: connection, version: version)
        } catch MigrationError.newer(let migration, let path) {
            try connection.close()
            let reader = try Connection(path, mode: .readOnly)
            return (try History(reader, isReadOnly: true), .newer(migration: migration))
        } catch MigrationError.gap(let missing, _) {
            throw connection.damaged("the migration \(missing) is missing")
        }
        try connection.setJournalMode(.wal)
        try connection.setSynchronous(.full)
        try connection.setPragma(
            "wal_autocheckpoint",
            .integer(Int64(History.checkpointFrameCount))
        )
        // Should SQLite ever want to grow the file, an error is better than a full card.
        let pages = try connection.pageCount()
        try connection.setPragma("max_page_count", .integer(Int64(pages)))
        try connection.transaction(.immediate) { () throws(SQLiteError) in }
        if !isFresh { try checkCatalogue(of: connection) }
        let history = try History(connection, isReadOnly: false)
        return (history, isFresh ? .fresh : .found(migrated: applied))
    }
}
