import Core
import DequeModule
import Profiles
import Runtime
import Store
import Synchronization

/// Records between the loop and the card, in memory and in the mirror.
///
/// Adding never waits and never fails. Bound: `waitingByteLimit` of payloads that are not on the
/// card; beyond it the oldest is dropped and counted, and `takeLosses` returns what is missing. At
/// 1 Hz that is weeks.
final class StoreQueue: Sendable {
    static let waitingByteLimit = 2 << 20

    typealias Batch = StoreBatch

    /// How often a device is sampled at the moment; nil when not regularly.
    typealias Schedule = @Sendable (_ device: String) -> Duration?

    private let clock: any NodeClock
    private let schedule: Schedule
    private let attention: Signal
    private let limit: Int
    private let state: Mutex<StoreBacklog>

    /// A queue in front of an open store.
    ///
    /// - Parameters:
    ///   - mirror: Memory that outlives the process; nil goes without.
    ///   - attention: Raised when something is due sooner than the waiting task expects.
    ///   - schedule: Called for each new stream.
    ///   - limit: Bytes of payloads that may wait.
    init(
        _ intake: StoreIntake,
        mirror: sending TailMirror?,
        clock: any NodeClock,
        attention: Signal,
        schedule: @escaping Schedule,
        limit: Int = waitingByteLimit
    ) {
        self.limit = limit
        self.clock = clock
        self.attention = attention
        self.schedule = schedule
        state = Mutex(StoreBacklog(intake: intake, mirror: mirror, cursors: CursorTable()))
    }

    /// Continues after the newest block of the opened journal, with the followers' cursors.
    func begin(after newestBlock: UInt64, _ cursors: [StoreCursor] = []) {
        state.withLock { state in
            state.newestBlock = max(state.newestBlock, newestBlock)
            state.cursors = CursorTable(cursors)
            // Cursors that an earlier process recorded may be on the card.
            state.cursors.openSince = clock.now
        }
    }

    /// Samples and events lost at the bound so far, and records too long for any block.
    var droppedCount: Int { state.withLock { $0.losses.count + $0.tooLongCount } }

    /// When the oldest record came that is not on the card, and when the card was written last.
    var progress: (waitingSince: MonotonicInstant?, committedAt: MonotonicInstant?) {
        state.withLock { state in
            (state.waiting.first?.since ?? state.intake.waitingSince, state.committedAt)
        }
    }

    /// Bytes of payloads that wait.
    var waitingByteCount: Int { state.withLock { $0.waitingByteCount } }

    /// Records lost at the bound since the last call; read when the card accepts writes again.
    func takeLosses(in boot: BootID) -> [GapMark] {
        state.withLock { state in
            let streams = state.intake
            return state.losses.drain(in: boot) { id in
                streams.stream(id).flatMap { schedule($0.device) }
            }
        }
    }

    /// When the next batch must be written; nil when nothing waits.
    var dueAt: MonotonicInstant? {
        state.withLock { state in state.waiting.isEmpty ? state.intake.dueAt : clock.now }
    }

    /// Adds the readings of one sample.
    ///
    /// Derived channels have streams of their own, so that raw ones keep theirs
    /// when a graph changes.
    func append(_ readings: [Reading]) {
        guard readings.contains(where: \.channel.quantity.isDerived) else {
            return takeStream(readings)
        }
        takeStream(readings.filter { !$0.channel.quantity.isDerived })
        var derived = readings.filter(\.channel.quantity.isDerived)[...]
        while !derived.isEmpty {
            takeStream(Array(derived.prefix(StreamDescription.channelLimit)))
            derived = derived.dropFirst(StreamDescription.channelLimit)
        }
    }

    private func takeStream(_ readings: [Reading]) {
        change { state, now in
            if state.intake.stream(of: readings) == nil {
                guard let stream = state.intake.makeStream(for: readings) else { return }
                state.newStreams.open = true
                let interval = schedule(stream.device)
                let from = Tick(readings.first?.instant ?? now)
                Self.append(.stream(stream), &state, at: now)
                Self.append(.schedule(stream.id, from: from, interval: interval), &state, at: now)
            }
            guard let sample = state.intake.append(readings, at: now) else { return }
            state.remember(sample, readings.map(\.channel.quantity.decimals))
        }
    }

