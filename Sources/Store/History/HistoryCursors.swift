import SQLite

/// The rows of `cursors`: of each follower of the store the newest blob.
struct HistoryCursors {
    static let table = "cursors"

    let connection: Connection

    /// Reads all cursors with the block that set each; none in a history of an older version.
    func all() throws(SQLiteError) -> [(cursor: StoreCursor, block: UInt64)] {
        guard try connection.hasTable(Self.table) else { return [] }
        let sql = "SELECT name, blob, block FROM cursors WHERE name IS NOT NULL ORDER BY name"
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            let (name, blob): (String, [UInt8]) = (try row[0], try row[1])
            let block: Int64 = try row[2]
            guard StoreCursor.isValid(name: name, blob: blob) else {
                throw connection.damaged("a cursor has \(blob.count) bytes")
            }
            return (StoreCursor(name: name, blob: blob), UInt64(bitPattern: block))
        }
    }

    /// Puts a cursor in the place of an older one of its name; an empty one frees the place.
    ///
    /// A name without a place is left out: the station refuses a seventeenth before.
    ///
    /// - Parameters:
    ///   - block: The block that has it; what a newer one said stays.
    func write(_ cursor: StoreCursor, of block: UInt64) throws(SQLiteError) {
        let known = try all().first { $0.cursor.name == cursor.name }
        if let known, known.block > block { return }
        guard known?.cursor != cursor else { return }
        let sql = known == nil ? "name IS NULL" : "name = ?"
        let place: Int? =
            known == nil
            ? try connection.scalar("SELECT min(place) FROM cursors WHERE \(sql)")
            : try connection.scalar("SELECT place FROM cursors WHERE \(sql)", cursor.name)
        guard let place, known != nil || !cursor.blob.isEmpty else { return }
        let room = StoreCursor.nameByteLimit + StoreCursor.blobByteLimit
        let pad = room - cursor.name.utf8.count - cursor.blob.count
        try connection.execute(
            "UPDATE cursors SET name = ?, blob = ?, block = ?, pad = ? WHERE place = ?",
            cursor.blob.isEmpty ? nil : cursor.name,
            cursor.blob,
            Int64(bitPattern: block),
            [UInt8](repeating: 0, count: cursor.blob.isEmpty ? room : pad),
            place
        )
    }
}

extension [StoreCursor] {
    /// Replaces cursors by newer ones of the same name, and drops empty ones.
    func merging(_ newer: some Sequence<StoreCursor>) -> [StoreCursor] {
        var byName: [String: StoreCursor] = [:]
        for cursor in self { byName[cursor.name] = cursor }
        for cursor in newer { byName[cursor.name] = cursor }
        return byName.values.filter { !$0.blob.isEmpty }.sorted { $0.name < $1.name }
    }
}

extension Connection {
    /// Whether the schema names a table.
    func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?"
        let count: Int? = try scalar(sql, name)
        return count == 1
    }
}
