import Glibc
import SQLite

/// The second copy of a history's small tables, in a file of its own beside it.
///
/// A page that rots, or an end that is cut off, costs rows that are stored nowhere else: the
/// stream of each slot, boots and clock anchors, names of devices. The copy is made after each
/// transaction of the history, and only read when the history is damaged or gone. Rows that it
/// lacks then are newer, and the journal still holds them. It also says how large the history is.
/// A database with the tables of `CatalogSnapshot`. Bound: the rows with content, 1 MiB beside
/// names of streams.
struct HistoryBackup {
    let path: String
    private let vfs: String?

    /// - Parameters:
    ///   - history: The path of the history.
    ///   - vfs: The layer below; nil for the system's own.
    init(beside history: String, vfs: String?) {
        (path, self.vfs) = (history + HistorySchema.copySuffix, vfs)
    }

    /// Writes the small tables, unless the copy equals them already.
    ///
    /// - Returns: Why it cannot be written; nil when it is as it should be.
    func write(_ snapshot: CatalogSnapshot, _ shape: StorePlan.Shape) -> SQLiteError? {
        do throws(SQLiteError) {
            guard isFree else {
                throw snapshot.connection.notWritable("\(path) is no file; remove it")
            }
            let seal = try snapshot.seal(shape)
            if let known = try? open().userVersion(), known == seal { return nil }
            do throws(SQLiteError) {
                try snapshot.connection.backup(to: path, vfs: vfs)
            } catch {
                // Not a database any more: it is only a copy.
                guard error.isCorrupt else { throw error }
                for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
                try snapshot.connection.backup(to: path, vfs: vfs)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Slots and places of the damaged history whose copy this is; nil when neither has them.
    func shape(of damaged: String) -> StorePlan.Shape? {
        HistoryShape.find(damaged, path, vfs: vfs)
    }

    /// The copy, for reading; a write that power cut short is undone here.
    func open() throws(SQLiteError) -> Connection {
        try Connection(path, mode: .readWrite, vfs: vfs)
    }

    /// Whether the copy is there, and a file.
    var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// A pipe would wait for a reader.
    private var isFree: Bool {
        ["", "-journal"].allSatisfy { suffix in
            var status = stat()
            return lstat(path + suffix, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        }
    }
}
