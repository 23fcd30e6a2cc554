import Core

/// Records that are not in the history yet: blocks of the journal, and what the daemon holds in
/// memory.
///
/// Samples stay encoded until they are read, so a tail needs about as much memory as its blocks: at
/// most a journal ring and 2 MiB.
package struct HistoryTail: Sendable {
    /// Samples of one stream in one boot.
    struct Segment: Sendable {
        let stream: StreamID
        let boot: BootID
        let first: Tick
        let last: Tick
        let bytes: [UInt8]
        let origin: Origin

        /// The first of its rows that is new to a reader.
        ///
        /// Decided by the payload's number, as rows of two blocks can share a tick. Without a
        /// number, a segment that begins before the last row read is a copy up to that row's tick.
        ///
        /// - Parameters:
        ///   - last: The tick of the last row that the reader has read.
        ///   - cursor: The newest block in the history.
        /// - Returns: The lowest tick that is new.
        func floor(after last: Tick, _ cursor: UInt64) -> Int64 {
            switch origin {
            case .block(let number) where number > cursor: .min
            case .unwritten(let earliest, isRepeated: false) where earliest > cursor: .min
            case .unknown where first == last: last.tenths
            default: last.tenths + 1
            }
        }
    }

    /// Where a payload comes from.
    enum Origin: Hashable, Sendable {
        /// A block of the journal.
        case block(UInt64)
        /// The lowest number that its block can get, and whether a block of the tail may be it.
        case unwritten(earliest: UInt64, isRepeated: Bool)
        case unknown
    }

    /// When the node began or ended, in one boot.
    struct Mark: Hashable, Sendable {
        let boot: BootID
        let tick: Tick
        /// Version of the node that started; nil for a stop in order.
        let version: String?
    }

    /// Boots in the order they come.
    private(set) var boots: [BootID] = []
    /// Streams that blocks describe, and streams that have samples without a description.
    private(set) var streams: [StreamDescription] = []
    private(set) var schedules: [StoredSchedule] = []
    private(set) var anchors: [ClockAnchor] = []
    /// The newest cursors that followers of the store left, by name.
    private(set) var cursors: [String: StoreCursor] = [:]
    private(set) var marks: [Mark] = []
    private(set) var segments: [Segment] = []
    private(set) var events: [BootEvent] = []
    private var knownEvents: Set<BootEvent> = []
    /// The newest block appended.
    private var newestBlock: UInt64 = 0
    /// Payloads and segments that could not be read to their end.
    private(set) var damagedParts = 0

    package init() {}

    /// Creates a tail from the records of blocks, oldest first.
    init(_ blocks: [JournalBlock]) {
        for block in blocks { append(block.payload, boot: block.boot) }
    }

    package var isEmpty: Bool { boots.isEmpty }

    /// Adds the records of one payload, which are newer than those before.
    ///
    /// - Parameters:
    ///   - payload: Of one block, or of what will be one.
    ///   - boot: The boot of its ticks.
    ///   - block: The number of that block; nil when it is not known.
    package mutating func append(_ payload: [UInt8], boot: BootID, block: UInt64? = nil) {
        let contents = JournalRecordCodec.contents(payload)
        if contents.fault != nil { damagedParts += 1 }
        append(contents.records, boot, block.map { .block($0) } ?? .unknown)
        newestBlock = max(newestBlock, block ?? 0)
    }

    /// Adds the records of a payload that no block held at the time of the request.
    ///
    /// Append the blocks first: a payload that the station has written meanwhile is among them.
    ///
    /// - Parameters:
    ///   - payload: Of what will be a block.
    ///   - boot: The boot of its ticks.
    ///   - earliest: The lowest number that its block can get; nil when the station does not report
    ///     it.
    package mutating func appendUnwritten(_ payload: [UInt8], boot: BootID, earliest: UInt64?) {
        let contents = JournalRecordCodec.contents(payload)
        if contents.fault != nil { damagedParts += 1 }
        let origin = earliest.map { earliest in
            Origin.unwritten(earliest: earliest, isRepeated: earliest <= newestBlock)
        }
        append(contents.records, boot, origin ?? .unknown)
    }

    /// Adds records, newer than those before.
    package mutating func append(_ records: [JournalRecord], boot: BootID) {
        append(records, boot, .unknown)
    }

    private mutating func append(_ records: [JournalRecord], _ boot: BootID, _ origin: Origin) {
        if !boots.contains(boot) { boots.append(boot) }
        for record in records {
            switch record {
            case .started(let tick, let version):
                marks.append(Mark(boot: boot, tick: tick, version: version))
            case .stopped(let tick): marks.append(Mark(boot: boot, tick: tick, version: nil))
            case .stream(let stream): learn(stream)
            case .schedule(let stream, let from, let interval):
                let schedule = StoredSchedule(
                    stream: stream,
                    boot: boot,
                    from: from,
                    interval: interval
                )
                schedules.append(schedule)
            case .samples(let stream, let bytes): append(bytes, of: stream, boot, origin)
            case .event(let event):
                let event = BootEvent(boot: boot, event: event)
                if knownEvents.insert(event).inserted { events.append(event) }
            case .anchor(let anchor): anchors.append(anchor)
            case .cursor(let cursor): cursors[cursor.name] = cursor
            }
        }
    }

    /// Adds a stream; a later name replaces an earlier or a missing one.
    private mutating func learn(_ stream: StreamDescription) {
        guard let index = streams.firstIndex(where: { $0.id == stream.id }) else {
            return streams.append(stream)
        }
        if streams[index].isUnnamed || streams[index].canBecome(stream) {
            streams[index] = stream
        }
    }

    /// Streams that are known, by their newest names, and those that these records alone have.
    func named(_ known: [StreamDescription]) -> [StreamDescription] {
        let told = Dictionary(streams.map { ($0.id, $0) }) { $1 }
        let renamed = known.map { stream in
            guard let new = told[stream.id], !new.isUnnamed, stream.canBecome(new) else {
                return stream
            }
            return new
        }
        let ids = Set(known.map(\.id))
        return renamed + streams.filter { !ids.contains($0.id) }
    }

    private mutating func append(
        _ bytes: [UInt8],
        of stream: StreamID,
        _ boot: BootID,
        _ origin: Origin
    ) {
        var (first, last): (Tick?, Tick?)
        do {
            var decoder = try SegmentDecoder(bytes)
            var rows = SegmentRows()
            while try decoder.nextRows(into: &rows) {
                first = first ?? rows.tick(0)
                last = rows.tick(rows.count - 1)
            }
        } catch { damagedParts += 1 }
        guard let first, let last else { return }
        // Samples without a description keep their number: no other stream gets it.
        if !streams.contains(where: { $0.id == stream }),
            let unnamed = StreamDescription(unnamed: stream, bytes)
        {
            streams.append(unnamed)
        }
        let segment = Segment(
            stream: stream,
            boot: boot,
            first: first,
            last: last,
            bytes: bytes,
            origin: origin
        )
        segments.append(segment)
    }

    /// How often a sample of a stream was expected at a tick, as far as the tail shows.
    func schedule(of stream: StreamID, _ boot: BootID, at tick: Tick) -> StoredSchedule? {
        schedules.last { $0.stream == stream && $0.boot == boot && $0.from <= tick }
    }
}

