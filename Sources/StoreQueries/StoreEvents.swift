import ControlProtocol
import Core
import Store

/// Names an event for good: `<boot>-<nanoseconds>-<n of that instant>`.
package struct EventID: Hashable, Sendable, CustomStringConvertible {
    package let boot: BootID
    package let nanoseconds: Int64
    /// 0 for the first that was recorded at that instant.
    package let number: Int

    package init(boot: BootID, nanoseconds: Int64, number: Int) {
        (self.boot, self.nanoseconds, self.number) = (boot, nanoseconds, number)
    }

    /// Reads one; nil for text that is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let boot = BootID(String(parts[0])),
            let nanoseconds = Int64(parts[1]), nanoseconds >= 0, let number = Int(parts[2]),
            number >= 0
        else { return nil }
        self.init(boot: boot, nanoseconds: nanoseconds, number: number)
    }

    package var description: String { "\(boot)-\(nanoseconds)-\(number)" }
}

/// Conditions that wanted events meet; nil admits all.
package struct EventFilter: Hashable, Sendable {
    package var range = TimeRange()
    /// Names as `motion`.
    package var kinds: Set<String>?
    /// Names that are left out, also where `kinds` has them.
    package var unwanted: Set<String> = []
    package var source: String?
    package var least: EventSeverity?

    package init() {}

    func isWanted(_ event: Event) -> Bool {
        (kinds?.contains(event.kind.name) ?? true) && !unwanted.contains(event.kind.name)
            && (source.map { $0 == event.source } ?? true)
            && (least.map { $0 <= event.severity } ?? true)
    }
}

/// A page of the events of a history, newest first.
package struct StoreEvents: Sendable {
    package struct Item: Hashable, Sendable {
        package let id: EventID
        package let event: Event
        /// Wall time of the event; nil while nothing dates it.
        package let time: ClockAnchors.Time?
    }

    package let items: [Item]
    /// Where the next page begins; nil on the last.
    package let next: EventID?

    /// Reads one page.
    ///
    /// - Parameters:
    ///   - filter: Which events; a range leaves out those that nothing dates.
    ///   - cursor: `next` of the page before; nil for the newest.
    ///   - limit: At most so many, from 1.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ filter: EventFilter,
        after cursor: EventID?,
        limit: Int
    ) throws(StoreError) {
        var search = Search(times: times, filter: filter, cursor: cursor, limit: limit)
        try HistoryEvents(reader).eachFromNewest(upTo: search.start) { search.append($0) }
        search.finish()
        items = search.items
        next = search.hasMore ? search.items.last?.id : nil
    }

    /// Numbers the events of each instant from the first, although they come last first.
    private struct Search {
        let times: StoreTimes
        let filter: EventFilter
        let cursor: EventID?
        let limit: Int
        private(set) var items: [Item] = []
        private(set) var hasMore = false
        /// Events of one instant, newest first.
        private var group: [BootEvent] = []
        private var hasPassedCursor: Bool
        private var isOver = false

        init(times: StoreTimes, filter: EventFilter, cursor: EventID?, limit: Int) {
            (self.times, self.filter, self.cursor, self.limit) = (times, filter, cursor, limit)
            hasPassedCursor = cursor == nil
        }

        /// Where to begin: at the cursor, else where the range ends.
        var start: GapMark.Place? {
            if let cursor {
                let instant = MonotonicInstant(nanoseconds: cursor.nanoseconds)
                return GapMark.Place(cursor.boot, Tick(instant))
            }
            guard let to = filter.range.to else { return nil }
            let timeline = GapLedgerTimeline(runs: times.runs, clock: times.clock)
            let position = timeline.position(at: to)
            guard position < timeline.length, let place = timeline.place(at: position) else {
                return nil
            }
            // A run without a recorded stop may have events after the last that dates it.
            let isEnd = times.runs.contains { $0.boot == place.boot && $0.ended == place.tick }
            return isEnd ? GapMark.Place(place.boot, Tick(tenths: .max - 1)) : place
        }

        /// Takes the next older event; false when no more is needed.
        mutating func append(_ event: BootEvent) -> Bool {
            if let last = group.last,
                last.boot != event.boot || last.event.instant != event.event.instant
            {
                finish()
            }
            group.append(event)
            return !isOver
        }

        mutating func finish() {
            for (place, found) in group.enumerated() where !isOver {
                let id = EventID(
                    boot: found.boot,
                    nanoseconds: found.event.instant.nanoseconds,
                    number: group.count - 1 - place
                )
                guard hasPassedCursor else {
                    hasPassedCursor = id == cursor
                    continue
                }
                add(found, id)
            }
            group.removeAll(keepingCapacity: true)
        }

        private mutating func add(_ found: BootEvent, _ id: EventID) {
            let time = times.clock.time(found.boot, Tick(found.event.instant))
            if let from = filter.range.from, let time, time.wall < from {
                // Neither a later boot nor a later tick has an earlier time.
                isOver = true
                return
            }
            let isInRange =
                filter.range == TimeRange() || time.map { filter.range.contains($0.wall) } ?? false
            guard isInRange, filter.isWanted(found.event) else { return }
            guard items.count < limit else {
                (hasMore, isOver) = (true, true)
                return
            }
            items.append(Item(id: id, event: found.event, time: time))
        }
    }
}

/// One event of a history: an item of a page, and a line of `roost events --json`.
package struct StoredEvent: Codable, Hashable, Sendable {
    /// Names the event for good; only in pages.
    package let id: String?
    /// ISO 8601; nil while nothing dates its boot.
    package let time: String?
    /// Whether a trusted clock stands behind the time.
    package let isSure: Bool
    package let bootID: String
    /// Seconds since that boot.
    package let instantSeconds: Double
    package let source: String
    package let kind: String
    package let severity: String
    package let details: Details

    package init(_ stored: BootEvent, _ time: ClockAnchors.Time?, id: EventID? = nil) {
        let event = stored.event
        self.id = id?.description
        self.time = time?.wall.iso8601
        isSure = time?.isSure ?? false
        bootID = "\(stored.boot)"
        instantSeconds = Double(Tick(event.instant).tenths) / 10
        source = event.source
        kind = event.kind.name
        severity = event.severity.name
        details = Details(event.facts)
    }
}

/// The answer of `/events`.
package struct EventsPage: Codable, Hashable, Sendable {
    /// Newest first.
    package var items: [StoredEvent]
    /// Where the next page begins; nil on the last.
    package let next: String?

    package init(_ page: StoreEvents) {
        items = page.items.map(\.report)
        next = page.next?.description
    }
}

extension StoreEvents.Item {
    package var report: StoredEvent {
        StoredEvent(BootEvent(boot: id.boot, event: event), time, id: id)
    }
}
