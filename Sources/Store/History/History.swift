import Core
import Glibc
import SQLite

/// The state of a history's file at its opening.
package enum HistoryOpening: Hashable, Sendable, CustomStringConvertible {
    /// A new history was made; all its room is reserved now.
    case fresh
    /// The file was there; the named migrations were applied to it.
    case found(migrated: [String])
    /// The file could not be used and is at `path` now; a new one was made.
    case setAside(path: String, because: String)
    /// The file was damaged and is at `path` now; its readable content is in a new one.
    case mended(path: String, because: String, HistoryRecovered)
    /// A newer Roost has written it: it can be read, and not be written.
    case newer(migration: String)
    /// The history cannot be opened or made now; the journal works alone until it can.
    case waiting(because: String)

    package var description: String {
        switch self {
        case .fresh: "a new history"
        case .found(let migrated) where migrated.isEmpty: "the history as it was"
        case .found(let migrated): "the history, brought up to date: \(migrated)"
        case .setAside(let path, let because):
            "a new history; the one before lies at \(path), because \(because)"
        case .mended(let path, let because, let rescued):
            "a new history with all but \(rescued.lost) of the slots of the one before, "
                + "which lies at \(path), because \(because)"
        case .newer(let migration):
            "the history of a newer version, for reading only: it knows \(migration)"
        case .waiting(let because):
            "no history yet, the journal works alone: \(because)"
        }
    }
}

/// Where tests can replace what is below a history, or add to its schema.
package struct HistoryTestHooks: Sendable {
    /// The layer below; nil for the system's own.
    package var vfs: String?
    /// Migrations of a version to come.
    package var laterSteps: [Migration]
    /// Places for streams of a new history; nil for as many as its size gives.
    package var streamPlaces: Int?

    package init(
        vfs: String? = nil,
        laterSteps: [Migration] = [],
        streamPlaces: Int? = nil
    ) {
        (self.vfs, self.laterSteps, self.streamPlaces) = (vfs, laterSteps, streamPlaces)
    }
}

