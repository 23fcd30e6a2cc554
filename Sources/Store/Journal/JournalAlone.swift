import Core
import Glibc
import HardwareIO
import SQLite

/// A journal that stores new records while the history cannot be opened.
///
/// The ring needs no room; a database needs some for its log and its shared memory, and a card that
/// may be written. Which blocks wait, and which numbers streams have, is read from the file without
/// its log: without that a block that waits might be overwritten, or a number given twice.
struct JournalAlone {
    let journal: Journal
    let snapshot: CatalogSnapshot
    /// The journal's position in the history, or less: the content of a log is not seen.
    let cursor: UInt64
    let because: StoreError
    let waiting: (blocks: [JournalBlock], damage: [JournalDamage])

    /// Opens the journal at `place`; nil when too little is known of the history.
    ///
    /// - Parameters:
    ///   - error: Why the history cannot be opened.
    /// - Throws: `StoreError` when the journal cannot be opened either.
    init?(
        _ place: StoreLocation,
        because error: StoreError,
        _ acknowledged: UInt64?,
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) {
        // Only the history can take the blocks of a journal that was used before.
        let hasFormer = place.formerJournal.map(HistoryFile.canSetAside) ?? false
        guard case .database = error, !hasFormer else { return nil }
        (snapshot, because) = (try CatalogSnapshot(), error)
        guard let cursor = Self.read(place.historyPath, into: snapshot) else { return nil }
        self.cursor = cursor
        journal = try Journal(
            try StoreFiles.storage(openJournal),
            reusableUpTo: cursor,
            through: acknowledged,
            bad: place.badSlots
        )
        waiting = journal.replay(after: cursor)
    }

    /// Reads the small tables of the history, or of the one that was set aside last.
    ///
    /// - Returns: Its cursor; 0 where there never was one; nil where it cannot be read, or where
    ///   its folder is missing: a disk that is not mounted yet may hold a history.
    private static func read(_ path: String, into snapshot: CatalogSnapshot) -> UInt64? {
        var status = stat()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard folder.isEmpty || stat(folder, &status) == 0 else { return nil }
        let isThere = stat(path, &status) == 0 && status.st_size > 0
        guard let source = isThere ? path : HistoryFile.newestSetAside(beside: path) else {
            return 0
        }
        guard let connection = try? Connection(source, mode: .immutable) else { return nil }
        defer { try? connection.close() }
        guard snapshot.refresh(connection) == nil,
            let cursor = try? HistoryCatalog(connection: snapshot.connection).number("cursor")
        else { return nil }
        return UInt64(exactly: cursor)
    }

    /// Streams of the history, and those that waiting blocks name.
    var streams: [StreamDescription] {
        let known = HistoryCatalog(connection: snapshot.connection)
        let streams = ((try? known.streams()) ?? []).map(\.description)
        return HistoryTail(waiting.blocks).named(streams)
    }
}

extension StationStore.Opening {
    init(_ alone: JournalAlone, mirrorSequence: UInt64) {
        history = .waiting(because: "\(alone.because)")
        journal = alone.journal.isBlank ? .blank : .found
        damage = alone.waiting.damage
        (streams, ended) = (alone.streams, [])
        let said = HistoryTail(alone.waiting.blocks).cursors.values
        (cursors, lacksCursors) = (alone.snapshot.cursors.merging(said), false)
        confirmations = alone.snapshot.confirmations(and: alone.waiting.blocks)
        newestBlock = alone.journal.newest
        payloadCapacity = alone.journal.payloadCapacity
        journalSlotCount = alone.journal.slotCount
        // How many there are is known when the history is.
        freePlaces = HistorySchema.streamCountMax
        countAfterMirror = alone.waiting.blocks.filter { $0.sequence > mirrorSequence }
            .reduce(0) { $0 + Self.count(in: $1) }
        newestStart =
            Self.newestStart(in: alone.waiting.blocks)
            ?? alone.snapshot.runs.last.map { GapMark.Place($0.boot, $0.started) }
        losses = alone.waiting.damage.prefix(8).map { "\($0)" }
        isLogCutShort = false
        isHeld = true
    }
}
