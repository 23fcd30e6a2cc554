import Core
import SQLite

/// The small tables of a history, remembered in case it has to be replaced.
///
/// The journal names a stream once, when it is new, and that block is long gone; without this, a
/// new history would not know the streams of the journal's samples and of the old one's slots. A
/// database in memory with the rows in use. Bound: that of the tables.
final class CatalogSnapshot {
    let connection: Connection
    private var catalogue: HistoryCatalog { HistoryCatalog(connection: connection) }

    /// Remembers nothing yet.
    init() throws(StoreError) {
        do throws(SQLiteError) {
            connection = try Connection(":memory:")
            for table in HistoryCopyTables.catalogue {
                let columns = table.columns.joined(separator: ", ")
                try connection.execute(
                    "CREATE TABLE \(table.name)(place INTEGER PRIMARY KEY, \(columns))"
                )
            }
            try connection.execute("CREATE TABLE heads(place INTEGER PRIMARY KEY, data)")
            try connection.execute("CREATE TABLE numbers(name TEXT PRIMARY KEY, value)")
        } catch { throw .database(error) }
    }

    /// Reads the tables of a damaged file at `path`, and from their copy what it has lost.
    ///
    /// - Parameters:
    ///   - path: The file; nil when it is gone.
    /// - Returns: What is known; nothing at worst.
    /// - Throws: `StoreError.database` when there is no memory.
    static func salvaged(
        from path: String?,
        _ spare: HistoryBackup
    ) throws(StoreError) -> CatalogSnapshot {
        let snapshot = try CatalogSnapshot()
        defer {
            snapshot.complete(from: spare)
            snapshot.inventBoots()
        }
        snapshot.unread = Set(HistoryCopyTables.catalogue.map(\.name) + ["heads"])
        guard let connection = path.flatMap(Connection.damaged) else { return snapshot }
        snapshot.unread = []
        if snapshot.refresh(connection) != nil { snapshot.pick(from: connection) }
        try? connection.close()
        return snapshot
    }

    /// Reads each readable table; of the others the earlier content stays.
    ///
    /// - Returns: Why the first table that cannot be read cannot.
    @discardableResult
    func refresh(_ source: Connection) -> SQLiteError? {
        var trouble: SQLiteError?
        func remember(_ name: String, _ columns: [String], _ selection: String) {
            do throws(SQLiteError) {
                // An older version's history has none, and that is no damage.
                if name == HistoryCursors.table, try !source.hasTable(name) { return }
                let rows = try source.rows(selection) { (row) throws(SQLiteError) in
                    (0...columns.count).map(row.value)
                }
                guard !rows.isEmpty else { return }
                try connection.transaction { () throws(SQLiteError) in
                    try connection.execute("DELETE FROM \(name)")
                    for row in rows { try insert(row, into: name, columns) }
                }
            } catch {
                trouble = trouble ?? error
                unread.insert(name)
            }
        }
        for table in HistoryCopyTables.catalogue {
            remember(table.name, table.columns, table.selection)
        }
        // Most places of a large history were never used.
        let used = "SELECT place, data FROM heads WHERE place = 0 OR data <> zeroblob(length(data))"
        remember("heads", ["data"], used)
        remember("numbers", ["value"], "SELECT name, value FROM numbers")
        return trouble
    }

    /// Fills in what is not known yet from single rows of the tables.
    private func pick(from source: Connection) {
        func pick(_ name: String, _ columns: [String], _ selection: String, _ places: Range<Int>) {
            let known: Int? = try? connection.scalar("SELECT count(*) FROM \(name)")
            guard known == 0 else { return }
            for place in places {
                let rows = try? source.rows(selection, place) { (row) throws(SQLiteError) in
                    (0...columns.count).map(row.value)
                }
                for row in rows ?? [] { try? insert(row, into: name, columns) }
            }
        }
        for table in HistoryCopyTables.catalogue {
            let selection = "\(table.selection) AND place = ?"
            pick(table.name, table.columns, selection, 1..<table.rowCountMax + 1)
        }
        let heads = 0..<HistorySchema.streamCountMax + 1
        pick("heads", ["data"], "SELECT place, data FROM heads WHERE place = ?", heads)
    }

