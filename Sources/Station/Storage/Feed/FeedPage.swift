import ControlProtocol
import Core
import Store

/// Records and events after a follower's position, taken from memory.
///
/// Pure. Bounds: the limit, and `byteLimit` of records; what is left out comes with the next
/// question.
struct FeedPage {
    /// Bytes of records: a line in base64 stays below 64 KiB.
    static let byteLimit = 20_480

    /// Contents of the station's memory at one moment.
    struct Source {
        /// Oldest first.
        let blocks: [FeedBlock]
        /// Positions just before the first block.
        let (base, baseEvent): ([StreamID: SamplePosition], EventPosition?)
        let boot: BootID
        let streams: [StreamID: StreamDescription]

        /// - Parameters:
        ///   - window: The newest blocks.
        ///   - unwritten: Records that no block has, oldest first.
        init(
            window: FeedWindow,
            unwritten: [[UInt8]],
            boot: BootID,
            streams: [StreamID: StreamDescription]
        ) {
            blocks = window.blocks(and: unwritten)
            (base, baseEvent) = (window.base, window.baseEvent)
            (self.boot, self.streams) = (boot, streams)
        }
    }

    private let source: Source
    private(set) var next: FeedPlaces
    private(set) var state = FeedReport.State()
    /// Boots that places name and that memory cannot place: known ones are older, others lost.
    private(set) var doubtful: Set<String> = []
    private(set) var sampleCount = 0
    /// Whether an event is among them that does not wait.
    private(set) var isUrgent = false
    /// Whether a motion is among them.
    private(set) var hasMotion = false
    /// When the first of the samples was.
    private(set) var oldest: Tick?
    private var eventCount = 0
    private var records: [JournalRecord] = []
    private var byteCount = 0
    private var described: Set<StreamID> = []

    /// - Parameters:
    ///   - places: Positions of the follower; nil asks for the end.
    ///   - limit: Samples and events at most.
    init(_ source: Source, after places: FeedPlaces?, limit: Int) {
        (self.source, next) = (source, places ?? FeedPlaces())
        guard let places else {
            next = edge
            return
        }
        let hasOlder = lacksSamples(places) || lacksEvents(places)
        state.older = hasOlder
        guard !hasOlder, doubtful.isEmpty else { return }
        fill(limit)
    }

    /// The records as one part; nil without any.
    var part: FeedReport.Part? {
        guard !records.isEmpty else { return nil }
        return FeedReport.Part(
            bootID: "\(source.boot)",
            payload: JournalRecordCodec.encode(records)
        )
    }

    /// The newest places there are.
    var edge: FeedPlaces {
        var edge = FeedPlaces()
        for place in source.base.values { edge.streams[Self.key(place.stream)] = place.sent }
        edge.event = source.baseEvent?.sent
        for block in source.blocks {
            for (stream, tick) in block.tops {
                let place = SamplePosition(stream: stream, boot: source.boot, tick: tick)
                edge.streams[Self.key(stream)] = place.sent
            }
            if let last = block.events.last { edge.event = last.sent }
        }
        return edge
    }

    /// Whether it does not wait for samples.
    var isOutOfTurn: Bool {
        isUrgent || state.older || state.lost || state.hasMore
    }

    /// Decides for positions in boots that are not in memory whether they are old or lost.
    mutating func decide(known: Set<String>) {
        let lost = doubtful.subtracting(known)
        (state.older, state.lost) = (lost.isEmpty, !lost.isEmpty)
        guard state.lost else { return }
        let edge = edge
        for (stream, place) in next.streams where lost.contains(place.bootID) {
            next.streams[stream] = edge.streams[stream]
        }
        if let event = next.event, lost.contains(event.bootID) { next.event = edge.event }
    }

    static func key(_ stream: StreamID) -> String { "\(stream.rawValue)" }

    // MARK: What lies before memory

    private mutating func lacksSamples(_ places: FeedPlaces) -> Bool {
        let here = "\(source.boot)"
        var lacks = false
        for top in source.base.values {
            guard let place = places.streams[Self.key(top.stream)] else {
                lacks = true
                continue
            }
            if place.bootID == "\(top.boot)" {
                lacks = lacks || place.tick < top.tick.tenths
            } else if place.bootID != here {
                doubtful.insert(place.bootID)
            }
        }
        return lacks
    }

    private mutating func lacksEvents(_ places: FeedPlaces) -> Bool {
        guard let top = source.baseEvent?.sent, places.event != top else { return false }
        guard let place = places.event else { return true }
        if source.blocks.contains(where: { $0.holds(place) }) { return false }
        guard place.bootID == "\(source.boot)" || place.bootID == top.bootID else {
            doubtful.insert(place.bootID)
            return false
        }
        return true
    }

    // MARK: What follows

