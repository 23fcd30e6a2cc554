import Core
import SQLite

/// A boot of the machine that the store recorded.
package struct StoredBoot: Hashable, Sendable {
    /// Counts from 1 in the order of their first records; never used twice.
    package let ordinal: UInt32
    package let id: BootID
}

/// One run of the node.
package struct StoredRun: Hashable, Sendable {
    package let boot: BootID
    package let started: Tick
    /// The end of the run; nil when it did not stop in order, or still runs.
    package let stopped: Tick?
    package let version: String
}

/// The interval at which samples of a stream are expected from a time on.
package struct StoredSchedule: Hashable, Sendable {
    package let stream: StreamID
    package let boot: BootID
    package let from: Tick
    /// Time between two samples; nil when none is expected.
    package let interval: Duration?
}

/// The small tables of a history: read by all parts of the store, written by `HistoryIntake`.
struct HistoryCatalog {
    let connection: Connection

    /// A stream with the row that it has in `streams` and `heads`.
    struct Stream: Hashable, Sendable {
        let place: Int
        let description: StreamDescription

        var decimals: [Int] { description.quantities.map(\.decimals) }
    }

    func streams() throws(SQLiteError) -> [Stream] {
        let sql = "SELECT place, id, device, quantities FROM streams WHERE id IS NOT NULL"
        return try connection.rows(sql) { (row) throws(SQLiteError) -> Stream? in
            let (place, id): (Int, Int) = (try row[0], try row[1])
            let (device, text): (String, String) = (try row[2], try row[3])
            let quantities = Self.quantities(text)
            guard (1...StreamHeads.channelCountMax).contains(quantities.count),
                let id = UInt16(exactly: id)
            else { return nil }
            let description = StreamDescription(
                id: StreamID(id),
                device: device,
                quantities: quantities
            )
            return Stream(place: place, description: description)
        }.compactMap(\.self)
    }

    /// Streams that there are places for.
    func streamCount() throws(SQLiteError) -> Int {
        let count: Int? = try connection.scalar("SELECT max(place) FROM streams")
        guard let count, count > 0 else { throw connection.damaged("streams has no rows") }
        return count
    }

    /// Slots of a ring; 0 without any.
    func slotCount(of ring: HistoryRing) throws(SQLiteError) -> Int {
        try connection.scalar("SELECT max(slot) FROM \(ring.table)") ?? 0
    }

    func heads(_ place: Int) throws(SQLiteError) -> StreamHeads {
        let bytes: [UInt8]? = try connection.scalar(
            "SELECT data FROM heads WHERE place = ?",
            place
        )
        guard let bytes, bytes.count == StreamHeads.byteCount else {
            throw connection.damaged("heads has no row \(place)")
        }
        return StreamHeads(bytes)
    }

    func number(_ name: String) throws(SQLiteError) -> Int64 {
        let value: Int64? = try connection.scalar(
            "SELECT value FROM numbers WHERE name = ?",
            name
        )
        guard let value else { throw connection.damaged("numbers has no \(name)") }
        return value
    }

    /// Reads all boots, oldest first.
    func boots() throws(SQLiteError) -> [StoredBoot] {
        let sql = "SELECT boot, id FROM boots WHERE boot > 0 ORDER BY boot"
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            let (ordinal, bytes): (Int, [UInt8]) = (try row[0], try row[1])
            guard bytes.count == 16 else { throw connection.damaged("a boot without an id") }
            return StoredBoot(
                ordinal: UInt32(truncatingIfNeeded: ordinal),
                id: BootID(bytes: bytes)
            )
        }
    }

    /// Reads all clock anchors, by boot, then by tick.
    func anchors() throws(SQLiteError) -> [ClockAnchor] {
        let sql = """
            SELECT boots.id, tick, wall, trusted FROM anchors JOIN boots USING (boot)
            WHERE anchors.boot > 0 ORDER BY anchors.boot, tick
            """
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            ClockAnchor(
                boot: BootID(bytes: try row[0]),
                tick: Tick(tenths: try row[1]),
                wall: WallTime(nanoseconds: try row[2]),
                trust: ClockTrust(stored: UInt64(bitPattern: try row[3]))
            )
        }
    }

    /// Reads all runs of the node, oldest first.
    func runs() throws(SQLiteError) -> [StoredRun] {
        let sql = """
            SELECT boots.id, started, stopped, version FROM runs JOIN boots USING (boot)
            WHERE run > 0 ORDER BY run
            """
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            let stopped: Int64? = try row.optional(2)
            return StoredRun(
                boot: BootID(bytes: try row[0]),
                started: Tick(tenths: try row[1]),
                stopped: stopped.map { Tick(tenths: $0) },
                version: try row[3]
            )
        }
    }

    /// Reads all schedules, oldest first.
    func schedules() throws(SQLiteError) -> [StoredSchedule] {
        let sql = """
            SELECT stream, boots.id, start, interval FROM schedules JOIN boots USING (boot)
            WHERE number > 0 ORDER BY number
            """
        return try connection.rows(sql) { (row) throws(SQLiteError) in
            let stream: Int = try row[0]
            let tenths: Int64 = try row[3]
            return StoredSchedule(
                stream: StreamID(UInt16(truncatingIfNeeded: stream)),
                boot: BootID(bytes: try row[1]),
                from: Tick(tenths: try row[2]),
                interval: tenths > 0 ? .milliseconds(tenths * 100) : nil
            )
        }
    }

    /// Streams of which no samples were expected any more, by the last word on each.
    func endedStreams() throws(SQLiteError) -> Set<StreamID> {
        let sql = "SELECT stream, interval FROM schedules WHERE number > 0 ORDER BY number"
        let words = try connection.rows(sql) { (row) throws(SQLiteError) -> (Int, Int64) in
            (try row[0], try row[1])
        }
        let last = Dictionary(words) { _, newer in newer }
        return Set(
            last.filter { $0.value == 0 }.keys.map { StreamID(UInt16(truncatingIfNeeded: $0)) }
        )
    }

    func setting(_ key: String) throws(SQLiteError) -> String? {
        try connection.scalar("SELECT value FROM settings WHERE key = ?", key)
    }

    func settings() throws(SQLiteError) -> [String: String] {
        var settings: [String: String] = [:]
        let sql = "SELECT key, value FROM settings WHERE key IS NOT NULL"
        try connection.query(sql) { (row) throws(SQLiteError) in
            let (key, value): (String, String) = (try row[0], try row[1])
            settings[key] = value
        }
        return settings
    }

    /// Encodes quantities, one a line: name, unit and decimals with tabs between.
    static func text(_ quantities: [Quantity]) -> String {
        quantities.map { "\($0.name)\t\($0.unit)\t\($0.decimals)" }.joined(separator: "\n")
    }

    private static func quantities(_ text: String) -> [Quantity] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 3, let decimals = Int(parts[2]), (0...9).contains(decimals)
            else { return nil }
            return Quantity(name: String(parts[0]), unit: String(parts[1]), decimals: decimals)
        }
    }
}
