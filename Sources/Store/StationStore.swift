import Core
import HardwareIO
import SQLite

/// Journal and history of one station together, as the disk thread sees them.
///
/// The journal makes a batch durable with one write and one sync; once a day it is checkpointed
/// into the history in one transaction, and the journal may use those blocks again.
package final class StationStore {
    /// Part of the journal in use from which a checkpoint is due at any time of day.
    package static let urgentFill = StoreCheckpoint.urgentFill

    /// Checkpoints that end in an I/O error, while the journal can be written, until the history is
    /// given up.
    static let inputErrorLimit = 4

    /// The result of a checkpoint.
    package enum Checkpoint: Hashable, Sendable {
        case taken
        /// A process has been reading the history for so long that its log cannot be restarted; the
        /// rest waits in the journal.
        case held(logByteCount: Int)
        /// The history was damaged: it was set aside, and a new one has the journal's content.
        case replaced(HistoryOpening)
    }

    /// The state of the files at the start.
    package struct Opening: Sendable {
        package let history: HistoryOpening
        package let journal: JournalOpening
        /// Blocks of the journal that cannot be read any more.
        package let damage: [JournalDamage]
        /// Streams that samples belong to.
        package let streams: [StreamDescription]
        /// Streams without further samples: their devices were renamed or forgotten.
        package let ended: Set<StreamID>
        /// How far followers of the store had got, by name.
        package let cursors: [StoreCursor]
        /// Whether there may have been others, which are lost.
        package let lacksCursors: Bool
        /// Places for streams that none has.
        package let freePlaces: Int
        /// The newest acknowledged block.
        package let newestBlock: UInt64
        /// Bytes of payload that one block holds.
        package let payloadCapacity: Int
        /// Blocks of the journal's ring.
        package let journalSlotCount: Int
        /// Samples and events in blocks newer than the given one, cursors not counted; see
        /// `TailMirror.read`.
        package let countAfterMirror: Int
        /// Times that people confirmed, in any boot.
        package let confirmations: [ClockAnchor]
        /// The last start of the node that is durable.
        package let newestStart: GapMark.Place?
        /// Files that are lost or set aside, each in a sentence; empty without any.
        package let losses: [String]
        /// Whether the last write of the history was cut short, as by a loss of power.
        package let isLogCutShort: Bool
        /// Whether a reader prevented the checkpoint.
        package let isHeld: Bool
    }

    package let opening: Opening
    package let place: StoreLocation
    private let journal: Journal
    /// The open history; nil while the damaged one is given up and no new one could be made yet.
    private var history: History?
    private var snapshot: CatalogSnapshot
    /// The path of the previous history, and the reason, until the new one has the journal's
    /// content.
    private var setAside: HistoryOpening?
    private var mustBegin = false
    private var inputErrorCount = 0
    private var hasAppended = false
    /// Where the history ended that cannot be opened, and why it cannot.
    private let cursorAlone: UInt64
    private let missing: StoreError?
    private var streamNews = StreamChanges()

    /// Opens both, and checkpoints what waited.
    ///
    /// An unusable file is moved aside, never deleted, and its readable content is copied: the
    /// store opens in every state of its folder that lets it write there.
    ///
    /// - Parameters:
    ///   - mirrorSequence: The block that the tail mirror comes after.
    ///   - acknowledged: When the same process opens it again, the newest block that was; a newer
    ///     one in the ring is not returned, since its records are written again.
    ///   - openJournal: Opens the ring at `place.journalPath`, or makes it when there is none;
    ///     called again after a ring was set aside. Throws `StorageError`. A history that cannot be
    ///     opened for want of room, or because the card is read-only, is left alone as long as its
    ///     end is known: the journal stores new records, and the caller reopens the store when
    ///     `lacksHistory` is set.
    ///
    /// - Throws: `StoreError` when the card refuses.
    package init(
        _ place: StoreLocation,
        mirrorSequence: UInt64,
        acknowledged: UInt64? = nil,
        openJournal: () throws -> any BlockStorage
    ) throws(StoreError) {
        self.place = place
        let found = Result { () throws(StoreError) in
            try StoreFiles.open(place, acknowledged: acknowledged, openJournal)
        }
        switch found {
        case .success(let files):
            (history, journal, snapshot) = (files.history, files.journal, files.snapshot)
            opening = try Opening(files, mirrorSequence: mirrorSequence)
            (cursorAlone, missing) = (0, nil)
            streamNews = files.streamNews
        case .failure(let error):
            let found = try? JournalAlone(place, because: error, acknowledged, openJournal)
            guard let alone = found else { throw error }
            (history, journal, snapshot) = (nil, alone.journal, alone.snapshot)
            opening = Opening(alone, mirrorSequence: mirrorSequence)
            (cursorAlone, missing) = (alone.cursor, error)
        }
    }

    /// Opens both with a journal that is open already; one that is unusable throws.
    package convenience init(
        journal storage: any BlockStorage,
        historyPath: String,
        plan: StorePlan,
        version: String,
        mirrorSequence: UInt64,
        testHooks: HistoryTestHooks = HistoryTestHooks()
    ) throws(StoreError) {
        // No path: nothing that could be set aside.
        var place = StoreLocation(journal: "", history: historyPath, plan: plan, version: version)
        place.testHooks = testHooks
        try self.init(place, mirrorSequence: mirrorSequence) { storage }
    }

    /// How much of the journal waits for the history, 0…1.
    package var fill: Double { journal.fill }

    /// Slots of the journal that refused a write.
    package var badSlots: JournalBadSlots { journal.badSlots }

    /// Whether the journal works alone: reopen the store when the history may be there again.
    package var lacksHistory: Bool { missing != nil }

    /// Returns the changes of streams' places since the last call.
    package func takeStreamNews() -> StreamChanges {
        defer { streamNews = streamNews.rest }
        return streamNews
    }

    /// Makes one payload durable.
    ///
    /// - Returns: The sequence of its block; its records are acknowledged now.
    /// - Throws: `StoreError`; the caller keeps the payload.
    package func append(_ payload: [UInt8], boot: BootID) throws(StoreError) -> UInt64 {
        // No checkpoint is possible while the history is a newer version's: the oldest block goes.
        if history?.isReadOnly == true { while journal.isFull { journal.releaseOldest() } }
        let sequence = try journal.append(payload, boot: boot)
        hasAppended = true
        return sequence
    }

    /// Checkpoints everything that waits, and replaces the history when it is beyond repair.
    ///
    /// - Throws: `StoreError`; the journal keeps what was not checkpointed.
    @discardableResult
    package func checkpoint() throws(StoreError) -> Checkpoint {
        do throws(StoreError) {
            return try takeWaiting()
        } catch {
            guard case .database(let cause) = error, isBeyondRepair(cause), let history else {
                throw error
            }
            giveUp(history, because: cause)
        }
        return try takeWaiting()
    }

    private func takeWaiting() throws(StoreError) -> Checkpoint {
        let history = try openHistory()
        // A newer version wrote it: the blocks wait for that one.
        guard !history.isReadOnly else { return .taken }
        if mustBegin {
            if history.cursor == 0 { try begin(history) }
            mustBegin = false
        }
        let logByteCount = try StoreCheckpoint.move(from: journal, into: history, &streamNews)
        if let logByteCount { return .held(logByteCount: logByteCount) }
        (inputErrorCount, hasAppended) = (0, false)
        // A rotten page is found here once a day, not only when it is read.
        if let error = snapshot.refresh(history.connection) { throw .database(error) }
        streamNews.copyTrouble = backup.write(snapshot, history.shape)?.message
        try history.patrol()
        defer { setAside = nil }
        return setAside.map { .replaced($0) } ?? .taken
    }

    /// Blocks that are not in the history, oldest first, for readers.
    ///
    /// - Parameters:
    ///   - limit: At most so many; call again after the last.
    /// - Returns: The blocks, and the losses between them.
    package func waiting(after sequence: UInt64, limit: Int, in boot: BootID) -> JournalPage {
        let cursor = history?.cursor ?? cursorAlone
        let (blocks, damage) = journal.replay(after: max(sequence, cursor), limit: limit)
        var page = JournalPage(blocks: blocks)
        guard !damage.isEmpty else { return page }
        // A page begins where the one before ended, the first where the history does.
        let before =
            sequence > cursor
            ? (try? journal.read(sequence))?.lastPlace : try? history?.newestPlace()
        var gaps = JournalGaps(damage.map(\.sequence), after: max(sequence, cursor), before)
        for block in blocks {
            guard let mark = gaps.mark(before: block) else { continue }
            let event = mark.event(at: mark.to.tick.instant, in: block.boot)
            page.losses.append((block.sequence, block.boot, event))
        }
        page.openLoss = gaps.openLoss(in: boot)
        return page
    }

    /// The newest sample of a boot in history and journal; nil without one.
    package func newest(of boot: BootID) throws -> Tick? {
        let addNothing = { (_: inout HistoryTail) in }
        return try read(adding: addNothing) { reader in
            defer { reader.rest() }
            let places = try reader.streams().filter { !$0.id.isImported }
                .compactMap { try HistoryPlaces(reader).newest(of: $0.id) }
            return places.filter { $0.boot == boot }.map(\.tick).max()
        }
    }

    /// Hands a reader of all that is on the card.
    ///
    /// - Parameters:
    ///   - add: Adds what no block holds.
    ///   - body: Uses the reader; it must not be kept.
    /// - Returns: What `body` returns.
    /// - Throws: `StoreError`, and what `body` throws.
    package func read<Value>(
        adding add: (inout HistoryTail) -> Void,
        _ body: (HistoryReader) throws -> Value
    ) throws -> Value {
        let history = try requireHistory()
        var tail = HistoryTail()
        for block in journal.replay(after: history.cursor).blocks {
            tail.append(block.payload, boot: block.boot, block: block.sequence)
        }
        add(&tail)
        return try body(HistoryReader(history.connection, history.rings, tail))
    }

    /// Merges values of other programs' series; see `History.merge`.
    package func merge(_ samples: [ImportedSample]) throws -> [MergedValue] {
        try requireHistory().merge(samples)
    }

    /// Does one piece of an import; see `HistoryImportTrial` and `HistoryImportRun`.
    package func importing<Value>(_ body: (History) throws -> Value) throws -> Value {
        try body(try requireHistory())
    }

    // MARK: - A history beyond repair

    private func isBeyondRepair(_ error: SQLiteError) -> Bool {
        if HistoryFile.isUnusable(place.historyPath, error) { return true }
        guard error.isInputOutput else { return false }
        // A card that is gone refuses the journal as well; then there is nothing to be mended.
        if inputErrorCount == 0 { hasAppended = false }
        inputErrorCount += 1
        return inputErrorCount >= Self.inputErrorLimit && hasAppended
    }

    private func giveUp(_ history: History, because error: SQLiteError) {
        snapshot.refresh(history.connection)
        history.abandon()
        self.history = nil
        (inputErrorCount, hasAppended) = (0, false)
        let aside = HistoryFile.setAside(place.historyPath)
        (setAside, mustBegin) = (.setAside(path: aside, because: error.message), true)
    }

    /// Copies the readable content of the previous history to a new one, or at least its small
    /// tables.
    private func begin(_ history: History) throws(StoreError) {
        if case .setAside(let path, _) = setAside {
            try StoreRestoration.mend(path, like: history)
            if let rescued = try HistoryRecovery.run(from: path, into: history, snapshot) {
                setAside = setAside?.with(rescued)
                return try StoreRestoration.retake(journal, history, rescued.floors, snapshot)
            }
        }
        try StoreRestoration.begin(history, journal, snapshot)
    }

    private var backup: HistoryBackup {
        HistoryBackup(beside: place.historyPath, vfs: place.testHooks.vfs)
    }

    private func openHistory() throws(StoreError) -> History {
        if let history { return history }
        if let missing { throw missing }
        var place = place
        if case .setAside(let path, _) = setAside { place.plan.shape = backup.shape(of: path) }
        let (opened, _) = try HistoryFile.open(place)
        history = opened
        return opened
    }

    private func requireHistory() throws(StoreError) -> History {
        guard let history else { throw missing ?? .storage(.absent(path: place.historyPath)) }
        return history
    }

    // MARK: -

    /// The value of a setting; nil when it was never set.
    package func setting(_ key: String) throws(StoreError) -> String? {
        try settings()[key]
    }

    /// Reads all settings, 64 at most.
    package func settings() throws(StoreError) -> [String: String] {
        missing == nil ? try requireHistory().settings() : snapshot.settings
    }

    /// Changes a setting at once; see `History.set`.
    package func set(_ key: String, to value: String?) throws(StoreError) {
        try requireHistory().set(key, to: value)
    }

    package func close() throws(StoreError) { try history?.close() }
}
