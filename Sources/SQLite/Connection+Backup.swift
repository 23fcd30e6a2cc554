import CSQLite

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
