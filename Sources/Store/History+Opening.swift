import Glibc
import Readings
import SQLite

extension History {
    /// Damaged histories that are kept; a further one replaces the last.
    package static let setAsideCountMax = 9

    /// Opens the history at `path`, or makes one with all its room.
    ///
    /// What cannot be used is moved aside, never deleted: a store always starts.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - plan: How large a new one is made; one that is there keeps its size.
    ///   - version: Who opens it, for the record of migrations.
    ///   - seams: What is below it, and above.
    /// - Returns: The history, and what was found.
    /// - Throws: `StoreError` when the folder or the card refuses.
    package static func open(
        path: String,
        plan: StorePlan,
        version: String = "",
        seams: HistorySeams = HistorySeams()
    ) throws(StoreError) -> (History, HistoryOpening) {
        do {
            return try openOrMake(path, plan, version, seams)
        } catch {
            guard case .database(let found) = error, found.isCorrupt else { throw error }
            let aside = setAside(path)
            let (history, _) = try openOrMake(path, plan, version, seams)
            return (history, .setAside(path: aside, because: found.message))
        }
    }

    /// Moves a history out of the way, with what belongs to it; the caller has closed it.
    ///
    /// - Returns: Where it lies.
    @discardableResult
    package static func setAside(_ path: String) -> String {
        let names = (1...setAsideCountMax).map { "\(path).damaged-\($0)" }
        let aside = names.first { access($0, F_OK) != 0 } ?? names[setAsideCountMax - 1]
        for suffix in ["", "-wal", "-journal"] { rename(path + suffix, aside + suffix) }
        unlink(path + "-shm")
        return aside
    }

    private static func openOrMake(
        _ path: String,
        _ plan: StorePlan,
        _ version: String,
        _ seams: HistorySeams
    ) throws(StoreError) -> (History, HistoryOpening) {
        do {
            let connection = try Connection(path, mode: .readWriteCreate, vfs: seams.vfs)
            let isFresh = try connection.pageCount() == 0
            if isFresh {
                try connection.setPageSize(HistorySchema.pageSize)
                try connection.setApplicationID(HistorySchema.applicationID)
            } else if try connection.applicationID() != HistorySchema.applicationID {
                throw connection.damaged("it is a database of something else")
            }
            let migrations = HistorySchema.migrations(plan, and: seams.laterSteps)
            return try migrate(connection, isFresh: isFresh, migrations, version)
        } catch let error as SQLiteError {
            throw .database(error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("nothing else is thrown above")
        }
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
        } catch MigrationError.sqlite(let error) {
            throw error
        }
        try connection.setJournalMode(.wal)
        try connection.setSynchronous(.full)
        try connection.setPragma(
            "wal_autocheckpoint",
            .integer(Int64(checkpointFrameCount))
        )
        // Should SQLite ever want to grow the file, an error is better than a full card.
        let pages = try connection.pageCount()
        try connection.setPragma("max_page_count", .integer(Int64(pages)))
        try connection.transaction(.immediate) { () throws(SQLiteError) in }
        let history = try History(connection, isReadOnly: false)
        return (history, isFresh ? .fresh : .found(migrated: applied))
    }
}