    /// Whether a batch that was closed since the last call names a new stream.
    func takeNewStreams() -> Bool {
        state.withLock { state in
            defer { state.newStreams.closed = false }
            return state.newStreams.closed
        }
    }

    /// Repeats the records that are needed to read the samples in a ring of so many blocks.
    func repeatNames(within blockCount: Int) {
        change { state, now in state.intake.repeatNames(within: blockCount, at: now) }
    }

    /// Removes streams whose places the history gave to others.
    func forget(_ streams: [StreamID]) {
        change { state, now in state.intake.forget(streams, at: now) }
    }

    /// Adds any other record.
    func append(_ record: JournalRecord, isUrgent: Bool) {
        change { state, now in Self.append(record, &state, at: now, isUrgent: isUrgent) }
    }

    /// Latest cursor of each follower, and how much of it is on the card.
    var cursors: CursorTable { state.withLock { $0.cursors } }

    /// Keeps a follower's cursor for the next block that is written.
    ///
    /// - Parameters:
    ///   - blob: Its words; none give the name up.
    ///   - isUrgent: Whether that block is written within two seconds.
    /// - Returns: All that followers said last.
    /// - Throws: `CursorTable.Refusal`.
    func keep(
        _ name: String,
        _ blob: [UInt8],
        isUrgent: Bool
    ) throws(CursorTable.Refusal) -> CursorTable {
        var result = Result<CursorTable, CursorTable.Refusal>.failure(.invalid)
        change { state, now in
            result = Result { () throws(CursorTable.Refusal) in
                let record = JournalRecord.cursor(try state.cursors.set(name, blob))
                state.intake.append(record, isUrgent: isUrgent, at: now)
                if state.cursors.mayMirror(blob.count + 80) { state.remember(record) }
                return state.cursors
            }
        }
        return try result.get()
    }

    /// Adds what an earlier process of this boot left in the mirror, where it still is.
    ///
    /// - Parameters:
    ///   - isMirrored: Whether the mirror still has it.
    func restore(_ record: JournalRecord, isMirrored: Bool = true) {
        change { state, now in
            switch record {
            case .stream(let stream): state.intake.learn(stream)
            case .cursor(let cursor): state.cursors.restore(cursor)
            case .samples(let id, let segment):
                return Self.restore(segment, of: id, &state, at: now)
            default: break
            }
            if isMirrored { state.mirrored += 1 }
            state.intake.append(record, isUrgent: false, at: now)
        }
    }

    /// Leaves out one record of the mirror, which forgets it with the next batch all the same.
    ///
    /// Not counted, it would make the mirror keep a record of that batch in its place.
    func passOver() { state.withLock { $0.mirrored += 1 } }

    /// Records for every device except these that it is unplugged.
    ///
    /// A schedule outlives its device: without this record the ledger would expect samples.
    func reportAbsent(besides present: Set<String>) {
        change { state, now in
            for stream in state.intake.expectedStreams where !present.contains(stream.device) {
                let sample = StoredSample(
                    stream: stream.id,
                    tick: Tick(now),
                    outcomes: stream.quantities.map { _ in .noData(.unplugged) }
                )
                guard let stored = state.intake.append(sample, at: now) else { continue }
                state.remember(stored, stream.quantities.map(\.decimals))
            }
        }
    }

    /// Devices whose streams are known and that are not here.
    func absent(besides present: Set<String>) -> [String] {
        let known = state.withLock { Set($0.intake.expectedStreams.map(\.device)) }
        return known.subtracting(present).sorted()
    }

    /// The streams of a device that are known.
    func streams(of device: String) -> [StreamID] {
        state.withLock { $0.intake.streams(of: device).map(\.id) }
    }

    /// Gives a device's streams its new name; nothing is expected of them until it begins anew.
    func rename(_ device: String, to name: String) {
        change { state, now in
            for stream in state.intake.rename(device, to: name) {
                Self.append(.stream(stream), &state, at: now, isUrgent: true)
                let end = JournalRecord.schedule(stream.id, from: Tick(now), interval: nil)
                Self.append(end, &state, at: now, isUrgent: true)
            }
        }
    }

