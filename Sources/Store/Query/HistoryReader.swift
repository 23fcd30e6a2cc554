import Core
import Glibc
import SQLite

/// A piece of one boot, and its position on the axis of a query.
package struct HistorySpan: Hashable, Sendable {
    package let boot: BootID
    package let from: Tick
    /// End of the span, exclusive.
    package let to: Tick
    /// Tenths from the axis' origin to `from`: elapsed time, or wall time once it is known.
    package let offset: Int64

    package init(boot: BootID, from: Tick, to: Tick, offset: Int64 = 0) {
        precondition(from <= to, "a span ends after it begins")
        self.boot = boot
        self.from = from
        self.to = to
        self.offset = offset
    }
}

/// Reads a history from any process, while the daemon may be writing.
///
/// Holds the read lock for single steps only, so that it never holds up the writer, and needs
/// constant memory however much it reads. Slots that the ring has reused meanwhile are skipped. A
/// tail adds the records that are not in the history yet; records stored meanwhile are not returned
/// twice.
package final class HistoryReader {
    package let path: String
    /// Fetch it before the history is opened, so that every record is in one of the two.
    package let tail: HistoryTail
    /// Slots that failed their check, since opening.
    package private(set) var damagedSlots = 0

    let connection: Connection
    private let rings: [HistoryRing: HistorySlots]
    /// Whether the history's log could not be read: on a card that is full or read-only SQLite
    /// cannot look through it.
    package let omitsLog: Bool
    /// Whether this connection may write too, which does not count the version up.
    private let seesOwnWrites: Bool
    /// Streams and boots of the database as it was at a version.
    private var known: (version: Int64, streams: [HistoryCatalog.Stream], boots: [StoredBoot])?
    private var catalogue: HistoryCatalog { HistoryCatalog(connection: connection) }

    /// Opens a history for reading.
    ///
    /// On a card that cannot be written, a history that no process has open is read without its
    /// side files.
    ///
    /// - Parameters:
    ///   - tail: Records that are not in it yet.
    /// - Throws: `StoreError.database`: SQLITE_CANTOPEN (14) without a file, SQLITE_NOTADB (26) or
    ///   SQLITE_CORRUPT (11) for a file that is something else.
    package init(path: String, tail: HistoryTail = HistoryTail()) throws(StoreError) {
        (self.path, self.tail, seesOwnWrites) = (path, tail, false)
        do throws(SQLiteError) {
            let (opened, omitsLog) = try Self.open(path)
            self.omitsLog = omitsLog
            guard try opened.applicationID() == HistorySchema.applicationID else {
                throw opened.damaged("it is a database of something else")
            }
            connection = opened
        } catch { throw .database(error) }
        var rings: [HistoryRing: HistorySlots] = [:]
        for ring in HistoryRing.allCases {
            rings[ring] = try HistorySlots(ring, in: connection, isWritable: false)
        }
        self.rings = rings
    }

    /// Reads over a connection that is open already, what its transaction wrote included.
    init(
        _ connection: Connection,
        _ rings: [HistoryRing: HistorySlots],
        _ tail: HistoryTail = HistoryTail()
    ) {
        (path, self.tail, seesOwnWrites) = (connection.path, tail, true)
        omitsLog = false
        (self.connection, self.rings) = (connection, rings)
    }

    private static func open(_ path: String) throws(SQLiteError) -> (Connection, Bool) {
        do {
            let connection = try Connection(path, mode: .readOnly, busyTimeout: .seconds(10))
            _ = try connection.pageCount()
            return (connection, false)
        } catch {
            // While a process has it open, its shared memory is there.
            var (log, memory) = (stat(), stat())
            let hasLog = stat(path + "-wal", &log) == 0
            let isOpen = hasLog && stat(path + "-shm", &memory) == 0 && memory.st_size > 0
            guard access(path, R_OK) == 0, !isOpen, !error.isCorrupt else { throw error }
            return (try Connection(path, mode: .immutable), hasLog && log.st_size > 0)
        }
    }

    package func streams() throws(StoreError) -> [StreamDescription] {
        tail.named(try current().streams.map(\.description)).sorted { $0.id < $1.id }
    }

    /// Streams of which samples are expected.
    ///
    /// Not those of devices that were forgotten or taken out of the configuration.
    package func streamsInUse() throws(StoreError) -> Set<StreamID> {
        let last = Dictionary(try schedules().map { ($0.stream, $0) }) { $1 }
        return Set(last.values.filter { $0.interval != nil }.map(\.stream))
    }

    /// Streams that the history has places for.
    package func streamCount() throws(StoreError) -> Int {
        try database { (catalogue) throws(SQLiteError) in try catalogue.streamCount() }
    }

    /// Boots that the history knows, oldest first, and those of the tail alone.
    package func boots() throws(StoreError) -> [StoredBoot] {
        var boots = try current().boots
        for boot in tail.boots where !boots.contains(where: { $0.id == boot }) {
            boots.append(StoredBoot(ordinal: (boots.last?.ordinal ?? 0) + 1, id: boot))
        }
        return boots
    }

    package func anchors() throws(StoreError) -> [ClockAnchor] {
        try database { (catalogue) throws(SQLiteError) in try catalogue.anchors() }
            .merging(tail.anchors)
    }

    package func runs() throws(StoreError) -> [StoredRun] {
        try database { (catalogue) throws(SQLiteError) in try catalogue.runs() }
            .merging(tail.marks)
    }

    package func schedules() throws(StoreError) -> [StoredSchedule] {
        try database { (catalogue) throws(SQLiteError) in try catalogue.schedules() }
            .merging(tail.schedules)
    }

    /// Slots that samples have been written to, each as often as it was, and those there are.
    package func sampleSlots() throws(StoreError) -> (written: Int, count: Int) {
        var written = 0
        for stream in try current().streams {
            let heads = try database { (catalogue) throws(SQLiteError) in
                try catalogue.heads(stream.place)
            }
            written += Int(heads.samples?.depth ?? 0)
        }
        return (written, slots(.samples).count)
    }

    package func settings() throws(StoreError) -> [String: String] {
        try database { (catalogue) throws(SQLiteError) in try catalogue.settings() }
    }

    /// Returns the newest cursors that followers of the store left, by name.
    package func cursors() throws(StoreError) -> [StoreCursor] {
        do {
            let stored = try HistoryCursors(connection: connection).all().map(\.cursor)
            return stored.merging(tail.cursors.values)
        } catch { throw .database(error) }
    }

    /// The last journal block that is in here.
    package func cursor() throws(StoreError) -> UInt64 {
        try database { (catalogue) throws(SQLiteError) in
            UInt64(bitPattern: try catalogue.number("cursor"))
        }
    }

    func database<Value>(
        _ body: (HistoryCatalog) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do { return try body(catalogue) } catch { throw .database(error) }
    }

    /// Streams and boots, read again once the database has changed.
    private func current() throws(StoreError) -> (
        version: Int64, streams: [HistoryCatalog.Stream], boots: [StoredBoot]
    ) {
        try database { (catalogue) throws(SQLiteError) in
            // SQLite counts it up when another connection has committed.
            let version: Int64 = try connection.pragma("data_version") ?? 0
            if let known, known.version == version, !seesOwnWrites { return known }
            let read = (version, try catalogue.streams(), try catalogue.boots())
            known = read
            return read
        }
    }

    func slots(_ ring: HistoryRing) -> HistorySlots {
        guard let slots = rings[ring] else { preconditionFailure("all rings are opened") }
        return slots
    }

    /// Releases the read lock.
    func rest() { for slots in rings.values { slots.rest() } }

    func recordDamage() { damagedSlots += 1 }

    func stream(_ id: StreamID) throws(StoreError) -> HistoryCatalog.Stream? {
        try current().streams.first { $0.description.id == id }
    }

    func ordinals() throws(StoreError) -> [BootID: UInt32] {
        var ordinals: [BootID: UInt32] = [:]
        for boot in try boots() { ordinals[boot.id] = boot.ordinal }
        return ordinals
    }

    /// A chain with its newest slot, or nil when it has none.
    func chain(
        _ ring: HistoryRing,
        _ key: SlotKey,
        place: Int
    ) throws(StoreError) -> (chain: SlotChain<HistorySlots>, slot: Int, header: SlotHeader)? {
        let heads = try database { (catalogue) throws(SQLiteError) in try catalogue.heads(place) }
        let newest =
            switch ring {
            case .samples, .events: heads.samples
            case .minutes: heads[key.channel, .minute]
            case .quarterHours: heads[key.channel, .quarterHour]
            case .sixHours: heads[key.channel, .sixHours]
            }
        guard let newest else { return nil }
        let chain = SlotChain(ring: slots(ring), key: key)
        if let header = try chain.live(newest.slot, depth: newest.depth) {
            return (chain, newest.slot, header)
        }
        // Only damage removes the newest slot of a chain; the slots before it exist.
        recordDamage()
        guard try slots(ring).header(of: newest.slot).isTorn,
            let before = try chain.newest(before: newest.depth)
        else { return nil }
        return (chain, before.slot, before.header)
    }
}

extension Tick {
    /// A tick after every other.
    package static let end = Tick(tenths: .max)
}