/// The long memory of a node: a database whose size never changes.
///
/// Belongs to the disk thread. Everything is written by `take`, in one transaction a day; settings
/// alone are written at once. A failure leaves the file unchanged.
package final class History {
    /// Frames of the write-ahead log from which on SQLite copies it into the file: 1 MiB.
    ///
    /// The log is then written from its start again, so it never grows beyond this and one
    /// transaction; unless a reader stays in one read, which `HistoryReader` does not.
    static let checkpointFrameCount = 256
    /// With a longer log than this a transaction waits for the reader that keeps it, 2 MiB, as long
    /// as the journal has room.
    static let logByteLimit = 2 << 20
    /// With a longer log than this no transaction begins while a reader keeps it, 8 MiB.
    ///
    /// The card's room is what stays bounded: the journal fills up then, and after it memory.
    static let logByteMax = 8 << 20

    package let path: String
    /// A newer Roost wrote it.
    package let isReadOnly: Bool
    /// Streams that it has places for.
    package let streamCount: Int
    /// The sequence of the last journal block that is in here; 0 before the first.
    package private(set) var cursor: UInt64

    /// Streams that found no place, by what their names are known: 64 at most.
    private var missed: [StreamID: StreamDescription] = [:]
    /// How often slots were looked at.
    private var patrolCount = 0
    let connection: Connection
    let rings: [HistoryRing: HistorySlots]
    private var catalogue: HistoryCatalog { HistoryCatalog(connection: connection) }

    init(_ connection: Connection, isReadOnly: Bool) throws(StoreError) {
        path = connection.path
        self.isReadOnly = isReadOnly
        self.connection = connection
        var rings: [HistoryRing: HistorySlots] = [:]
        for ring in HistoryRing.allCases {
            rings[ring] = try HistorySlots(ring, in: connection, isWritable: !isReadOnly)
        }
        self.rings = rings
        let catalogue = HistoryCatalog(connection: connection)
        do throws(SQLiteError) {
            streamCount = try catalogue.streamCount()
            for name in HistorySchema.numbers + HistoryRing.allCases.map(\.table) {
                let number = try catalogue.number(name)
                guard (0..<Int64(JournalBlockLayout.sequenceLimit)).contains(number) else {
                    throw connection.damaged("\(name) counts \(number)")
                }
            }
            cursor = UInt64(bitPattern: try catalogue.number("cursor"))
            _ = try catalogue.heads(streamCount)
        } catch { throw .database(error) }
    }

    var shape: StorePlan.Shape {
        StorePlan.Shape(streamCount: streamCount, slotCounts: rings.mapValues(\.count))
    }

    func slots(_ ring: HistoryRing) -> HistorySlots {
        guard let slots = rings[ring] else { preconditionFailure("all rings are opened") }
        return slots
    }

    /// Sets the journal's position again, after it was lost.
    func restore(cursor: UInt64) throws(StoreError) {
        do throws(SQLiteError) {
            try connection.execute(
                "UPDATE numbers SET value = ? WHERE name = 'cursor'",
                Int64(bitPattern: cursor)
            )
        } catch { throw .database(error) }
        self.cursor = cursor
    }

    /// Reads the journal's position, after the counters were written elsewhere.
    func readCursor() throws(StoreError) {
        do { cursor = UInt64(bitPattern: try catalogue.number("cursor")) } catch {
            throw .database(error)
        }
    }

    /// The last sample that it has, of any stream of the station.
    func newestPlace() throws(StoreError) -> GapMark.Place? {
        try HistoryReader(connection, rings).newestPlace()
    }

    /// Stores what the journal holds, in one transaction; blocks up to `cursor` are ignored.
    ///
    /// - Parameters:
    ///   - blocks: In the order of their sequence.
    ///   - lost: Sequences of blocks between them that cannot be read; the time that was in them is
    ///     kept as a `GapMark`.
    ///   - isGivingUp: Whether samples that find no place are left out, and recorded by a
    ///     `GapMark`; else the first block that has any ends the transaction.
    ///   - isWaiting: Streams that later blocks have samples of; called when places run out.
    /// - Returns: Their content.
    /// - Throws: `StoreError.database`; then nothing is kept of them.
    @discardableResult
    package func append(
        _ blocks: [JournalBlock],
        lost: [UInt64] = [],
        isGivingUp: Bool = true,
        isWaiting: @escaping (StreamID) -> Bool = { _ in false }
    ) throws(StoreError) -> HistoryTaken {
        try refuseWhenReadOnly()
        let fresh = blocks.filter { $0.sequence > cursor }
        guard !fresh.isEmpty else { return HistoryTaken() }
        defer { for slots in rings.values { slots.rest() } }
        let newest = lost.isEmpty ? nil : try newestPlace()
        var gaps = JournalGaps(lost, after: cursor, newest)
        var last = cursor
        let taken = try connection.transaction(.immediate, wrapping: StoreError.database) {
            () throws(StoreError) in
            let intake = try HistoryIntake(connection, rings)
            (intake.places.isWaiting, intake.places.missed) = (isWaiting, missed)
            for block in fresh {
                if !isGivingUp, try intake.lacksPlaces(for: block) { break }
                if !lost.isEmpty, let mark = gaps.mark(before: block) {
                    let event = mark.event(at: mark.to.tick.instant, in: block.boot)
                    try intake.append(.event(event), in: block.boot)
                }
                try intake.append(block)
                last = max(last, block.sequence)
            }
            try intake.finish(cursor: last)
            missed = intake.places.missed
            for slots in rings.values { slots.rest() }
            return intake.taken
        }
        cursor = last
        return taken
    }

    /// Stores what an earlier history knew, and leaves the cursor where it is.
    func begin(with records: [(boot: BootID, record: JournalRecord)]) throws(StoreError) {
        guard !records.isEmpty else { return }
        defer { for slots in rings.values { slots.rest() } }
        try connection.transaction(.immediate, wrapping: StoreError.database) {
            () throws(StoreError) in
            let intake = try HistoryIntake(connection, rings)
            for (boot, record) in records { try intake.append(record, in: boot) }
            try intake.finish(cursor: cursor)
            for slots in rings.values { slots.rest() }
        }
    }

    /// Looks whether the next slots of all rings can still be read, a quarter of them each time.
    ///
    /// - Throws: `StoreError.database` with SQLITE_CORRUPT (11) for one whose header is broken: its
    ///   chain is broken there, and a recovery repairs it.
    func patrol() throws(StoreError) {
        defer { for slots in rings.values { slots.rest() } }
        let quarter = patrolCount % 4
        patrolCount += 1
        for ring in HistoryRing.allCases {
            let slots = slots(ring)
            let range = slots.count * quarter / 4..<slots.count * (quarter + 1) / 4
            for slot in range where try slots.header(of: slot).isBroken {
                throw .database(connection.damaged("slot \(slot) of \(ring.table) is broken"))
            }
        }
    }

    /// Stores what is missing from blocks that were checkpointed before; see `JournalReplay`.
    func retake(_ blocks: [JournalBlock], after floors: HistoryFloors) throws(StoreError) {
        defer { for slots in rings.values { slots.rest() } }
        let cursor = cursor
        try connection.transaction(.immediate, wrapping: StoreError.database) {
            () throws(StoreError) in
            let intake = try HistoryIntake(connection, rings)
            let retake = try JournalReplay(intake, after: floors)
            for block in blocks where block.sequence <= cursor { try retake.apply(block) }
            try intake.finish(cursor: cursor)
            for slots in rings.values { slots.rest() }
        }
    }

    /// Bytes of the write-ahead log's file.
    package var logByteCount: Int {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether a transaction may be written now: the log is short, or was restarted.
    ///
    /// - Parameter isUrgent: The journal has no room to wait any longer.
    /// - Returns: false while a reader is in the way.
    func hasRoomInLog(isUrgent: Bool) throws(StoreError) -> Bool {
        guard logByteCount > Self.logByteLimit else { return true }
        do {
            let patience: Int64 = try connection.scalar("PRAGMA busy_timeout") ?? 0
            try connection.setPragma("busy_timeout", .integer(0))
            defer { try? connection.setPragma("busy_timeout", .integer(patience)) }
            let isBusy: Int64? = try connection.scalar("PRAGMA wal_checkpoint(TRUNCATE)")
            if isBusy == 0 { return true }
        } catch { throw .database(error) }
        return isUrgent && logByteCount <= Self.logByteMax
    }

    /// Copies the log into the file and syncs that.
    ///
    /// - Returns: false while a reader needs the pages that the log replaces.
    func settle() throws(StoreError) -> Bool {
        do throws(SQLiteError) {
            let counts = try connection.rows("PRAGMA wal_checkpoint(PASSIVE)") {
                (row) throws(SQLiteError) in
                let (frames, copied): (Int64, Int64) = (try row[1], try row[2])
                return frames <= copied
            }
            return counts.allSatisfy(\.self)
        } catch { throw .database(error) }
    }

    /// The value of a setting; nil when it was never set.
    package func setting(_ key: String) throws(StoreError) -> String? {
        do { return try catalogue.setting(key) } catch { throw .database(error) }
    }

    package func settings() throws(StoreError) -> [String: String] {
        do { return try catalogue.settings() } catch { throw .database(error) }
    }

    /// Changes a setting at once; nil forgets it.
    ///
    /// - Throws: `StoreError.database` with SQLITE_FULL (13) for the 65th key, SQLITE_TOOBIG (18)
    ///   beyond 600 bytes.
    package func set(_ key: String, to value: String?) throws(StoreError) {
        try refuseWhenReadOnly()
        do {
            try connection.transaction { () throws(SQLiteError) in
                try connection.write(key, value)
            }
        } catch { throw .database(error) }
    }

    func boots() throws(StoreError) -> [StoredBoot] {
        do { return try catalogue.boots() } catch { throw .database(error) }
    }

    package func streams() throws(StoreError) -> [StreamDescription] {
        do { return try catalogue.streams().map(\.description) } catch { throw .database(error) }
    }

    /// Closes the file; the log is copied into it and removed.
    package func close() throws(StoreError) {
        for slots in rings.values { slots.rest() }
        do { try connection.close() } catch { throw .database(error) }
    }

    /// Closes a file that is given up, ignoring errors.
    func abandon() {
        for slots in rings.values { slots.rest() }
        try? connection.close()
    }

    private func refuseWhenReadOnly() throws(StoreError) {
        guard isReadOnly else { return }
        throw .database(connection.notWritable("a newer version wrote this history"))
    }
}

extension Connection {
    fileprivate func write(_ key: String, _ value: String?) throws(SQLiteError) {
        let known: Int? = try scalar("SELECT place FROM settings WHERE key = ?", key)
        let free: Int? = try scalar("SELECT place FROM settings WHERE key IS NULL LIMIT 1")
        let byteCount = key.utf8.count + (value?.utf8.count ?? 0)
        guard byteCount <= HistorySchema.settingByteCountMax else {
            throw SQLiteError(
                code: 18,
                extendedCode: 18,
                message: "the setting \(key.prefix(40)) has \(byteCount) bytes",
                sql: nil,
                path: path
            )
        }
        guard let place = known ?? (value == nil ? 0 : free) else {
            throw SQLiteError(
                code: 13,
                extendedCode: 13,
                message: "there are \(HistorySchema.settingCountMax) settings already",
                sql: nil,
                path: path
            )
        }
        let pad = [UInt8](repeating: 0, count: HistorySchema.settingByteCountMax - byteCount)
        try execute(
            "UPDATE settings SET key = ?, value = ?, pad = ? WHERE place = ?",
            value == nil ? nil : key,
            value ?? "",
            pad,
            place
        )
    }
}