    private mutating func fill(_ limit: Int) {
        // A follower without an event has met the one before all.
        var hasMet = next.event == source.baseEvent?.sent
        let start = next
        let floors = floors
        var anchors: [JournalRecord] = []
        for block in source.blocks {
            anchors = block.anchor.map { [$0] } ?? anchors
            if isOld(block, floors, start.event, hasMet) {
                hasMet = hasMet || block.events.last?.sent == start.event
                continue
            }
            var numbers = block.events[...]
            for record in JournalRecordCodec.contents(block.payload).records {
                let isFull =
                    sampleCount + eventCount >= limit || byteCount >= Self.byteLimit
                switch record {
                case .event(let event):
                    guard let place = numbers.popFirst()?.sent else { continue }
                    guard hasMet else {
                        hasMet = place == start.event
                        continue
                    }
                    guard !isFull, !state.hasMore else {
                        state.hasMore = true
                        continue
                    }
                    append(event, at: place)
                case .samples(let stream, let segment):
                    let room = isFull || state.hasMore ? 0 : limit - sampleCount - eventCount
                    append(segment, of: stream, after: floors[stream] ?? .min, room)
                default: continue
                }
            }
        }
        if !records.isEmpty { records = anchors + records }
    }

    /// Whether a follower has all that is in a block.
    private func isOld(
        _ block: FeedBlock,
        _ floors: [StreamID: Int64],
        _ event: FeedPlaces.Event?,
        _ hasMet: Bool
    ) -> Bool {
        guard block.tops.allSatisfy({ $1.tenths <= floors[$0] ?? .min }) else { return false }
        guard !hasMet, let event else { return block.events.isEmpty }
        return !block.events.dropLast().contains { $0.sent == event }
    }

    /// The ticks of the present boot that a follower has.
    private var floors: [StreamID: Int64] {
        let here = "\(source.boot)"
        let pairs = next.streams.compactMap { key, place in
            place.bootID == here ? UInt16(key).map { (StreamID($0), place.tick) } : nil
        }
        return Dictionary(pairs) { $1 }
    }

    private mutating func append(_ event: Event, at place: FeedPlaces.Event) {
        let record = JournalRecord.event(event)
        byteCount += JournalRecordCodec.encode([record]).count
        records.append(record)
        eventCount += 1
        next.event = place
        isUrgent = isUrgent || event.isUrgent
        hasMotion = hasMotion || event.kind == .motion
    }

    /// Adds the rows after a tick; without room, only the rest of the tick that was begun.
    private mutating func append(
        _ segment: [UInt8],
        of stream: StreamID,
        after floor: Int64,
        _ room: Int
    ) {
        guard let description = source.streams[stream] else { return }
        let decimals = description.quantities.map(\.decimals)
        guard var decoder = try? SegmentDecoder(segment, decimals: decimals) else { return }
        var last = described.contains(stream) ? next.streams[Self.key(stream)]?.tick : nil
        var encoder: SegmentEncoder?
        var count = 0
        while let (tick, outcomes) = (try? decoder.next()) ?? nil {
            guard tick.tenths > floor else { continue }
            guard count < room || tick.tenths == last else {
                state.hasMore = true
                break
            }
            var open = encoder ?? SegmentEncoder(decimals: decimals, startingAt: tick)
            open.append(tick, outcomes)
            encoder = open
            (last, count) = (tick.tenths, count + 1)
            oldest = oldest.map { min($0, tick) } ?? tick
        }
        guard let encoder, let last else { return }
        if described.insert(stream).inserted { records.append(.stream(description)) }
        let record = JournalRecord.samples(stream, segment: encoder.finished())
        byteCount += JournalRecordCodec.encode([record]).count
        records.append(record)
        sampleCount += count
        let place = SamplePosition(stream: stream, boot: source.boot, tick: Tick(tenths: last))
        next.streams[Self.key(stream)] = place.sent
    }
}

extension SamplePosition {
    /// As it travels.
    fileprivate var sent: FeedPlaces.Sample {
        FeedPlaces.Sample(bootID: "\(boot)", tick: tick.tenths)
    }
}

extension FeedBlock {
    fileprivate func holds(_ place: FeedPlaces.Event) -> Bool {
        events.contains { $0.sent == place }
    }
}

extension EventPosition {
    /// As it travels.
    fileprivate var sent: FeedPlaces.Event {
        FeedPlaces.Event(bootID: "\(boot)", nanoseconds: nanoseconds, ordinal: ordinal)
    }
}

extension Event {
    /// Records of which a power cut may cost two seconds, not ten minutes.
    ///
    /// Among them what has a number: one that is given must not be given again.
    var isUrgent: Bool {
        switch kind {
        case .motion, .motionEnded: true
        case .alert(.standing): false
        case .alert: true
        default: severity >= .warning
        }
    }
}
