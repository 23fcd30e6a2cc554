import SQLite

/// The tables of the history, and the room that they occupy from the first day.
///
/// Rows are made once, filled up with zeros, and only ever overwritten by rows that are no longer.
enum HistorySchema {
    /// "RST1": identifies the file as a history of Roost.
    static let applicationID: Int32 = 0x5253_5431
    static let pageSize = 4_096
    /// End of the name of the second copy of the small tables.
    ///
    /// Begins like the history's name, so that who removes that with all that belongs to it removes
    /// this as well.
    static let copySuffix = ".tables"
    /// Streams that a small history has places for, and every one made before places were used
    /// again.
    static let streamCountMin = 128
    /// Streams that any history has places for, at most; when all are used, the samples of a
    /// further one wait in the journal: see `StreamPlaces`.
    static let streamCountMax = 2_048
    /// Places for streams in each MiB of a history of 8 MiB and more: a sixteenth of the file.
    static let streamsPerMegabyte = 32
    /// Places that imports leave to the station: of a small history an eighth.
    static let streamReserve = 64
    /// Boots, and runs of the node, that are remembered; then the oldest are forgotten.
    static let bootCountMax = 2_048
    /// First and last, unsure and sure, of each boot.
    static let anchorsPerBoot = 4
    static let scheduleCountMax = 4_096
    /// Settings that fit; one more is refused.
    static let settingCountMax = 64
    /// UTF-8 bytes of a setting, its key included.
    static let settingByteCountMax = 600
    /// UTF-8 bytes of a stream's device and quantities.
    static let streamByteCountMax = 1_200
    /// Characters of a version that are kept.
    static let versionCountMax = 40
    /// Unused pages that a new file gets, should SQLite ever want to split one: 256 KiB.
    static let reservedPageCount = 64
    /// Reserved pages that later tables have taken.
    static let takenPageCount = 7
    /// Pages of everything but the rings with `streamCountMin` places, measured by a test, with
    /// some to spare.
    static let fixedPageCount = 420
    /// Rows of `streams` and of `heads` that fill a page.
    private static let streamsPerPage = (described: 3, heads: 7)

    /// Pages of everything but the rings: each place needs a row of 1 216 bytes and one of 536.
    static func fixedPageCount(streams: Int) -> Int {
        let more = max(0, streams - streamCountMin)
        let leaves = more / streamsPerPage.described + more / streamsPerPage.heads + 2
        return more == 0 ? fixedPageCount : fixedPageCount + leaves + leaves / 100
    }

    /// Bytes of a slot: one fills a page.
    ///
    /// Larger rows would spill to other pages: a row stays in its page up to 4 061 bytes, three of
    /// which are the row's own header; SQLite file format, section 1.6.
    static let largeSlot = 4_056
    /// Four fill a page: what grows slowly rewrites little, and neighbours share a page.
    static let smallSlot = 1_008

    /// Counters in the table `numbers`, besides the next slot of every ring.
    static let numbers = ["cursor", "boot", "run", "schedule"]

    /// All tables but the rings.
    static let catalogueTables = [
        "migrations", "numbers", "streams", "heads", "boots", "anchors", "runs", "schedules",
        "settings", "cursors",
    ]

    /// The steps, and those of a version to come where a test adds one.
    static func migrations(_ plan: StorePlan, and later: [Migration] = []) -> Migrations {
        Migrations(
            [
                Migration("1 rings") { (connection) throws(SQLiteError) in
                    for ring in HistoryRing.allCases {
                        try make(ring, plan.slotCount(of: ring), in: connection)
                    }
                },
                Migration("2 catalogue") { (connection) throws(SQLiteError) in
                    try connection.executeScript(catalogue(streams: plan.streamCount))
                    try reserve(in: connection)
                },
                // Changes no row: an older version would give a place twice.
                Migration("3 places of streams are used again") { (_) throws(SQLiteError) in },
                // From the spare pages: the file keeps its size.
                Migration("4 cursors") { (connection) throws(SQLiteError) in
                    try connection.executeScript(cursors)
                },
            ] + later
        )
    }

    private static func make(
        _ ring: HistoryRing,
        _ count: Int,
        in connection: Connection
    ) throws(SQLiteError) {
        try connection.execute(
            "CREATE TABLE \(ring.table)(slot INTEGER PRIMARY KEY, data BLOB NOT NULL)"
        )
        try connection.execute(
            """
            WITH RECURSIVE slots(slot) AS (
                SELECT 1 UNION ALL SELECT slot + 1 FROM slots WHERE slot < ?
            ) INSERT INTO \(ring.table) SELECT slot, zeroblob(?) FROM slots
            """,
            count,
            ring.slotSize
        )
    }

