import SQLite

/// The small tables of a history, copied row by row into those of another.
struct HistoryCopyTables {
    private let source: Connection
    private let target: Connection

    init(_ source: Connection, _ target: Connection) {
        (self.source, self.target) = (source, target)
    }

    /// One table, and which of its rows are in use.
    struct Table {
        let name: String
        /// Columns without the place; padding comes first, so that no row outgrows its room.
        let columns: [String]
        let condition: String
        let rowCountMax: Int

        var selection: String {
            "SELECT place, \(columns.joined(separator: ", ")) FROM \(name) WHERE \(condition)"
        }
    }

    /// Streams, boots, anchors, runs, schedules, settings and cursors.
    static let catalogue = [
        Table(
            name: "streams",
            columns: ["pad", "id", "device", "quantities"],
            condition: "id IS NOT NULL",
            rowCountMax: HistorySchema.streamCountMax
        ),
        Table(
            name: "boots",
            columns: ["boot", "id"],
            condition: "boot > 0",
            rowCountMax: HistorySchema.bootCountMax
        ),
        Table(
            name: "anchors",
            columns: ["boot", "tick", "wall", "trusted"],
            condition: "boot > 0",
            rowCountMax: HistorySchema.bootCountMax * HistorySchema.anchorsPerBoot
        ),
        Table(
            name: "runs",
            columns: ["run", "boot", "started", "stopped", "version"],
            condition: "run > 0",
            rowCountMax: HistorySchema.bootCountMax
        ),
        Table(
            name: "schedules",
            columns: ["number", "stream", "boot", "start", "interval"],
            condition: "number > 0",
            rowCountMax: HistorySchema.scheduleCountMax
        ),
        Table(
            name: "settings",
            columns: ["pad", "key", "value"],
            condition: "key IS NOT NULL",
            rowCountMax: HistorySchema.settingCountMax
        ),
        Table(
            name: "cursors",
            columns: ["pad", "name", "blob", "block"],
            condition: "name IS NOT NULL",
            rowCountMax: StoreCursor.countMax
        ),
    ]

    /// Copies all rows in use.
    func copyCatalogue() throws(SQLiteError) {
        for table in Self.catalogue {
            try source.query(table.selection) { (row) throws(SQLiteError) in
                for (index, column) in table.columns.enumerated() {
                    try target.execute(
                        "UPDATE \(table.name) SET \(column) = ? WHERE place = ?",
                        row.value(index + 1),
                        row.value(0)
                    )
                }
            }
        }
    }

    /// Demands that the streams of the source find the same places in the target.
    func checkPlaces() throws(SQLiteError) {
        let needed = try HistoryCatalog(connection: source).streams().map(\.place).max() ?? 0
        let count = try HistoryCatalog(connection: target).streamCount()
        guard needed > count else { return }
        let text = "the original uses \(needed) places for streams, and a history of this size has"
        throw source.notWritable("\(text) \(count); choose a larger one")
    }

    /// Where chains end.
    ///
    /// - Parameter moved: Where an end of a chain in a ring is now; nil when it is gone.
    func copyHeads(
        _ moved: (StreamHeads.Newest, HistoryRing) -> StreamHeads.Newest?
    ) throws(SQLiteError) {
        let known = HistoryCatalog(connection: source)
        let places = [0] + (try known.streams().map(\.place))
        for place in places {
            var heads = try known.heads(place)
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
        let catalogue = HistoryCatalog(connection: source)
        var values = rings
        for name in HistorySchema.numbers { values.append((name, try catalogue.number(name))) }
        for (name, value) in values {
            try target.execute("UPDATE numbers SET value = ? WHERE name = ?", value, name)
        }
    }
}
