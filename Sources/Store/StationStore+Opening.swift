import Glibc
import HardwareIO
import Readings
import SQLite

/// Where the store of a station lies, and what a new one is like.
package struct StorePlace: Sendable {
    package let journalPath: String
    package let historyPath: String
    package var plan: StorePlan
    /// Who opens it.
    package var version: String
    package var seams = HistorySeams()

    package init(journal: String, history: String, plan: StorePlan, version: String) {
        (journalPath, historyPath, self.plan, self.version) = (journal, history, plan, version)
    }
}

/// What a journal was found to be.
package enum JournalOpening: Hashable, Sendable, CustomStringConvertible {
    case found
    /// Zeros, or made just now.
    case blank
    /// Its file could not be used and lies at `path` now; the blocks of it that were whole and
    /// waited were taken from it.
    case setAside(path: String, because: String, salvaged: Int)

    package var description: String {
        switch self {
        case .found: "the journal as it was"
        case .blank: "an empty journal"
        case .setAside(let path, let because, let salvaged):
            "a new journal; the one before lies at \(path), because \(because); "
                + "\(salvaged) of its blocks were saved"
        }
    }
}

/// Journal and history, opened whatever state they are in.
struct StoreFiles {
    let history: History
    let historyOpening: HistoryOpening
    let journal: Journal
    let journalOpening: JournalOpening
    /// What stood under a name that SQLite needs, and lies there now.
    let moved: [String]
    /// Of the journal.
    let waiting: (blocks: [JournalBlock], damage: [JournalDamage])

    /// Opens both and lets the history take what waited.
    ///
    /// A file that cannot be used is moved aside and made anew; when that fails too, or the card
    /// refuses, this throws and may be tried again.
    static func open(
        _ place: StorePlace,
        mirrorSequence: UInt64,
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> StoreFiles {
        if isSame(place.journalPath, place.historyPath) {
            // One is a link to the other: the database would be opened under both names.
            setAside(place.historyPath)
        }
        let moved = History.clearNames(place.historyPath)
        do {
            return try openOnce(place, nil, moved, openJournal)
        } catch {
            // Damage that only the taking met, or a file that may be read and not written.
            guard case .database(let found) = error,
                History.isUnusable(place.historyPath, found)
            else { throw error }
            let aside = History.setAside(place.historyPath)
            let opening = HistoryOpening.setAside(path: aside, because: found.message)
            return try openOnce(place, opening, moved, openJournal)
        }
    }

    private static func openOnce(
        _ place: StorePlace,
        _ before: HistoryOpening?,
        _ moved: [String],
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> StoreFiles {
        let (history, found) = try History.open(
            path: place.historyPath,
            plan: place.plan,
            version: place.version,
            seams: place.seams
        )
        var isWhole = false
        // Whoever sets it aside has to have closed it.
        defer { if !isWhole { try? history.close() } }
        let (journal, opening) = try openJournalOrSetAside(place, history, openJournal)
        let waiting = journal.replay(after: history.cursor)
        if !history.isReadOnly { try StationStore.take(from: journal, into: history) }
        isWhole = true
        return StoreFiles(
            history: history,
            historyOpening: before ?? found,
            journal: journal,
            journalOpening: opening,
            moved: moved,
            waiting: waiting
        )
    }

    private static func openJournalOrSetAside(
        _ place: StorePlace,
        _ history: History,
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> (Journal, JournalOpening) {
        do {
            let journal = try open(history, openJournal)
            return (journal, journal.isBlank ? .blank : .found)
        } catch {
            guard error.meansThatTheJournalIsUnusable, canSetAside(place.journalPath) else {
                throw error
            }
            let count = try salvage(
                place.journalPath,
                blockSize: place.plan.journal.blockSize,
                history
            )
            let aside = setAside(place.journalPath)
            let journal = try open(history, openJournal)
            return (journal, .setAside(path: aside, because: "\(error)", salvaged: count))
        }
    }

    private static func open(
        _ history: History,
        _ openJournal: () throws -> any BlockStorage
    ) throws(StoreError) -> Journal {
        let storage: any BlockStorage
        do { storage = try openJournal() } catch let error as StorageError {
            throw .storage(error)
        } catch {
            throw .storage(.failed(call: "open", errno: 0, path: "\(error)"))
        }
        return try Journal(storage, reusableUpTo: history.cursor)
    }

    /// Takes what is whole; returns how many blocks that were.
    private static func salvage(
        _ path: String,
        blockSize: Int,
        _ history: History
    ) throws(StoreError) -> Int {
        guard !history.isReadOnly else { return 0 }
        let salvage = JournalSalvage(path, blockSize: blockSize)
        var count = 0
        while true {
            let limit = StationStore.blocksPerTransaction
            let blocks = salvage.blocks(after: history.cursor, limit: limit)
            guard !blocks.isEmpty else { return count }
            try history.take(blocks)
            count += blocks.count
        }
    }

    /// A file, folder or link in a folder that takes writes; never a device.
    static func canSetAside(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFBLK else { return false }
        if status.st_mode & S_IFMT == S_IFLNK {
            var target = stat()
            let isThere = stat(path, &target) == 0
            guard !isThere || target.st_mode & S_IFMT != S_IFBLK else { return false }
        }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return access(folder.isEmpty ? "/" : folder, W_OK) == 0
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    @discardableResult
    private static func setAside(_ path: String) -> String {
        let aside = History.freeName(beside: path)
        rename(path, aside)
        return aside
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
        // A newer version's may be damaged, or of another shape: the journal takes samples anyway.
        streams =
            files.history.isReadOnly
            ? (try? files.history.streams()) ?? [] : try files.history.streams()
        newestBlock = files.journal.newest
        payloadCapacity = files.journal.payloadCapacity
        countAfterMirror = files.waiting.blocks.filter { $0.sequence > mirrorSequence }
            .reduce(0) { $0 + Self.count(in: $1) }
        losses = Self.losses(files)
    }

    private static func losses(_ files: StoreFiles) -> [String] {
        var losses: [String] = []
        switch files.historyOpening {
        case .found: break
        case .fresh where files.journal.isBlank: break
        case .fresh: losses.append("the history was gone, and the journal was not")
        case .setAside, .newer: losses.append("\(files.historyOpening)")
        }
        switch files.journalOpening {
        case .found: break
        case .blank where files.history.cursor == 0: break
        case .blank: losses.append("the journal was gone or empty, and the history was not")
        case .setAside: losses.append("\(files.journalOpening)")
        }
        losses += files.moved.map { "what stood in the place of a file lies at \($0)" }
        losses += files.waiting.damage.prefix(8).map { "\($0)" }
        let slots = files.journal.damagedSlotCount
        if slots > 0 { losses.append("\(slots) slots of the journal hold no block") }
        return losses
    }

    /// Samples and other records of a block that the mirror holds one by one.
    private static func count(in block: JournalBlock) -> Int {
        JournalRecordCodec.contents(block.payload).records.reduce(0) { sum, record in
            guard case .samples(_, let segment) = record else { return sum + 1 }
            return sum + ((try? SegmentHeader(segment))?.count ?? 0)
        }
    }
}
