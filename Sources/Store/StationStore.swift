import HardwareIO
import Readings
import SQLite

/// Journal and history of one station together, as the disk thread sees them.
///
/// The journal makes a batch durable with one write and one sync; every few hours the history takes
/// what waits there in one transaction, and the journal may use those blocks again.
package final class StationStore {
    /// Blocks that one transaction takes, so that memory stays bounded: 1 MiB of 4 KiB.
    static let blocksPerTransaction = 256
    /// From here on the history takes what waits, whatever the time.
    package static let urgentFill = 0.75

    /// Attempts of the history that end in an I/O error, while the journal takes blocks, until the
    /// history is given up.
    static let inputErrorLimit = 4

    /// What became of a checkpoint.
    package enum Checkpoint: Hashable, Sendable {
        case taken
        /// Somebody has been reading the history for so long that its log cannot be begun anew; the
        /// rest waits in the journal.
        case held(logByteCount: Int)
        /// The history was damaged: it lies aside, and a new one has what the journal still held.
        case replaced(HistoryOpening)
    }

    /// What was found at the start.
    package struct Opening: Sendable {
        package fileprivate(set) var history: HistoryOpening
        /// Blocks of the journal that cannot be read any more.
        package let damage: [JournalDamage]
        /// Streams that samples belong to.
        package fileprivate(set) var streams: [StreamDescription]
        /// The newest acknowledged block.
        package let newestBlock: UInt64
        /// Bytes of payload that one block holds.
        package let payloadCapacity: Int
        /// Samples and events in blocks newer than the one asked for; see `TailMirror.read`.
        package let countAfterMirror: Int
    }

    package private(set) var opening: Opening
    private let place: Place
    private let journal: Journal
    /// Nil while the one before is given up and no new one could be made yet.
    private var history: History?
    private var keepsake = HistoryKeepsake()
    /// Where the history before lies, and why, until the new one has what the journal holds.
    private var setAside: HistoryOpening?
    private var mustBegin = false
    private var inputErrorCount = 0
    private var hasAppended = false

    /// Where a history is, and how one is made.
    private struct Place {
        let path: String
        let plan: StorePlan
        let version: String
        let vfs: String?

        func open() throws(StoreError) -> (History, HistoryOpening) {
            try History.open(path: path, plan: plan, version: version, vfs: vfs)
        }
    }

    /// Opens both, and lets the history take what waited.
    ///
    /// - Parameters:
    ///   - storage: The journal's ring.
    ///   - historyPath: The history's file.
    ///   - plan: How large a new history is made.
    ///   - version: Who opens it.
    ///   - mirrorSequence: The block that the tail mirror comes after.
    ///   - vfs: The layer below the history; nil for the system's own.
    /// - Throws: `StoreError` when the card refuses.
    package convenience init(
        journal storage: any BlockStorage,
        historyPath: String,
        plan: StorePlan,
        version: String,
        mirrorSequence: UInt64,
        vfs: String? = nil
    ) throws(StoreError) {
        let place = Place(path: historyPath, plan: plan, version: version, vfs: vfs)
        try self.init(place, storage, mirrorSequence: mirrorSequence, acknowledged: nil)
    }

    /// Opens both again within one process.
    ///
    /// - Parameters:
    ///   - storage: The journal's ring.
    ///   - historyPath: The history's file.
    ///   - plan: How large a new history is made.
    ///   - version: Who opens it.
    ///   - acknowledged: The newest block that was; a newer one in the ring is not served, since
    ///     what it holds comes again.
    /// - Throws: `StoreError` when the card refuses.
    package convenience init(
        journal storage: any BlockStorage,
        historyPath: String,
        plan: StorePlan,
        version: String,
        acknowledged: UInt64
    ) throws(StoreError) {
        let place = Place(path: historyPath, plan: plan, version: version, vfs: nil)
        try self.init(place, storage, mirrorSequence: .max, acknowledged: acknowledged)
    }

    private init(
        _ place: Place,
        _ storage: any BlockStorage,
        mirrorSequence: UInt64,
        acknowledged: UInt64?
    ) throws(StoreError) {
        self.place = place
        let (history, found) = try place.open()
        journal = try Journal(storage, reusableUpTo: history.cursor, through: acknowledged)
        self.history = history
        let waiting = journal.replay(after: history.cursor)
        let overlap = waiting.blocks.filter { $0.sequence > mirrorSequence }
        opening = Opening(
            history: found,
            damage: waiting.damage,
            streams: [],
            newestBlock: journal.newest,
            payloadCapacity: journal.payloadCapacity,
            countAfterMirror: overlap.reduce(0) { $0 + Self.count(in: $1) }
        )
        if case .setAside(let path, _) = found {
            keepsake = .salvaged(from: path)
            (setAside, mustBegin) = (found, true)
        } else {
            keepsake.refresh(history.connection)
        }
        if !history.isReadOnly, case .replaced(let again) = try checkpoint() {
            opening.history = again
        }
        opening.streams = try requireHistory().streams()
    }

    /// How much of the journal waits for the history, 0…1.
    package var fill: Double { journal.fill }

    /// Makes one payload durable.
    ///
    /// - Returns: The sequence of its block; what it holds is acknowledged now.
    /// - Throws: `StoreError`; the caller keeps the payload.
    package func append(_ payload: [UInt8], boot: BootID) throws(StoreError) -> UInt64 {
        let sequence = try journal.append(payload, boot: boot)
        hasAppended = true
        return sequence
    }

    /// Lets the history take everything that waits, and replaces it when it is beyond repair.
    ///
    /// - Throws: `StoreError`; the journal keeps what was not taken.
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
        if mustBegin { try begin(history) }
        let isUrgent = fill >= Self.urgentFill
        while true {
            let waiting = journal.replay(after: history.cursor, limit: Self.blocksPerTransaction)
            guard let last = waiting.blocks.last else { break }
            guard try history.hasRoomInLog(isUrgent: isUrgent) else {
                return .held(logByteCount: history.logByteCount)
            }
            try history.take(waiting.blocks)
            journal.release(through: last.sequence)
        }
        journal.release(through: history.cursor)
        (inputErrorCount, hasAppended) = (0, false)
        keepsake.refresh(history.connection)
        defer { setAside = nil }
        return setAside.map { .replaced($0) } ?? .taken
    }

    // MARK: - A history beyond repair

    private func isBeyondRepair(_ error: SQLiteError) -> Bool {
        if error.isCorrupt { return true }
        guard error.isInputOutput else { return false }
        // A card that is gone refuses the journal as well; then there is nothing to be mended.
        if inputErrorCount == 0 { hasAppended = false }
        inputErrorCount += 1
        return inputErrorCount >= Self.inputErrorLimit && hasAppended
    }

    private func giveUp(_ history: History, because error: SQLiteError) {
        keepsake.refresh(history.connection)
        history.abandon()
        self.history = nil
        (inputErrorCount, hasAppended) = (0, false)
        let aside = History.setAside(place.path)
        (setAside, mustBegin) = (.setAside(path: aside, because: error.message), true)
    }

    private func openHistory() throws(StoreError) -> History {
        if let history { return history }
        let (opened, _) = try place.open()
        history = opened
        return opened
    }

    /// Tells a new history what the one before knew, and lets it take all that the ring holds.
    private func begin(_ history: History) throws(StoreError) {
        if history.cursor == 0 {
            journal.rewind()
            var outline = JournalOutline()
            var after: UInt64 = 0
            while true {
                let some = journal.replay(after: after, limit: Self.blocksPerTransaction).blocks
                guard let last = some.last else { break }
                for block in some { outline.take(block) }
                after = last.sequence
            }
            try history.begin(with: keepsake.records(before: outline))
            for (key, value) in keepsake.settings { try? history.set(key, to: value) }
        }
        mustBegin = false
    }

    private func requireHistory() throws(StoreError) -> History {
        guard let history else { throw .storage(.absent(path: place.path)) }
        return history
    }

    /// The value of a setting; nil when it was never set.
    package func setting(_ key: String) throws(StoreError) -> String? {
        try requireHistory().setting(key)
    }

    /// Changes a setting at once; see `History.set`.
    package func set(_ key: String, to value: String?) throws(StoreError) {
        try requireHistory().set(key, to: value)
    }

    package func close() throws(StoreError) { try history?.close() }

    /// Samples and other records of a block that the mirror holds one by one.
    private static func count(in block: JournalBlock) -> Int {
        JournalRecordCodec.contents(block.payload).records.reduce(0) { sum, record in
            guard case .samples(_, let segment) = record else { return sum + 1 }
            return sum + ((try? SegmentHeader(segment))?.count ?? 0)
        }
    }
}