    /// Records the present sampling schedule of a device.
    func reschedule(_ device: String) {
        change { state, now in
            for stream in state.intake.streams(of: device) {
                let interval = schedule(device)
                let record = JournalRecord.schedule(stream.id, from: Tick(now), interval: interval)
                Self.append(record, &state, at: now)
            }
        }
    }

    private static func append(
        _ record: JournalRecord,
        _ state: inout StoreBacklog,
        at now: MonotonicInstant,
        isUrgent: Bool = false
    ) {
        state.intake.append(record, isUrgent: isUrgent, at: now)
        state.remember(record)
    }

    private static func restore(
        _ segment: [UInt8],
        of id: StreamID,
        _ state: inout StoreBacklog,
        at now: MonotonicInstant
    ) {
        state.mirrored += 1
        guard let stream = state.intake.stream(id),
            var decoder = try? SegmentDecoder(segment, decimals: stream.quantities.map(\.decimals))
        else { return }
        while let (tick, outcomes) = try? decoder.next() {
            let sample = StoredSample(stream: id, tick: tick, outcomes: outcomes)
            state.intake.append(sample, at: now)
        }
    }

    /// Closes the open batch, whether or not it is due.
    func seal() { state.withLock { $0.seal(at: clock.now) } }

    /// The oldest batch to write; nil when none is due.
    func nextBatch() -> Batch? {
        state.withLock { state in
            if state.waiting.isEmpty, let due = state.intake.dueAt, due <= clock.now {
                state.seal(at: clock.now)
            }
            state.inFlight = state.waiting.first?.id
            return state.waiting.first
        }
    }

    /// The batch that `nextBatch` gave is durable now.
    func acknowledge(_ sequence: UInt64) {
        state.withLock { state in
            guard let first = state.waiting.first, first.id == state.inFlight else { return }
            state.inFlight = nil
            state.waiting.removeFirst()
            state.newestBlock = sequence
            state.committedAt = clock.now
            state.waitingByteCount -= first.payload.count
            state.doneCount += 1
            state.cursors.acknowledge(first.cursorNumber)
            state.mirror?.reset(after: sequence, dropping: first.mirrored)
        }
    }

    /// The batch that `nextBatch` gave was not written; it waits on.
    func giveBack() { state.withLock { $0.inFlight = nil } }

    /// Payloads that no block holds yet, oldest first: batches, then the open one.
    ///
    /// - Parameters:
    ///   - number: Skips the batches before this one, counted from the first ever. What is dropped
    ///     in between may make one come twice.
    ///   - limit: Batches at most; the open one comes on the last page.
    /// - Returns: The payloads, the lowest number that the block of the first can get (that of
    ///   each next is one more), and the number of the next page; nil on the last.
    func unwritten(from number: Int, limit: Int) -> Unwritten {
        state.withLock { state in
            let skipped = max(0, number - state.doneCount)
            let rest = state.waiting.dropFirst(skipped)
            let payloads = rest.prefix(limit).map(\.payload)
            let earliest = state.newestBlock + 1 + UInt64(min(skipped, state.waiting.count))
            guard rest.count < limit else {
                return (payloads, earliest, state.doneCount + skipped + payloads.count)
            }
            return (payloads + state.intake.contents.payloads, earliest, nil)
        }
    }

    typealias Unwritten = (payloads: [[UInt8]], earliest: UInt64, next: Int?)

    // MARK: Followers

    /// Keeps the newest records in memory from now on, and returns the number of the last one.
    func beginRecent() -> Int {
        state.withLock { state in
            let recent = state.recent ?? RecentRecords()
            state.recent = recent
            return recent.end
        }
    }

    /// Returns the records after a number; nil when memory does not have all of them.
    func recent(after number: Int, limit: Int) -> RecentRecords.Page? {
        state.withLock { state in
            let intake = state.intake
            return state.recent?.page(after: number, limit: limit) { intake.stream($0) }
        }
    }

    private func change(_ body: (inout StoreBacklog, MonotonicInstant) -> Void) {
        let now = clock.now
        let isNearer = state.withLock { state in
            let before = state.waiting.isEmpty ? state.intake.dueAt : now
            body(&state, now)
            if state.intake.isFull { state.seal(at: now) }
            while state.waitingByteCount > limit, state.dropOldest() {}
            let after = state.waiting.isEmpty ? state.intake.dueAt : now
            return after != before
        }
        if isNearer { attention.raise() }
    }
}
