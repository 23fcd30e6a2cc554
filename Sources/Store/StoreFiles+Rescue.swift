import Readings
import SQLite

// What a history that lies aside, and the journal, say to the new one.
extension StoreFiles {
    /// Brings what can be read of a history that lies aside into the new one.
    static func rescue(
        _ aside: String?,
        _ history: History,
        _ journal: Journal?
    ) throws(StoreError) -> (HistoryKeepsake, HistoryRescued?) {
        guard let aside else { return (try HistoryKeepsake(), nil) }
        try mend(aside, like: history)
        let keepsake = try HistoryKeepsake.salvaged(from: aside)
        if let journal {
            keepsake.learn(JournalOutline(journal).streams)
            keepsake.inventNumbers()
        }
        let rescued = try HistoryRescue.run(from: aside, into: history, keepsake)
        if let journal, rescued != nil, keepsake.lacksCursor {
            try history.restore(cursor: try cursor(of: history, in: journal))
        }
        return (keepsake, rescued)
    }

    /// How far a history took the journal, by what it holds: blocks stand in the order of time.
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

    /// Lets a rescued history take what it does not have, and the ring still holds.
    static func retake(
        _ journal: Journal,
        _ history: History,
        _ floors: HistoryFloors,
        _ keepsake: HistoryKeepsake
    ) throws(StoreError) {
        journal.rewind()
        if floors.samples.values.contains(where: { $0.boot == 0 }) {
            let outline = JournalOutline(journal)
            try history.begin(with: keepsake.loss(before: outline).map { [$0] } ?? [])
        }
        var after: UInt64 = 0
        while after < history.cursor {
            let blocks = journal.replay(after: after, limit: StationStore.blocksPerTransaction)
                .blocks
            guard let last = blocks.last else { break }
            try history.retake(blocks, after: floors)
            after = last.sequence
        }
        try StationStore.release(journal, of: history)
    }
}
