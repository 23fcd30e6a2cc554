import SQLite

/// The small tables of a history, copied row by row into those of another.
struct HistoryCopyTables {
    private let source: Connection
    private let target: Connection

    init(_ source: Connection, _ target: Connection) {
        (self.source, self.target) = (source, target)
    }

    /// Streams, boots, anchors, runs, schedules and settings.
    ///
    /// A row's padding goes first, so that the row is never longer than it was made.
    func copyCatalogue() throws(SQLiteError) {
        let tables = [
            ("streams", ["pad", "id", "device", "quantities"], "id IS NOT NULL"),
            ("boots", ["boot", "id"], "boot > 0"),
            ("anchors", ["boot", "tick", "wall", "trusted"], "boot > 0"),
            ("runs", ["run", "boot", "started", "stopped", "version"], "run > 0"),
            ("schedules", ["number", "stream", "boot", "start", "interval"], "number > 0"),
            ("settings", ["pad", "key", "value"], "key IS NOT NULL"),
        ]
        for (table, columns, condition) in tables {
            let select = "SELECT place, \(columns.joined(separator: ", ")) FROM \(table)"
            try source.query("\(select) WHERE \(condition)") { (row) throws(SQLiteError) in
                for (index, column) in columns.enumerated() {
                    try target.execute(
                        "UPDATE \(table) SET \(column) = ? WHERE place = ?",
                        row.value(index + 1),
                        row.value(0)
                    )
                }
            }
        }
    }

    /// Where chains end.
    ///
    /// - Parameter moved: Where an end of a chain in a ring is now; nil when it is gone.
    /// - Throws: `SQLiteError`.
    func copyHeads(
        _ moved: (StreamHeads.Newest, HistoryRing) -> StreamHeads.Newest?
    ) throws(SQLiteError) {
        for place in 0...HistorySchema.streamCountMax {
            var heads = try HistoryCatalogue(connection: source).heads(place)
            heads.samples = heads.samples.flatMap { moved($0, place == 0 ? .events : .samples) }
            for channel in 0..<StreamHeads.channelCountMax {
                for tier in RollupTier.allCases {
                    heads[channel, tier] = heads[channel, tier].flatMap {
                        moved($0, HistoryRing(tier))
                    }
                }
            }
            try target.execute("UPDATE heads SET data = ? WHERE place = ?", heads.bytes, place)
        }
    }

    /// Counters as they are, and the next slots of the rings as they are now.
    func copyNumbers(_ rings: [(String, Int64)]) throws(SQLiteError) {
        let catalogue = HistoryCatalogue(connection: source)
        var values = rings
        for name in HistorySchema.numbers { values.append((name, try catalogue.number(name))) }
        for (name, value) in values {
            try target.execute("UPDATE numbers SET value = ? WHERE name = ?", value, name)
        }
    }
}