    /// Integers start at the longest that SQLite stores; later values are never longer.
    private static func catalogue(streams streamCount: Int) -> String {
        let long = Int64.max
        let names = numbers + HistoryRing.allCases.map(\.table)
        let version = "printf('%.\(versionCountMax)c', ' ')"
        return """
            CREATE TABLE numbers(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            \(names.map { "INSERT INTO numbers VALUES('\($0)', \(long));" }.joined(separator: "\n"))
            UPDATE numbers SET value = 0;
            CREATE TABLE streams(place INTEGER PRIMARY KEY, id INTEGER, device TEXT,
                quantities TEXT, pad BLOB);
            \(rows(streamCount, "streams", "NULL, '', '', zeroblob(\(streamByteCountMax + 16))"))
            CREATE TABLE heads(place INTEGER PRIMARY KEY, data BLOB NOT NULL);
            INSERT INTO heads VALUES(0, zeroblob(\(StreamHeads.byteCount)));
            \(rows(streamCount, "heads", "zeroblob(\(StreamHeads.byteCount))"))
            CREATE TABLE boots(place INTEGER PRIMARY KEY, boot INTEGER, id BLOB);
            \(rows(bootCountMax, "boots", "\(long), zeroblob(16)"))
            CREATE TABLE anchors(place INTEGER PRIMARY KEY, boot INTEGER, tick INTEGER,
                wall INTEGER, trusted INTEGER);
            \(rows(bootCountMax * anchorsPerBoot, "anchors", "\(long), \(long), \(long), 0"))
            CREATE TABLE runs(place INTEGER PRIMARY KEY, run INTEGER, boot INTEGER,
                started INTEGER, stopped INTEGER, version TEXT);
            \(rows(bootCountMax, "runs", "\(long), \(long), \(long), \(long), \(version)"))
            CREATE TABLE schedules(place INTEGER PRIMARY KEY, number INTEGER, stream INTEGER,
                boot INTEGER, start INTEGER, interval INTEGER);
            \(rows(scheduleCountMax, "schedules", "\(long), \(long), \(long), \(long), \(long)"))
            CREATE TABLE settings(place INTEGER PRIMARY KEY, key TEXT, value TEXT, pad BLOB);
            \(rows(settingCountMax, "settings", "NULL, '', zeroblob(\(settingByteCountMax + 16))"))
            UPDATE boots SET boot = 0;
            UPDATE anchors SET boot = 0;
            UPDATE runs SET run = 0;
            UPDATE schedules SET number = 0;
            """
    }

    /// Where each follower of the store is, and the block that said so.
    private static var cursors: String {
        let byteCount = StoreCursor.nameByteLimit + StoreCursor.blobByteLimit
        let row = "NULL, zeroblob(0), \(Int64.max), zeroblob(\(byteCount + 16))"
        return """
            CREATE TABLE cursors(place INTEGER PRIMARY KEY, name TEXT, blob BLOB, block INTEGER,
                pad BLOB);
            \(rows(StoreCursor.countMax, "cursors", row))
            UPDATE cursors SET block = 0;
            """
    }

    /// Rows from 1 on, all alike.
    private static func rows(_ count: Int, _ table: String, _ values: String) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO \(table) SELECT i, \(values) FROM n;
        """
    }

    /// Makes unused pages, so that the file would not grow if SQLite wanted one.
    private static func reserve(in connection: Connection) throws(SQLiteError) {
        let large = "SELECT zeroblob(\(largeSlot))"
        try connection.executeScript(
            """
            CREATE TABLE reserve(data BLOB);
            WITH RECURSIVE n(i) AS (
                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(reservedPageCount)
            ) INSERT INTO reserve \(large) FROM n;
            DROP TABLE reserve;
            """
        )
    }
}

/// The rings of the history.
enum HistoryRing: CaseIterable, Sendable {
    case samples, minutes, quarterHours, sixHours, events

    init(_ tier: RollupTier) {
        switch tier {
        case .minute: self = .minutes
        case .quarterHour: self = .quarterHours
        case .sixHours: self = .sixHours
        }
    }

    var table: String {
        switch self {
        case .samples: "samples"
        case .minutes: "rollup_60"
        case .quarterHours: "rollup_900"
        case .sixHours: "rollup_21600"
        case .events: "events"
        }
    }

    var slotSize: Int {
        switch self {
        case .samples, .events: HistorySchema.largeSlot
        case .minutes, .quarterHours, .sixHours: HistorySchema.smallSlot
        }
    }

    var slotsPerPage: Int { slotSize == HistorySchema.largeSlot ? 1 : 4 }

    /// Bytes of a slot for its contents.
    var capacity: Int { slotSize - SlotHeader.byteCount }
}