    /// Fills gaps from the copy; from a copy of another history it takes nothing.
    ///
    /// The counters are worked out anew: an older cursor would have samples taken twice.
    func complete(from spare: HistoryBackup) {
        lacksCursors = unread.contains(HistoryCursors.table)
        guard spare.isThere, !unread.isEmpty, let copy = try? spare.open() else { return }
        defer { try? copy.close() }
        guard let told = try? HistoryCatalog(connection: copy).boots() else { return }
        let mine = Dictionary(((try? catalogue.boots()) ?? []).map { ($0.ordinal, $0.id) }) { $1 }
        guard told.allSatisfy({ (mine[$0.ordinal] ?? $0.id) == $0.id }) else { return }
        let heads = ("heads", ["data"], "SELECT place, data FROM heads")
        let tables = HistoryCopyTables.catalogue.map { ($0.name, $0.columns, $0.selection) }
        if (try? copy.hasTable(HistoryCursors.table)) == true { lacksCursors = false }
        for (name, columns, selection) in tables + [heads] where unread.contains(name) {
            let rows = try? copy.rows(selection) { (row) throws(SQLiteError) in
                (0...columns.count).map(row.value)
            }
            let places: [Int]? = try? connection.rows("SELECT place FROM \(name)") {
                (row) throws(SQLiteError) in try row[0]
            }
            let known = Set((places ?? []).map { SQLiteValue.integer(Int64($0)) })
            try? connection.transaction { () throws(SQLiteError) in
                for row in rows ?? [] where !known.contains(row[0]) {
                    try insert(row, into: name, columns)
                }
            }
        }
    }

    /// Tables that could not be read whole.
    private var unread: Set<String> = []

    /// How far followers of the store had got is not known, neither here nor in the copy.
    private(set) var lacksCursors = false

    /// Where chains end is not known, or was when the copy was written.
    var lacksHeads: Bool { unread.contains("heads") }

    /// Adds the numbers of slots and places for the copy, and the check of its rows.
    func seal(_ shape: StorePlan.Shape) throws(SQLiteError) -> Int32 {
        let sql = "INSERT OR REPLACE INTO numbers(name, value) VALUES(?, ?)"
        for (name, count) in shape.numbers { try connection.execute(sql, name, count) }
        let seal = try HistoryShape.seal(of: connection, shape)
        try connection.setUserVersion(seal)
        return seal
    }

    /// Whether the journal's position was lost.
    private(set) var lacksCursor = false

    /// Adds names of streams that the tables have lost; none is put in the place of another.
    func learn(_ streams: [StreamDescription]) {
        let known = (try? catalogue.streams()) ?? []
        var places = Set(known.map(\.place))
        for stream in streams where !known.contains(where: { $0.description.id == stream.id }) {
            let free = (1...HistorySchema.streamCountMax).first { !places.contains($0) }
            guard let place = free else { return }
            places.insert(place)
            let text = HistoryCatalog.text(stream.quantities)
            let count = text.utf8.count + stream.device.utf8.count
            let pad = max(0, HistorySchema.streamByteCountMax - count)
            let row: [SQLiteValue] = [
                .integer(Int64(place)), .blob([UInt8](repeating: 0, count: pad)),
                .integer(Int64(stream.id.rawValue)), .text(stream.device), .text(text),
            ]
            try? insert(row, into: "streams", ["pad", "id", "device", "quantities"])
            // The slots there belong to a stream whose name is lost, or to none.
            try? connection.execute("DELETE FROM heads WHERE place = ?", place)
        }
    }

    /// Works out the counters, when they are lost, from the counted slots; not the beginnings of
    /// rings.
    func inventNumbers() {
        let known: Int? = try? connection.scalar("SELECT count(*) FROM numbers")
        guard known == 0 else { return }
        let counts = [
            ("boot", "SELECT max(boot) FROM boots"), ("run", "SELECT max(run) FROM runs"),
            ("schedule", "SELECT max(number) FROM schedules"), ("cursor", "SELECT 1"),
        ]
        for (name, sql) in counts {
            let value: Int64? = try? connection.scalar(sql)
            try? insert([.text(name), .integer(value ?? 0)], into: "numbers", ["value"])
        }
        lacksCursor = true
    }

