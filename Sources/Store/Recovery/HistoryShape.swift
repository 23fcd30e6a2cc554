import Glibc
import SQLite

/// Finds how many slots and places a damaged history has.
///
/// The numbers never change once the file is made. The second copy of the small tables has them, so
/// that the history that replaces the damaged one has the same.
enum HistoryShape {
    /// Finds the shape of a damaged history.
    ///
    /// - Parameters:
    ///   - path: The damaged file.
    ///   - copy: The second copy of its small tables.
    ///   - vfs: The layer below the copy; nil for the system's own.
    /// - Returns: Nil when neither the copy nor the history itself has the numbers.
    static func find(_ path: String, _ copy: String, vfs: String?) -> StorePlan.Shape? {
        written(in: copy, vfs: vfs) ?? counted(in: path)
    }

    /// The numbers in a copy; nil when it does not have them, as an older version's does not, or
    /// fails its check.
    static func written(in copy: String, vfs: String?) -> StorePlan.Shape? {
        var status = stat()
        // A pipe would wait for a writer. A write that power cut short is undone here.
        guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let connection = try? Connection(copy, mode: .readWrite, vfs: vfs)
        else { return nil }
        defer { try? connection.close() }
        do throws(SQLiteError) {
            let catalogue = HistoryCatalog(connection: connection)
            let shape = try StorePlan.Shape { (name) throws(SQLiteError) in
                Int(try catalogue.number(name))
            }
            let seal = try seal(of: connection, shape)
            return try connection.userVersion() == seal ? shape : nil
        } catch {
            return nil
        }
    }

    /// Counts slots and places in a damaged history; nil when SQLite cannot read the ends of its
    /// tables, or the length of the file does not bear them out.
    static func counted(in path: String) -> StorePlan.Shape? {
        var status = stat()
        guard let connection = Connection.damaged(path), stat(path, &status) == 0 else {
            return nil
        }
        defer { try? connection.close() }
        let catalogue = HistoryCatalog(connection: connection)
        guard let places = try? catalogue.streamCount() else { return nil }
        var slots: [HistoryRing: Int] = [:]
        for ring in HistoryRing.allCases { slots[ring] = try? catalogue.slotCount(of: ring) }
        let shape = StorePlan.Shape(streamCount: places, slotCounts: slots)
        return shape.fits(Int(status.st_size) / HistorySchema.pageSize) ? shape : nil
    }

    /// A check of all rows of a copy but its counters.
    static func seal(
        of connection: Connection,
        _ shape: StorePlan.Shape
    ) throws(SQLiteError) -> Int32 {
        var check = CRC32C()
        for (name, count) in shape.numbers { check.append("\(name) \(count)\n".utf8) }
        let tables = HistoryCopyTables.catalogue.map { ($0.selection, $0.columns.count) }
        for (selection, count) in tables + [("SELECT place, data FROM heads", 1)] {
            try connection.query(selection) { (row) throws(SQLiteError) in
                for column in 0...count { check.append("\(row.value(column))\n".utf8) }
            }
        }
        return Int32(bitPattern: max(1, check.value))
    }
}

extension Connection {
    /// Opens a damaged file for reading; nil when SQLite cannot open it.
    static func damaged(_ path: String) -> Connection? {
        // A pipe would wait for a writer, a folder in place of the shared memory for ten seconds.
        let areFiles = ["", "-wal", "-journal", "-shm"].allSatisfy { suffix in
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else { return !suffix.isEmpty }
            return status.st_mode & S_IFMT == S_IFREG
        }
        return areFiles ? try? Connection(path, mode: .readOnly) : nil
    }
}
