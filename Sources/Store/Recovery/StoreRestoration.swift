import Core
import SQLite

/// Restores a new history from the one set aside and from the journal.
enum StoreRestoration {
    /// Copies the readable content of a history that was set aside into the new one.
    static func rescue(
        _ aside: String?,
        _ history: History,
        _ journal: Journal?,
        _ spare: HistoryBackup
    ) throws(StoreError) -> (CatalogSnapshot, HistoryRecovered?) {
        guard let aside else { return (try CatalogSnapshot(), nil) }
        try mend(aside, like: history)
        let snapshot = try CatalogSnapshot.salvaged(from: aside, spare)
        if let journal {
            snapshot.learn(JournalOutline(journal).streams)
            snapshot.inventNumbers()
        }
        let rescued = try HistoryRecovery.run(from: aside, into: history, snapshot)
        if let journal, rescued != nil, snapshot.lacksCursor {
            try history.restore(cursor: try cursor(of: history, in: journal))
        }
        return (snapshot, rescued)
    }

    /// Lets the history take what waits, and remembers its small tables.
    ///
    /// - Returns: Whether a reader holds it up, and what became of places and copy.
    static func takeWaiting(
        _ journal: Journal,
        _ history: History,
        _ snapshot: CatalogSnapshot,
        _ spare: HistoryBackup
    ) throws(StoreError) -> (isHeld: Bool, StreamChanges) {
        var (isHeld, news) = (false, StreamChanges())
        if !history.isReadOnly {
            isHeld = try StoreCheckpoint.move(from: journal, into: history, &news) != nil
        }
        snapshot.refresh(history.connection)
        if !history.isReadOnly { news.copyTrouble = spare.write(snapshot, history.shape)?.message }
        return (isHeld, news)
    }

    /// Finds how much of the journal a history has, by its newest position.
    private static func cursor(
        of history: History,
        in journal: Journal
    ) throws(StoreError) -> UInt64 {
        guard let newest = try history.newestPlace(), let first = journal.blocks.first else {
            return journal.newest
        }
        let boots = try history.boots()
        let order = Dictionary(boots.map { ($0.id, $0.ordinal) }) { $1 }
        func position(_ place: GapMark.Place) -> HistoryPosition {
            HistoryPosition(boot: order[place.boot] ?? .max, tick: place.tick)
        }
        let end = position(newest)
        var cursor = first - 1
        for sequence in journal.blocks {
            guard let block = try? journal.read(sequence) else { continue }
            guard let place = block.lastPlace else { continue }
            guard position(place) <= end else { break }
            cursor = sequence
        }
        return max(1, cursor)
    }

    /// Puts whole trees into a damaged history.
    static func mend(_ aside: String, like history: History) throws(StoreError) {
        do { try HistoryTrees(of: history.connection).mend(aside) } catch { throw .database(error) }
    }

    /// Adds records that a recovered history lacks and the ring still holds.
    static func retake(
        _ journal: Journal,
        _ history: History,
        _ floors: HistoryFloors,
        _ snapshot: CatalogSnapshot
    ) throws(StoreError) {
        journal.rewind()
        if let floor = floors.samples.values.min() {
            let outline = JournalOutline(journal)
            let loss =
                floor.boot == 0
                ? snapshot.loss(before: outline)
                : snapshot.loss(after: floor, before: outline, try history.boots())
            try history.begin(with: loss.map { [$0] } ?? [])
        }
        var after: UInt64 = 0
        while after < history.cursor {
            let blocks = journal.replay(after: after, limit: StoreCheckpoint.blocksPerTransaction)
                .blocks
            guard let last = blocks.last else { break }
            try history.retake(blocks, after: floors)
            after = last.sequence
        }
        try StoreCheckpoint.release(journal, of: history)
    }

    /// Copies to a new history what the one before knew; all blocks of the ring wait for it again.
    static func begin(
        _ history: History,
        _ journal: Journal,
        _ snapshot: CatalogSnapshot
    ) throws(StoreError) {
        journal.rewind()
        try begin(history, snapshot) { after, limit in
            journal.replay(after: after, limit: limit).blocks
        }
    }

    /// Copies to a new history what the one before knew, except what the following blocks hold.
    static func begin(
        _ history: History,
        _ snapshot: CatalogSnapshot,
        before blocks: (_ after: UInt64, _ limit: Int) -> [JournalBlock]
    ) throws(StoreError) {
        let outline = JournalOutline(blocks)
        // First: what fails here is done again with a history that knows nothing yet.
        let refused = try carry(snapshot.settings, to: history)
        var records = snapshot.records(before: outline)
        if let last = records.last?.boot ?? outline.boots.last {
            let instant = outline.end?.tick.instant ?? .boot
            records += refused.map { key in
                let details: KeyValuePairs = ["setting": key]
                let event = Event(
                    at: instant,
                    source: "store",
                    kind: .plain(.settingLost),
                    severity: .error,
                    details
                )
                return (last, .event(event))
            }
        }
        try history.begin(with: records)
    }

    /// Gives a new history the settings: names of parts, mutes, hours of lasers.
    ///
    /// - Returns: Keys of those that no history takes, which rot alone can have made.
    private static func carry(
        _ settings: [String: String],
        to history: History
    ) throws(StoreError) -> [String] {
        var refused: [String] = []
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            do throws(StoreError) {
                try history.set(key, to: value)
            } catch {
                // SQLITE_TOOBIG; anything else is the card's word, and it is asked again.
                guard case .database(let cause) = error, cause.code == 18 else { throw error }
                refused.append(String(key.prefix(40)))
            }
        }
        return refused
    }
}