    /// Gives boots whose ids are lost ids of their own: their records stay together.
    private func inventBoots() {
        let sql = "SELECT boot FROM runs UNION SELECT boot FROM anchors ORDER BY 1"
        let told = try? connection.rows(sql) { (row) throws(SQLiteError) in try row[0] as Int64 }
        let known = Set(((try? catalogue.boots()) ?? []).map { Int64($0.ordinal) })
        for ordinal in told ?? [] where ordinal > 0 && !known.contains(ordinal) {
            var id = [UInt8](repeating: 0, count: 16)
            HistoryBytes.put(ordinal, in: &id, at: 0)
            let place = (ordinal - 1) % Int64(HistorySchema.bootCountMax) + 1
            let row: [SQLiteValue] = [.integer(place), .integer(ordinal), .blob(id)]
            try? insert(row, into: "boots", ["boot", "id"])
        }
    }

    private func insert(
        _ row: [SQLiteValue],
        into table: String,
        _ columns: [String]
    ) throws(SQLiteError) {
        let key = table == "numbers" ? "name" : "place"
        try connection.execute("INSERT INTO \(table)(\(key)) VALUES(?)", row[0])
        for (index, column) in columns.enumerated() {
            try connection.execute(
                "UPDATE \(table) SET \(column) = ? WHERE \(key) = ?",
                row[index + 1],
                row[0]
            )
        }
    }

    /// Boots in the order they happened.
    private var boots: [BootID] { (try? catalogue.boots().map(\.id)) ?? [] }
    private var streams: [StreamDescription] {
        (try? catalogue.streams().map(\.description)) ?? []
    }
    var runs: [StoredRun] { (try? catalogue.runs()) ?? [] }
    private var schedules: [StoredSchedule] { (try? catalogue.schedules()) ?? [] }
    private var anchors: [ClockAnchor] { (try? catalogue.anchors()) ?? [] }
    var cursors: [StoreCursor] {
        (try? HistoryCursors(connection: connection).all().map(\.cursor)) ?? []
    }
    /// Returns the times that people confirmed, from the history and the blocks that wait for it.
    func confirmations(and waiting: [JournalBlock]) -> [ClockAnchor] {
        (anchors + HistoryTail(waiting).anchors).filter { $0.trust.isConfirmed }
    }
    var settings: [String: String] { (try? catalogue.settings()) ?? [:] }

    /// The records for a new history that the journal does not hold, oldest first, and the time
    /// that is lost.
    ///
    /// - Parameter journal: The content of the ring.
    /// - Returns: Records in their order, with the boot of each.
    func records(before journal: JournalOutline) -> [(boot: BootID, record: JournalRecord)] {
        let (runs, order) = (runs, order(before: journal))
        guard let oldest = order.first else { return [] }
        var records = streams.map { (boot: oldest, record: JournalRecord.stream($0)) }
        for run in runs where !journal.starts.contains(GapMark.Place(run.boot, run.started)) {
            records.append((run.boot, .started(at: run.started, version: run.version)))
            guard let stopped = run.stopped else { continue }
            records.append((run.boot, .stopped(at: stopped)))
        }
        let schedules = schedules.map {
            ($0.boot, JournalRecord.schedule($0.stream, from: $0.from, interval: $0.interval))
        }
        let anchors = anchors.map { ($0.boot, JournalRecord.anchor($0)) }
        for (boot, record) in schedules + anchors where !journal.records.contains(record) {
            records.append((boot, record))
        }
        for cursor in cursors where !journal.cursors.contains(cursor.name) {
            records.append((oldest, .cursor(cursor)))
        }
        if let loss = loss(before: journal) { records.append(loss) }
        // Boots are numbered in the order of their first records.
        return order.flatMap { boot in records.filter { $0.boot == boot } }
    }

    /// Returns all known boots, the oldest first as far as their order is known.
    private func order(before journal: JournalOutline) -> [BootID] {
        let mine = runs.map(\.boot) + schedules.map(\.boot) + anchors.map(\.boot)
        let told = Set(mine + journal.boots)
        var order = boots.filter(told.contains)
        for boot in mine + journal.boots where !order.contains(boot) { order.append(boot) }
        return order
    }

