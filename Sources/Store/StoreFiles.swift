import Core
import Glibc
import HardwareIO
import SQLite

/// Journal and history, opened in any state of their files.
struct StoreFiles {
    let history: History
    let historyOpening: HistoryOpening
    let journal: Journal
    let journalOpening: JournalOpening
    /// A folder or link at a path that SQLite needs, and its new path.
    let moved: [String]
    /// Blocks that waited in the journal, and its damage.
    let waiting: (blocks: [JournalBlock], damage: [JournalDamage])
    /// The small tables of the history as it is now.
    let snapshot: CatalogSnapshot
    /// Whether a reader prevented the checkpoint.
    let isHeld: Bool
    let streamNews: StreamChanges
    /// The history's log as it was before SQLite opened it.
    let log: HistoryLog

    /// Opens both and checkpoints what waited.
    ///
    /// A file that cannot be used is moved aside and replaced; when that fails too, or the card
    /// refuses, this throws and may be tried again.
    static func open(
        _ place: StoreLocation,
        acknowledged: UInt64?,
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> StoreFiles {
        if isSame(place.journalPath, place.historyPath) {
            // One is a link to the other: the database would be opened under both names.
            setAside(place.historyPath)
        }
        let moved = HistoryFile.clearNames(place.historyPath)
        func openOnce(_ before: HistoryOpening?) throws(StoreError) -> StoreFiles {
            try Self.openOnce(place, acknowledged, before, moved, openJournal)
        }
        do {
            return try openOnce(nil)
        } catch {
            // Damage found only by the checkpoint, or a file that may be read and not written.
            guard case .database(let found) = error,
                HistoryFile.isUnusable(place.historyPath, found)
            else { throw error }
            let aside = HistoryFile.setAside(place.historyPath)
            return try openOnce(.setAside(path: aside, because: found.message))
        }
    }

    private static func openOnce(
        _ place: StoreLocation,
        _ acknowledged: UInt64?,
        _ before: HistoryOpening?,
        _ moved: [String],
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> StoreFiles {
        var place = place
        let spare = HistoryBackup(beside: place.historyPath, vfs: place.testHooks.vfs)
        if case .setAside(let path, _) = before { place.plan.shape = spare.shape(of: path) }
        // SQLite silently drops everything behind a damaged place.
        let log = HistoryLog(of: place.historyPath)
        let (history, opened) = try HistoryFile.open(place)
        let found = before ?? opened
        var isWhole = false
        // The caller must have closed it before.
        defer { if !isWhole { try? history.close() } }
        let aside = pathAside(found, history)
        // Opened once, for what the ring holds about a history that cannot be read.
        var ring = aside == nil ? nil : try? storage(openJournal)
        let peeked = ring.flatMap { try? Journal($0, reusableUpTo: 0) }
        var (snapshot, rescued) = try StoreRestoration.rescue(aside, history, peeked, spare)
        let former = try takeFormer(place, history, snapshot)
        let (journal, opening) = try openJournalOrSetAside(place, history, snapshot, former) {
            () throws(StoreError) in
            // After a ring was set aside another is opened.
            if ring == nil { ring = try storage(openJournal) }
            guard let opened = ring else { preconditionFailure("it was opened above") }
            ring = nil
            return try Journal(
                opened,
                reusableUpTo: history.cursor,
                isSettled: (try? history.settle()) ?? false,
                through: acknowledged,
                bad: place.badSlots
            )
        }
        if let rescued { try StoreRestoration.retake(journal, history, rescued.floors, snapshot) }
        let isLost = aside == nil && found == .fresh && !journal.isBlank
        if isLost { snapshot = try CatalogSnapshot.salvaged(from: nil, spare) }
        if aside != nil || isLost, history.cursor == 0 {
            try StoreRestoration.begin(history, journal, snapshot)
        }
        let waiting = journal.replay(after: history.cursor)
        let (isHeld, news) = try StoreRestoration.takeWaiting(journal, history, snapshot, spare)
        isWhole = true
        return StoreFiles(
            history: history,
            historyOpening: found.with(rescued),
            journal: journal,
            journalOpening: opening,
            moved: moved,
            waiting: waiting,
            snapshot: snapshot,
            isHeld: isHeld,
            streamNews: news,
            log: log
        )
    }

    /// The path of the history before this one; nil without one.
    private static func pathAside(_ found: HistoryOpening, _ history: History) -> String? {
        switch found {
        case .setAside(let path, _), .mended(let path, _, _): path
        // Set aside by a process that could not make a new one any more.
        case .fresh: HistoryFile.newestSetAside(beside: history.path)
        // Or it ended before the new one had any record.
        case .found where history.cursor == 0 && !history.isReadOnly:
            HistoryFile.newestSetAside(beside: history.path)
        case .found, .newer, .waiting: nil
        }
    }

    private static func openJournalOrSetAside(
        _ place: StoreLocation,
        _ history: History,
        _ snapshot: CatalogSnapshot,
        _ former: String?,
        _ open: () throws(StoreError) -> Journal
    ) throws(StoreError) -> (Journal, JournalOpening) {
        do throws(StoreError) {
            let journal = try open()
            guard journal.isBlank else { return (journal, .found) }
            return (journal, former.map { .moved(former: $0) } ?? .blank)
        } catch {
            guard error.meansThatTheJournalIsUnusable, HistoryFile.canSetAside(place.journalPath)
            else {
                throw error
            }
            let size = place.plan.journal.blockSize
            let salvage = JournalSalvage(place.journalPath, blockSize: size)
            let count = try append(salvage, history, snapshot)
            let aside = setAside(place.journalPath)
            let journal = try open()
            return (journal, .setAside(path: aside, because: "\(error)", salvaged: count))
        }
    }

    /// Takes the blocks that wait in the previous ring, whose file name becomes free.
    ///
    /// Both rings number their blocks by the history's cursor: without this the new ring would give
    /// the numbers of blocks that wait in the old one again.
    ///
    /// - Returns: Where that ring lies now; nil when there was none.
    private static func takeFormer(
        _ place: StoreLocation,
        _ history: History,
        _ snapshot: CatalogSnapshot
    ) throws(StoreError) -> String? {
        guard let former = place.formerJournal, !history.isReadOnly, HistoryFile.canSetAside(former)
        else {
            return nil
        }
        let salvage = JournalSalvage(former, blockSize: place.plan.journal.blockSize)
        _ = try append(salvage, history, snapshot)
        return setAside(former)
    }

    static func storage(
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> any BlockStorage {
        do { return try openJournal() } catch let error as StorageError {
            throw .storage(error)
        } catch {
            throw .storage(.failed(call: "open", errno: 0, path: "\(error)"))
        }
    }

    /// Copies whole blocks; returns how many there were.
    private static func append(
        _ salvage: JournalSalvage,
        _ history: History,
        _ snapshot: CatalogSnapshot
    ) throws(StoreError) -> Int {
        guard !history.isReadOnly else { return 0 }
        if history.cursor == 0, !salvage.blocks(after: 0, limit: 1).isEmpty {
            try StoreRestoration.begin(history, snapshot) { salvage.blocks(after: $0, limit: $1) }
        }
        var count = 0
        while true {
            let limit = StoreCheckpoint.blocksPerTransaction
            let blocks = salvage.blocks(after: history.cursor, limit: limit)
            guard !blocks.isEmpty else { return count }
            try history.append(blocks, lost: salvage.lost(after: history.cursor, in: blocks))
            count += blocks.count
        }
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    @discardableResult
    private static func setAside(_ path: String) -> String {
        let aside = HistoryFile.freeName(beside: path)
        rename(path, aside)
        return aside
    }
}

extension HistoryOpening {
    /// The same, with the saved content of a history that was set aside.
    func with(_ rescued: HistoryRecovered?) -> HistoryOpening {
        guard case .setAside(let path, let because) = self, let rescued else { return self }
        return .mended(path: path, because: because, rescued)
    }
}

extension StoreError {
    /// Whether the file itself is at fault, and not the card.
    fileprivate var meansThatTheJournalIsUnusable: Bool {
        switch self {
        case .otherBlockSize, .storage(.wrongSize), .storage(.noPermission), .storage(.absent): true
        case .storage(.failed(_, let errno, _)):
            [EISDIR, ELOOP, ENOTBLK, ENOTDIR, EINVAL].contains(errno)
        default: false
        }
    }
}

extension StationStore.Opening {
    init(_ files: StoreFiles, mirrorSequence: UInt64) throws(StoreError) {
        history = files.historyOpening
        journal = files.journalOpening
        damage = files.waiting.damage
        // A newer version's may be damaged, or have another layout: the journal stores samples
        // anyway.
        let stored =
            files.history.isReadOnly
            ? (try? files.history.streams()) ?? [] : try files.history.streams()
        // Waiting blocks may name streams that the history does not know yet, or not so.
        streams = HistoryTail(files.waiting.blocks).named(stored)
        ended = files.endedStreams
        cursors = files.snapshot.cursors.merging(HistoryTail(files.waiting.blocks).cursors.values)
        confirmations = files.snapshot.confirmations(and: files.waiting.blocks)
        lacksCursors = files.snapshot.lacksCursors
        freePlaces = files.history.streamCount - stored.count
        newestBlock = files.journal.newest
        payloadCapacity = files.journal.payloadCapacity
        journalSlotCount = files.journal.slotCount
        countAfterMirror = files.waiting.blocks.filter { $0.sequence > mirrorSequence }
            .reduce(0) { $0 + Self.count(in: $1) }
        newestStart =
            Self.newestStart(in: files.waiting.blocks)
            ?? files.snapshot.runs.last.map { GapMark.Place($0.boot, $0.started) }
        losses = Self.losses(files)
        isLogCutShort = files.log.isCutShort
        isHeld = files.isHeld
    }

    private static func losses(_ files: StoreFiles) -> [String] {
        var losses: [String] = []
        switch files.historyOpening {
        case .found: break
        case .fresh where files.journal.isBlank: break
        case .fresh: losses.append("the history was gone, and the journal was not")
        case .setAside, .mended, .newer, .waiting: losses.append("\(files.historyOpening)")
        }
        switch files.journalOpening {
        case .found, .moved: break
        case .blank where files.history.cursor == 0: break
        case .blank: losses.append("the journal was gone or empty, and the history was not")
        case .setAside: losses.append("\(files.journalOpening)")
        }
        losses += files.moved.map { "what stood in the place of a file lies at \($0)" }
        if let damage = files.log.damage { losses.append(damage) }
        losses += files.waiting.damage.prefix(8).map { "\($0)" }
        let slots = files.journal.damagedSlotCount
        if slots > 0 { losses.append("\(slots) slots of the journal hold no block") }
        return losses
    }

    static func newestStart(in blocks: [JournalBlock]) -> GapMark.Place? {
        for block in blocks.reversed() {
            for record in JournalRecordCodec.contents(block.payload).records.reversed() {
                guard case .started(let tick, _) = record else { continue }
                return GapMark.Place(block.boot, tick)
            }
        }
        return nil
    }

    /// Samples and other records of a block that the mirror holds one by one; not cursors, of
    /// which a block has the newest alone.
    static func count(in block: JournalBlock) -> Int {
        JournalRecordCodec.contents(block.payload).records.reduce(0) { sum, record in
            if case .cursor = record { return sum }
            guard case .samples(_, let segment) = record else { return sum + 1 }
            return sum + ((try? SegmentHeader(segment))?.count ?? 0)
        }
    }
}

extension StoreFiles {
    /// Streams of which no samples are expected any more; none when that cannot be read.
    var endedStreams: Set<StreamID> {
        var ended = (try? HistoryCatalog(connection: history.connection).endedStreams()) ?? []
        for schedule in HistoryTail(waiting.blocks).schedules {
            if schedule.interval == nil {
                ended.insert(schedule.stream)
            } else {
                ended.remove(schedule.stream)
            }
        }
        return ended
    }
}
