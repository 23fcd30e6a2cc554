import Core
import Store

/// Samples and events since the last block, which wait to be written to the card.
///
/// Pure, and runs on the loop: an append costs a few hundred instructions and no system call.
/// Bound: one block's worth; the caller removes a batch when it is full or due.
package struct StoreIntake {
    /// Urgent records are written after this time, so that records close to them share the write.
    static let urgentWindow: Duration = .seconds(2)

    private struct Open {
        var stream: StreamDescription
        var encoder: SegmentEncoder
    }

    /// Between the first record and its write: the longest time that a power cut can lose.
    private let lossWindow: Duration
    /// Bytes of payload in one block.
    let capacity: Int
    private var streams: [StreamDescription]
    private var open: [Open] = []
    private var others: [JournalRecord] = []
    private var otherByteCount = 0
    /// Cursors that followers set since the last block.
    private var cursors: [String: StoreCursor] = [:]
    /// Blocks so far, and the block in which each stream had samples last.
    private var blockCount = 0
    private var lastBlocks: [StreamID: Int] = [:]
    /// The tick of each stream's last row.
    private var lastTicks: [StreamID: Tick] = [:]
    /// Records that name and date samples, besides the streams: the node's start, the last schedule
    /// of each stream and the last anchor.
    private var start: JournalRecord?
    private var schedules: [StreamID: JournalRecord] = [:]
    /// Streams of which no samples are expected.
    private var ended: Set<StreamID>
    private var anchor: JournalRecord?
    /// When a batch must be written; nil when nothing waits.
    package private(set) var dueAt: MonotonicInstant?
    /// When the oldest record that waits here came; nil when nothing waits.
    private(set) var waitingSince: MonotonicInstant?

    package init(
        lossWindow: Duration,
        capacity: Int,
        streams: [StreamDescription],
        ended: Set<StreamID> = []
    ) {
        (self.lossWindow, self.capacity, self.ended) = (lossWindow, capacity, ended)
        // Imported streams get no samples, and there may be many of them.
        self.streams = streams.filter { !$0.id.isImported }
    }

    /// Whether one more sample might not fit.
    package var isFull: Bool { byteCountBound + headroom > capacity }

    /// The size of the largest row; other records that do not fit get a block of their own.
    private var headroom: Int { open.map(\.encoder.rowByteCountBound).max() ?? 0 }

    private var byteCountBound: Int {
        // Kind, length and stream id of each record need 16 bytes at most.
        // Long cursors get a block of their own and never make one full.
        let cursorBytes = cursors.values.reduce(0) { $0 + $1.name.utf8.count + $1.blob.count + 8 }
        let others = otherByteCount + min(cursorBytes, capacity / 4)
        return open.reduce(others) { $0 + $1.encoder.byteCountBound + 16 }
    }

    /// Adds the readings of one sample, whose stream is known.
    ///
    /// - Returns: The sample as it is stored; nil without its stream.
    package mutating func append(_ readings: [Reading], at now: MonotonicInstant) -> StoredSample? {
        guard let first = readings.first, let stream = stream(of: readings) else { return nil }
        let sample = StoredSample(
            stream: stream.id,
            tick: Tick(first.instant),
            outcomes: readings.map(\.outcome)
        )
        return append(sample, at: now)
    }

    /// Adds a sample.
    ///
    /// - Returns: The sample as it is stored, later than the stream's last row: receivers know a
    ///   row by its tick. So an absence that is recorded afterwards, and two rows within a tenth,
    ///   lie behind. Nil without its stream.
    @discardableResult
    package mutating func append(
        _ sample: StoredSample,
        at now: MonotonicInstant
    ) -> StoredSample? {
        guard let stream = stream(sample.stream) else { return nil }
        let earliest = lastTicks[stream.id].map { Tick(tenths: $0.tenths + 1) }
        let tick = max(sample.tick, earliest ?? sample.tick)
        let index = open.firstIndex { $0.stream.id == stream.id } ?? begin(stream, at: tick)
        lastTicks[stream.id] = tick
        open[index].encoder.append(tick, sample.outcomes)
        schedule(dueAt: now.advanced(by: lossWindow), now)
        return StoredSample(stream: stream.id, tick: tick, outcomes: sample.outcomes)
    }

    /// Adds a record that is not a sample.
    package mutating func append(_ record: JournalRecord, isUrgent: Bool, at now: MonotonicInstant)
    {
        switch record {
        case .started: start = record
        case .schedule(let stream, _, let interval):
            schedules[stream] = record
            if interval == nil { ended.insert(stream) } else { ended.remove(stream) }
        case .anchor: anchor = record
        case .cursor(let cursor): return append(cursor, isUrgent: isUrgent, at: now)
        case .stopped, .stream, .samples, .event: break
        }
        add(record, isUrgent: isUrgent, at: now)
    }

    /// A block holds only the newest cursor of each follower; only an urgent one causes a block.
    private mutating func append(_ cursor: StoreCursor, isUrgent: Bool, at now: MonotonicInstant) {
        cursors[cursor.name] = cursor
        if isUrgent { schedule(dueAt: now.advanced(by: Self.urgentWindow), now) }
    }

    private mutating func add(_ record: JournalRecord, isUrgent: Bool, at now: MonotonicInstant) {
        others.append(record)
        otherByteCount += JournalRecordCodec.encode([record]).count
        schedule(dueAt: now.advanced(by: isUrgent ? Self.urgentWindow : lossWindow), now)
    }

    /// Repeats the records that are needed to read the samples of the last blocks.
    ///
    /// The history has it; should that be lost, the journal's ring must hold it.
    ///
    /// - Parameters:
    ///   - blockCount: Blocks of the ring; streams that have no samples in so many are done.
    mutating func repeatNames(within blockCount: Int, at now: MonotonicInstant) {
        if let start { add(start, isUrgent: false, at: now) }
        if let anchor { add(anchor, isUrgent: false, at: now) }
        for stream in streams {
            guard let last = lastBlocks[stream.id], self.blockCount - last <= blockCount else {
                continue
            }
            add(.stream(stream), isUrgent: false, at: now)
            if let schedule = schedules[stream.id] { add(schedule, isUrgent: false, at: now) }
        }
    }

    /// Everything that waits, as payloads of blocks; nothing waits afterwards.
    ///
    /// - Returns: The payloads, and the records that no block can hold: none but a stream with
    ///   several long texts in a ring of small blocks.
    package mutating func drain() -> (payloads: [[UInt8]], tooLong: [JournalRecord]) {
        let contents = contents
        (open, others, otherByteCount, dueAt, waitingSince) = ([], [], 0, nil, nil)
        cursors = [:]
        blockCount += contents.payloads.count
        return contents
    }

    /// Everything that waits, as `drain` returns it; it goes on waiting.
    var contents: (payloads: [[UInt8]], tooLong: [JournalRecord]) {
        let samples = open.map {
            JournalRecord.samples($0.stream.id, segment: $0.encoder.finished())
        }
        let said = cursors.values.sorted { $0.name < $1.name }.map { JournalRecord.cursor($0) }
        // Streams before their samples: a block explains itself. Cursors too: of two blocks the
        // power may take the later, and samples without the cursor behind them go out once more.
        return JournalRecordCodec.payloads(others + said + samples, capacity: capacity)
    }

    private mutating func schedule(dueAt instant: MonotonicInstant, _ now: MonotonicInstant) {
        dueAt = min(dueAt ?? instant, instant)
        waitingSince = waitingSince ?? now
    }

    private mutating func begin(_ stream: StreamDescription, at tick: Tick) -> Int {
        let decimals = stream.quantities.map(\.decimals)
        let encoder = SegmentEncoder(decimals: decimals, startingAt: tick)
        open.append(Open(stream: stream, encoder: encoder))
        // The block with the description of an earlier process may be gone from the ring.
        if lastBlocks.updateValue(blockCount, forKey: stream.id) == nil, !isDescribed(stream) {
            others.append(.stream(stream))
            otherByteCount += JournalRecordCodec.encode([.stream(stream)]).count
        }
        return open.count - 1
    }

    private func isDescribed(_ stream: StreamDescription) -> Bool {
        others.contains { if case .stream(stream) = $0 { true } else { false } }
    }

    /// The stream of a device's channels, once it has one.
    package func stream(of readings: [Reading]) -> StreamDescription? {
        guard let device = readings.first?.channel.device else { return nil }
        return streams.first { stream in
            stream.device == device && stream.quantities.count == readings.count
                && zip(stream.quantities, readings).allSatisfy { $0 == $1.channel.quantity }
        }
    }

    /// Streams of which samples are expected, by this node or one before.
    ///
    /// Not those of a device that was renamed or forgotten: a word about them from time to time
    /// would keep their places in the history for ever.
    var expectedStreams: [StreamDescription] { streams.filter { !ended.contains($0.id) } }

    func stream(_ id: StreamID) -> StreamDescription? { streams.first { $0.id == id } }

    /// Streams of a device, old ones included.
    func streams(of device: String) -> [StreamDescription] {
        streams.filter { $0.device == device }
    }

    /// A stream for channels that have none; the next number is its, or the lowest that is free
    /// when 32 767 were given.
    ///
    /// Bound: a description that fits one block; others are not stored.
    package mutating func makeStream(for readings: [Reading]) -> StreamDescription? {
        guard let device = readings.first?.channel.device, let id = nextID, readings.count <= 16
        else { return nil }
        let stream = StreamDescription(
            id: id,
            device: device,
            quantities: readings.map(\.channel.quantity)
        )
        // One that no block can hold would leave its samples without a description.
        guard JournalRecordCodec.encode([.stream(stream)]).count <= capacity else { return nil }
        streams.append(stream)
        return stream
    }

    private var nextID: StreamID? {
        let used = Set(streams.map(\.id.rawValue))
        let last = used.max() ?? 0
        let end = StreamID.firstImported.rawValue
        return (last + 1 < end ? last + 1 : (1..<end).first { !used.contains($0) })
            .map { StreamID($0) }
    }

    /// Removes streams whose places the history gave to others: a device that comes back gets a new
    /// one.
    ///
    /// A stream with samples waiting here is described again, with them.
    mutating func forget(_ ids: [StreamID], at now: MonotonicInstant) {
        for id in ids {
            if let waiting = open.first(where: { $0.stream.id == id }) {
                append(.stream(waiting.stream), isUrgent: false, at: now)
            } else {
                streams.removeAll { $0.id == id }
            }
        }
    }

    /// Adds a stream that an earlier process made, or its later name.
    mutating func learn(_ stream: StreamDescription) {
        guard let index = streams.firstIndex(where: { $0.id == stream.id }) else {
            return streams.append(stream)
        }
        streams[index] = stream
    }

    /// Gives the streams of a device its new name, and so all that they have had.
    ///
    /// A stream whose channels the new name has already stays as it is: one channel has one past.
    ///
    /// - Returns: Those that have the new name now.
    mutating func rename(_ device: String, to name: String) -> [StreamDescription] {
        let taken = streams.filter { $0.device == name }.map(\.quantities)
        var renamed: [StreamDescription] = []
        for index in streams.indices where streams[index].device == device {
            let stream = streams[index].renamed(name)
            guard !taken.contains(stream.quantities),
                JournalRecordCodec.encode([.stream(stream)]).count <= capacity
            else { continue }
            streams[index] = stream
            for place in open.indices where open[place].stream.id == stream.id {
                open[place].stream = stream
            }
            renamed.append(stream)
        }
        return renamed
    }
}