    /// Records of the time from the oldest boot known to the oldest record of the ring.
    func loss(before journal: JournalOutline) -> (boot: BootID, record: JournalRecord)? {
        guard let oldest = order(before: journal).first,
            let mark = lost(since: oldest, before: journal)
        else { return nil }
        let event = mark.event(at: mark.to.tick.instant, in: mark.to.boot)
        return (mark.to.boot, .event(event))
    }

    /// The mark for the time from the end of a whole chain to the oldest record of the ring.
    func loss(
        after floor: HistoryPosition,
        before journal: JournalOutline,
        _ boots: [StoredBoot]
    ) -> (boot: BootID, record: JournalRecord)? {
        guard let end = journal.firstSample ?? journal.end,
            let start = boots.first(where: { $0.ordinal == floor.boot })?.id
        else { return nil }
        // A boot that the history has not met comes after all others.
        let ordinal = boots.first { $0.id == end.boot }?.ordinal ?? .max
        guard floor < HistoryPosition(boot: ordinal, tick: end.tick) else { return nil }
        let from = GapMark.Place(start, floor.tick)
        let mark = GapMark(.damaged, of: nil, from: from, to: end)
        return (end.boot, .event(mark.event(at: end.tick.instant, in: end.boot)))
    }

    /// Returns the mark from the oldest boot known to the first block still in the ring.
    private func lost(since oldest: BootID, before journal: JournalOutline) -> GapMark? {
        guard let end = journal.firstSample ?? journal.end else { return nil }
        let start = runs.first { $0.boot == oldest }?.started ?? Tick(tenths: 0)
        let from = GapMark.Place(oldest, start)
        guard from.boot != end.boot || from.tick < end.tick else { return nil }
        return GapMark(.damaged, of: nil, from: from, to: end)
    }
}

/// The content of a journal's blocks, except for the samples.
struct JournalOutline {
    /// Boots in their order.
    private(set) var boots: [BootID] = []
    private(set) var streams: [StreamDescription] = []
    private(set) var starts: Set<GapMark.Place> = []
    /// Schedules and anchors.
    private(set) var records: Set<JournalRecord> = []
    /// Names of followers that left word.
    private(set) var cursors: Set<String> = []
    /// The latest first sample of the streams in the oldest block that has samples.
    private(set) var firstSample: GapMark.Place?
    /// The last moment named by anything but a sample.
    private(set) var end: GapMark.Place?

    /// The content of all waiting blocks of a journal.
    init(_ journal: Journal) {
        self.init { after, limit in journal.replay(after: after, limit: limit).blocks }
    }

    /// - Parameter blocks: The blocks newer than one, at most so many.
    init(_ blocks: (_ after: UInt64, _ limit: Int) -> [JournalBlock]) {
        var after: UInt64 = 0
        while true {
            let some = blocks(after, StoreCheckpoint.blocksPerTransaction)
            guard let last = some.last else { return }
            for block in some { append(block) }
            after = last.sequence
        }
    }

    /// Reads the blocks in the order of their sequence.
    private mutating func append(_ block: JournalBlock) {
        if boots.last != block.boot, !boots.contains(block.boot) { boots.append(block.boot) }
        let hasSamples = firstSample != nil
        for record in JournalRecordCodec.contents(block.payload).records {
            switch record {
            case .started(let tick, _):
                starts.insert(GapMark.Place(block.boot, tick))
                end = GapMark.Place(block.boot, tick)
            case .schedule, .anchor: records.insert(record)
            case .event(let event): end = GapMark.Place(block.boot, Tick(event.instant))
            case .samples(_, let segment):
                guard !hasSamples, let tenths = (try? SegmentHeader(segment))?.start else {
                    continue
                }
                let tick = max(firstSample?.tick ?? Tick(tenths: tenths), Tick(tenths: tenths))
                firstSample = GapMark.Place(block.boot, tick)
            case .stream(let stream):
                streams.removeAll { $0.id == stream.id }
                streams.append(stream)
            case .cursor(let cursor): cursors.insert(cursor.name)
            case .stopped: continue
            }
        }
    }
}
