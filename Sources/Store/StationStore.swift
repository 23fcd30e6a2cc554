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
    }

    package let opening: Opening
    private let journal: Journal
    private let history: History

    /// Opens both, and lets the history take what waited.
    ///
    /// - Parameters:
    ///   - storage: The journal's ring.
    ///   - historyPath: The history's file.
    ///   - plan: How large a new history is made.
    ///   - version: Who opens it.
    ///   - mirrorSequence: The block that the tail mirror comes after.
    ///   - seams: What is below the history, and above.
    /// - Throws: `StoreError` when the card refuses.
    package init(
        journal storage: any BlockStorage,
        historyPath: String,
        plan: StorePlan,
        version: String,
        mirrorSequence: UInt64,
        seams: HistorySeams = HistorySeams()
    ) throws(StoreError) {
        let (history, found) = try History.open(
            path: historyPath,
            plan: plan,
            version: version,
            seams: seams
        )
        let journal = try Journal(storage, reusableUpTo: history.cursor)
        (self.history, self.journal) = (history, journal)
        let waiting = journal.replay(after: history.cursor)
        let overlap = waiting.blocks.filter { $0.sequence > mirrorSequence }
        let countAfterMirror = overlap.reduce(0) { $0 + Self.count(in: $1) }
        if !history.isReadOnly { try Self.take(from: journal, into: history) }
        opening = Opening(
            history: found,
            damage: waiting.damage,
            streams: try history.streams(),
            newestBlock: journal.newest,
            payloadCapacity: journal.payloadCapacity,
            countAfterMirror: countAfterMirror
        )
    }

    /// How much of the journal waits for the history, 0…1.
    package var fill: Double { journal.fill }

    /// Makes one payload durable.
    ///
    /// - Returns: The sequence of its block; what it holds is acknowledged now.
    /// - Throws: `StoreError`; the caller keeps the payload.
    package func append(_ payload: [UInt8], boot: BootID) throws(StoreError) -> UInt64 {
        try journal.append(payload, boot: boot)
    }

    /// Lets the history take everything that waits.
    ///
    /// - Throws: `StoreError`; the journal keeps what was not taken.
    package func checkpoint() throws(StoreError) { try Self.take(from: journal, into: history) }

    /// The value of a setting; nil when it was never set.
    package func setting(_ key: String) throws(StoreError) -> String? {
        try history.setting(key)
    }

    /// Changes a setting at once; see `History.set`.
    package func set(_ key: String, to value: String?) throws(StoreError) {
        try history.set(key, to: value)
    }

    package func close() throws(StoreError) { try history.close() }

    private static func take(from journal: Journal, into history: History) throws(StoreError) {
        while true {
            let waiting = journal.replay(after: history.cursor, limit: blocksPerTransaction)
            guard let last = waiting.blocks.last else { break }
            try history.take(waiting.blocks)
            journal.release(through: last.sequence)
        }
        journal.release(through: history.cursor)
    }

    /// Samples and other records of a block that the mirror holds one by one.
    private static func count(in block: JournalBlock) -> Int {
        JournalRecordCodec.contents(block.payload).records.reduce(0) { sum, record in
            guard case .samples(_, let segment) = record else { return sum + 1 }
            return sum + ((try? SegmentHeader(segment))?.count ?? 0)
        }
    }
}