extension SegmentDecoder {
    /// Reads a segment for the channels that it names.
    package init(_ bytes: [UInt8], isTimesOnly: Bool = false) throws(CodecError) {
        let decimals = try SegmentHeader(bytes).decimals
        try self.init(bytes, decimals: decimals, isTimesOnly: isTimesOnly)
    }

    /// The tick of the last row of a segment that can be read; nil without one.
    static func lastTick(of segment: [UInt8]) -> Tick? {
        guard var decoder = try? SegmentDecoder(segment, isTimesOnly: true) else { return nil }
        var (rows, last) = (SegmentRows(), Tick?.none)
        while (try? decoder.nextRows(into: &rows)) == true { last = rows.tick(rows.count - 1) }
        return last
    }
}

// MARK: - History and tail together

extension [StoredRun] {
    /// The runs that marks begin and end besides these.
    func merging(_ marks: [HistoryTail.Mark]) -> [StoredRun] {
        var runs = self
        for mark in marks {
            if let version = mark.version {
                guard !runs.contains(where: { $0.boot == mark.boot && $0.started == mark.tick })
                else { continue }
                let run = StoredRun(
                    boot: mark.boot,
                    started: mark.tick,
                    stopped: nil,
                    version: version
                )
                runs.append(run)
            } else if let open = runs.last, open.boot == mark.boot, open.stopped == nil,
                open.started <= mark.tick
            {
                runs[runs.count - 1] = StoredRun(
                    boot: open.boot,
                    started: open.started,
                    stopped: mark.tick,
                    version: open.version
                )
            }
        }
        return runs
    }
}

extension Array where Element: Hashable {
    /// Returns these elements, and those of `others` that are not among them.
    func merging(_ others: [Element]) -> [Element] {
        guard !others.isEmpty else { return self }
        let known = Set(self)
        return self + others.filter { !known.contains($0) }
    }
}
