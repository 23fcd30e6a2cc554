import Core

/// The newest of each kind that a store has, in history and journal.
package struct StoreTops: Hashable, Sendable {
    /// Streams at most, those with the newest samples.
    package static let streamCountMax = 256

    /// The last sample of each stream of the station.
    package var samples: [SamplePosition] = []
    /// The last event, in the order of writing.
    package var event: EventPosition?
    /// Boots that the history or a waiting block names.
    package var boots: Set<BootID> = []

    package init() {}

    /// - Parameters:
    ///   - blocks: What waits for it, oldest first.
    init(_ reader: HistoryReader, _ blocks: [JournalBlock]) throws(StoreError) {
        defer { reader.rest() }
        let known = try reader.boots()
        let ids = Dictionary(known.map { ($0.ordinal, $0.id) }) { $1 }
        boots = Set(known.map(\.id))
        var places: [StreamID: SamplePosition] = [:]
        for stream in try reader.streams() where !stream.id.isImported {
            guard let stored = try reader.stream(stream.id),
                let newest = try reader.chain(.samples, SlotKey(stream.id), place: stored.place),
                let boot = ids[newest.header.last.boot]
            else { continue }
            let tick = newest.header.last.tick
            places[stream.id] = SamplePosition(stream: stream.id, boot: boot, tick: tick)
        }
        event = try Self.newestEvent(reader)
        var numbers = EventNumbers(after: event)
        for block in blocks {
            let tail = HistoryTail([block])
            boots.insert(block.boot)
            for segment in tail.segments {
                places[segment.stream] = SamplePosition(
                    stream: segment.stream,
                    boot: segment.boot,
                    tick: segment.last
                )
            }
            for written in tail.events { event = numbers.place(of: written) }
        }
        let order = Dictionary(known.map { ($0.id, $0.ordinal) }) { $1 }
        func age(_ place: SamplePosition) -> HistoryPosition {
            HistoryPosition(boot: order[place.boot] ?? .max, tick: place.tick)
        }
        samples = Array(
            places.values.sorted { age($1) < age($0) }.prefix(Self.streamCountMax)
        )
    }

    private static func newestEvent(_ reader: HistoryReader) throws(StoreError) -> EventPosition? {
        // Events that are written late may lie between those of one instant.
        var (newest, count, seen): (BootEvent?, Int, Int) = (nil, 0, 0)
        try HistoryEvents(reader).eachFromNewest { event in
            let first = newest ?? event
            newest = first
            if event.boot == first.boot, event.event.instant == first.event.instant { count += 1 }
            seen += 1
            return seen < 256
        }
        return newest.map {
            let nanoseconds = $0.event.instant.nanoseconds
            return EventPosition(boot: $0.boot, nanoseconds: nanoseconds, ordinal: count - 1)
        }
    }
}
