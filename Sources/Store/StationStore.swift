import HardwareIO
import Readings

/// Journal and history of one station together, as the disk thread sees them.
///
/// The journal makes a batch durable with one write and one sync; every few hours the history takes
/// what waits there in one transaction, and the journal may use those blocks again.
package final class StationStore {
    /// Blocks that one transaction takes, so that memory stays bounded: 1 MiB of 4 KiB.
    static let blocksPerTransaction = 256
    /// From here on the history takes what waits, whatever the time.
    package static let urgentFill = 0.75

    /// What was found at the start.
    package struct Opening: Sendable {
        package let history: HistoryOpening
        package let journal: JournalOpening
        /// Blocks of the journal that cannot be read any more.
        package let damage: [JournalDamage]
        /// Streams that samples belong to.
        package let streams: [StreamDescription]
        /// The newest acknowledged block.
        package let newestBlock: UInt64
        /// Bytes of payload that one block holds.
        package let payloadCapacity: Int
        /// Samples and events in blocks newer than the one asked for; see `TailMirror.read`.
        package let countAfterMirror: Int
        /// What is gone or lies aside, each in a sentence; empty when all is as it was.
        package let losses: [String]
    }

    package let opening: Opening
    private let journal: Journal
    private let history: History

    /// Opens both, and lets the history take what waited.
    ///
    /// What cannot be used is moved aside, never deleted, and what can be read of it is taken
    /// along: the store opens in every state of its folder that lets it write there.
    ///
    /// - Parameters:
    ///   - place: Where it lies.
    ///   - mirrorSequence: The block that the tail mirror comes after.
    ///   - openJournal: Opens the ring at `place.journalPath`, or makes it when there is none;
    ///     called again after a ring was set aside. Throws `StorageError`.
    /// - Throws: `StoreError` when the card refuses.
    package init(
        _ place: StorePlace,
        mirrorSequence: UInt64,
        openJournal: () throws -> any BlockStorage
    ) throws(StoreError) {
        let files = try StoreFiles.open(place, mirrorSequence: mirrorSequence, openJournal)
        (history, journal) = (files.history, files.journal)
        opening = try Opening(files, mirrorSequence: mirrorSequence)
    }

    /// Opens both with a journal that is open already; one that is unusable throws.
    package convenience init(
        journal storage: any BlockStorage,
        historyPath: String,
        plan: StorePlan,
        version: String,
        mirrorSequence: UInt64,
        seams: HistorySeams = HistorySeams()
    ) throws(StoreError) {
        // No path: nothing that could be set aside.
        var place = StorePlace(journal: "", history: historyPath, plan: plan, version: version)
        place.seams = seams
        try self.init(place, mirrorSequence: mirrorSequence) { storage }
    }

    /// How much of the journal waits for the history, 0…1.
    package var fill: Double { journal.fill }

    /// Makes one payload durable.
    ///
    /// - Returns: The sequence of its block; what it holds is acknowledged now.
    /// - Throws: `StoreError`; the caller keeps the payload.
    package func append(_ payload: [UInt8], boot: BootID) throws(StoreError) -> UInt64 {
        // Nothing takes the blocks while the history is a newer version's: the oldest goes.
        if history.isReadOnly, journal.isFull { journal.releaseOldest() }
        return try journal.append(payload, boot: boot)
    }

    /// Lets the history take everything that waits.
    ///
    /// - Throws: `StoreError`; the journal keeps what was not taken.
    package func checkpoint() throws(StoreError) {
        // A newer version wrote it: the blocks wait for that one.
        guard !history.isReadOnly else { return }
        try Self.take(from: journal, into: history)
    }

    /// Blocks that the history has not taken, oldest first, for readers.
    ///
    /// - Parameters:
    ///   - sequence: Serves what is newer.
    ///   - limit: At most so many; ask again after the last.
    /// - Returns: The blocks; what is damaged is left out.
    package func waiting(after sequence: UInt64, limit: Int) -> [JournalBlock] {
        journal.replay(after: max(sequence, history.cursor), limit: limit).blocks
    }

    /// The value of a setting; nil when it was never set.
    package func setting(_ key: String) throws(StoreError) -> String? {
        try history.setting(key)
    }

    /// All settings, 64 at most.
    package func settings() throws(StoreError) -> [String: String] { try history.settings() }

    /// Changes a setting at once; see `History.set`.
    package func set(_ key: String, to value: String?) throws(StoreError) {
        try history.set(key, to: value)
    }

    package func close() throws(StoreError) { try history.close() }

    static func take(from journal: Journal, into history: History) throws(StoreError) {
        while true {
            let waiting = journal.replay(after: history.cursor, limit: blocksPerTransaction)
            guard let last = waiting.blocks.last else { break }
            try history.take(waiting.blocks)
            journal.release(through: last.sequence)
        }
        journal.release(through: history.cursor)
    }
}
