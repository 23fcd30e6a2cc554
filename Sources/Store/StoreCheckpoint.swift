import Core

/// Brings what waits in a journal into a history.
enum StoreCheckpoint {
    /// Blocks in one transaction, so that memory stays bounded: 1 MiB of 4 KiB.
    static let blocksPerTransaction = 256
    /// Part of the journal in use from which a checkpoint is due at any time of day.
    static let urgentFill = 0.75

    /// Checkpoints what waits into a history.
    ///
    /// A block with samples of a stream that has no place stays in the journal with all that came
    /// after it; from `urgentFill` on the journal needs the room, and an eighth of the ring is
    /// checkpointed without those samples.
    ///
    /// - Parameters:
    ///   - journal: Keeps its blocks until they are in the history's file.
    ///   - news: What became of the places of streams is added to it.
    /// - Returns: Nil when everything possible is checkpointed; else the bytes of the log, which a
    ///   reader holds.
    static func move(
        from journal: Journal,
        into history: History,
        _ news: inout StreamChanges
    ) throws(StoreError) -> Int? {
        news.placeless = []
        news.places = history.streamCount
        while true {
            let isGivingUp = journal.fill(after: history.cursor) >= urgentFill
            let limit = isGivingUp ? max(1, journal.slotCount / 8) : blocksPerTransaction
            let waiting = journal.replay(
                after: history.cursor,
                limit: min(limit, blocksPerTransaction)
            )
            guard let last = waiting.blocks.last else { break }
            guard try history.hasRoomInLog(isUrgent: journal.fill >= urgentFill) else {
                return history.logByteCount
            }
            let taken = try history.append(
                waiting.blocks,
                lost: waiting.damage.map(\.sequence),
                isGivingUp: isGivingUp
            ) { stream in journal.hasSamples(of: stream, after: last.sequence) }
            news.recycled += taken.recycled
            news.samplesGivenUp += taken.samplesWithoutPlace
            news.damagedSegments += taken.damagedSegments
            news.placeless = taken.placeless
            guard taken.placeless.isEmpty else { break }
        }
        try release(journal, of: history)
        return nil
    }

    /// Releases the journal's blocks that the history has permanently.
    ///
    /// A block is there permanently once the log is copied into the file and synced: bit rot in
    /// the log makes SQLite drop everything behind it. A long reader prevents the copy; when the
    /// journal needs the room, blocks that are only in the log are released too.
    static func release(_ journal: Journal, of history: History) throws(StoreError) {
        let isSettled = try history.settle()
        guard isSettled || journal.fill >= urgentFill else { return }
        journal.release(through: history.cursor)
    }
}
