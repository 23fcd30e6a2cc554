import Core
import DequeModule
import Store

/// State of a `StoreQueue`, guarded by its lock.
struct StoreBacklog {
    var intake: StoreIntake
    var mirror: TailMirror?
    var cursors: CursorTable
    var waiting: Deque<StoreBatch> = []
    var waitingByteCount = 0
    /// The newest block that is durable.
    var newestBlock: UInt64 = 0
    /// Places at the front of `waiting` that are gone so far.
    var doneCount = 0
    var losses = StoreLosses()
    /// The batch that is being written; it is not dropped meanwhile.
    var inFlight: UInt64?
    var lastID: UInt64 = 0
    /// Records of the mirror since the last batch was closed.
    var mirrored = 0
    /// Streams made since the last batch was closed, and in batches since the last call.
    var newStreams = (open: false, closed: false)
    /// Records that no block can hold.
    var tooLongCount = 0
    /// The newest records, once the tail was asked for.
    var recent: RecentRecords?
    /// When the last batch became durable.
    var committedAt: MonotonicInstant?

    /// Closes the open batch, whether or not it is due.
    mutating func seal(at now: MonotonicInstant) {
        cursors.openSince = now
        let since = intake.waitingSince ?? .boot
        let (payloads, tooLong) = intake.drain()
        tooLongCount += tooLong.count
        for (index, payload) in payloads.enumerated() {
            // The mirror forgets with the last of them.
            let own = index == payloads.count - 1 ? mirrored : 0
            lastID += 1
            var batch = StoreBatch(id: lastID, payload: payload, since: since, mirrored: own)
            if index == payloads.count - 1 { batch.cursorNumber = cursors.number }
            waiting.append(batch)
            waitingByteCount += payload.count
        }
        guard !payloads.isEmpty else { return }
        mirrored = 0
        if newStreams.open { newStreams = (false, true) }
    }

    /// Gives up the oldest batch that is not being written.
    ///
    /// - Returns: false when there is none.
    mutating func dropOldest() -> Bool {
        let countBefore = waiting.count
        defer { doneCount += countBefore - waiting.count }
        let isWriting = inFlight != nil && waiting.first?.id == inFlight
        let index = isWriting ? 1 : 0
        let carried = waiting.count > index && waiting[index].isCarried ? waiting[index] : nil
        let place = carried == nil ? index : index + 1
        guard place < waiting.count else { return false }
        let oldest = waiting.remove(at: place)
        let records = JournalRecordCodec.contents(oldest.payload).records
        let streams = intake
        losses.count(records) { streams.stream($0) }
        if isWriting {
            waiting[0].mirrored += oldest.mirrored
        } else {
            mirror?.reset(after: mirror?.sequence ?? 0, dropping: oldest.mirrored)
        }
        if carried != nil { waiting.remove(at: index) }
        let before = carried.map { JournalRecordCodec.contents($0.payload).records } ?? []
        let kept = (before + records).carried(capacity: intake.capacity)
        let payload = JournalRecordCodec.encode(kept)
        if !kept.isEmpty {
            lastID += 1
            var batch = StoreBatch(id: lastID, payload: payload, since: oldest.since, mirrored: 0)
            (batch.isCarried, batch.cursorNumber) = (true, oldest.cursorNumber)
            waiting.insert(batch, at: index)
        }
        waitingByteCount += payload.count - oldest.payload.count
        waitingByteCount -= carried?.payload.count ?? 0
        return true
    }

    /// Keeps a record for followers, and writes it to memory that outlives the process.
    mutating func remember(_ record: JournalRecord) {
        recent?.append(record)
        writeToMirror(record)
    }

    private mutating func writeToMirror(_ record: JournalRecord) {
        guard let mirror else { return }
        let bytes = JournalRecordCodec.encode([record])
        // A record that finds no room is not counted: only the mirror lacks it.
        if bytes.count <= 65_535, mirror.append(bytes) { mirrored += 1 }
    }

    /// Keeps a sample for followers, and writes it to memory that outlives the process.
    mutating func remember(_ sample: StoredSample, _ decimals: [Int]) {
        recent?.append(sample)
        guard mirror != nil else { return }
        var encoder = SegmentEncoder(decimals: decimals, startingAt: sample.tick)
        encoder.append(sample.tick, sample.outcomes)
        writeToMirror(.samples(sample.stream, segment: encoder.finished()))
    }
}
