import Core

/// What became of the places of streams in the history, and of what it took.
package struct StreamNews: Hashable, Sendable {
    /// Streams that have no place now: the journal keeps their samples, and all that came after.
    package var placeless: [StreamDescription] = []
    /// Samples given up since, because the journal needed their room; marks record them.
    package var samplesGivenUp = 0
    /// Streams that were gone from the rings and gave their places to others.
    package var recycled: [StreamID] = []
    /// Places that there are.
    package var places = 0
    /// Runs of samples taken since that could not be read to their end.
    package var damagedSegments = 0
    /// Why the second copy of the small tables is not written; nil when it is.
    package var copyTrouble: String?

    package init() {}

    /// What goes on being so.
    var rest: StreamNews {
        var rest = StreamNews()
        (rest.placeless, rest.copyTrouble) = (placeless, copyTrouble)
        return rest
    }
}

extension StationStore {
    /// Checkpoints what waits into a history.
    ///
    /// A block with samples of a stream that has no place stays in the journal with all that came
    /// after it; from `urgentFill` on the journal needs the room, and an eighth of the ring is
    /// checkpointed without those samples.
    ///
    /// - Parameters:
    ///   - journal: Keeps its blocks until they are in the history's file.
    ///   - history: Receives it.
    ///   - news: What became of the places of streams is added to it.
    /// - Returns: Nil when everything possible is checkpointed; else the bytes of the log, which a
    ///   reader holds.
    /// - Throws: `StoreError`.
    static func take(
        from journal: Journal,
        into history: History,
        _ news: inout StreamNews
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
            let taken = try history.take(
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
    /// That is what was copied from the log into the file, and synced: bit rot in the log makes
    /// SQLite drop everything behind it. A long reader prevents the copy; when the journal needs
    /// the room, blocks in the log alone are released too.
    static func release(_ journal: Journal, of history: History) throws(StoreError) {
        let isSettled = try history.settle()
        guard isSettled || journal.fill >= urgentFill else { return }
        journal.release(through: history.cursor)
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
