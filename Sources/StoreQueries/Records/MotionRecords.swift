import Camera
import Core
import Store

/// A page of motions with their pictures, newest first.
///
/// A picture whose motion is not in the history has an item of its own.
package struct MotionRecords {
    /// Events that one page reads, at most; a page at this bound ends early, before its limit.
    static let eventsMax = 20_000
    private static let eventsAtOnce = 500
    /// Greatest difference between the instants of one motion, 150 ms: ticks last 100 ms.
    private static let instantTolerance: Int64 = 150_000_000
    /// Greatest difference between the wall times of one motion, for pictures without a stamp: 2 s.
    private static let timeTolerance: Int64 = 2_000_000_000

    package struct Item: Hashable {
        /// The motion's event; nil for a picture without one.
        package var event: EventID?
        package var time: WallTime?
        package var isSure = false
        package var instant: MonotonicInstant
        package var source: String
        /// Duration of the motion; nil while it lasts, and where its end is not known.
        package var seconds: Double?
        package var picture: PictureRecord?
    }

    /// The position of the next page.
    package struct Cursor: Hashable, CustomStringConvertible {
        /// The next page begins with the event next older than this; nil begins with the newest.
        var resume: EventID?
        /// The oldest motion on earlier pages; nil while there was none.
        var last: EventID?
        /// Pictures with this number or a higher one were on earlier pages, or passed over.
        package var picture: UInt64

        package var description: String {
            "\(resume?.description ?? "")~\(last?.description ?? "")~\(picture)"
        }
    }

    package private(set) var items: [Item] = []
    /// Position of the next page; nil on the last.
    package private(set) var next: Cursor?

    private let pictures: [PictureRecord]
    private let bySource: [String: [PictureRecord]]
    private var taken: Set<UInt64> = []
    private var below: UInt64
    private let limit: Int

    /// Reads one page.
    ///
    /// - Parameters:
    ///   - reader: The history, which has the motions.
    ///   - pictures: Newest first.
    ///   - cursor: `next` of the page before; nil for the newest.
    ///   - limit: Items at most, from 1.
    package init(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ pictures: [PictureRecord],
        after cursor: Cursor?,
        limit: Int
    ) throws(StoreError) {
        (self.pictures, self.limit) = (pictures, limit)
        bySource = Dictionary(grouping: pictures, by: \.source)
        below = cursor?.picture ?? .max
        try read(reader, times, cursor)
    }

    /// The state of reading the events, newest first.
    private struct Reading {
        /// Ends of motions whose start was not read yet, by sensor, with duration and event before.
        var ends: [String: (seconds: Double?, before: EventID?, order: Int)] = [:]
        var before: EventID?
        var last: EventID?
        var hasPassedLast: Bool
        var count = 0
    }

    private mutating func read(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ cursor: Cursor?
    ) throws(StoreError) {
        var filter = EventFilter()
        filter.kinds = [EventKind.Name.motion, EventKind.Name.motionEnded]
        var reading = Reading(
            last: cursor?.last,
            hasPassedLast: cursor?.last == nil || cursor?.last == cursor?.resume
        )
        reading.before = cursor?.resume
        var after = cursor?.resume
        repeat {
            let page = try StoreEvents(
                reader,
                times,
                filter,
                after: after,
                limit: Self.eventsAtOnce
            )
            for item in page.items {
                guard append(item, &reading) else { return end(reading) }
                reading.before = item.id
            }
            after = page.next
            if after != nil, reading.count >= Self.eventsMax { return end(reading) }
        } while after != nil
        // Older than each motion of the history.
        for record in rest(newerThan: nil) {
            guard items.count < limit else { return end(reading) }
            add(record)
        }
    }

    /// Takes the next older event; false when the page is full.
    private mutating func append(_ item: StoreEvents.Item, _ reading: inout Reading) -> Bool {
        let event = item.event
        reading.count += 1
        if event.kind == .motionEnded {
            let seconds = event.number("seconds")
            reading.ends[event.source] = (seconds, reading.before, reading.count)
            return true
        }
        guard reading.hasPassedLast else {
            reading.hasPassedLast = item.id == reading.last
            reading.ends[event.source] = nil
            return true
        }
        let picture = picture(of: item)
        for record in rest(newerThan: (item.time?.wall, picture?.number)) {
            guard items.count < limit else { return false }
            add(record)
        }
        guard items.count < limit else { return false }
        items.append(
            Item(
                event: item.id,
                time: item.time?.wall,
                isSure: item.time?.isSure ?? false,
                instant: event.instant,
                source: event.source,
                seconds: reading.ends.removeValue(forKey: event.source)?.seconds,
                picture: picture
            )
        )
        reading.last = item.id
        if let picture { remember(picture) }
        return true
    }

    private mutating func end(_ reading: Reading) {
        // The next page reads the newest unmatched end again, for the duration of its motion.
        let newest = reading.ends.values.min { $0.order < $1.order }
        next = Cursor(
            resume: newest.map(\.before) ?? reading.last,
            last: reading.last,
            picture: below
        )
    }

    // MARK: - Pictures

    private func picture(of item: StoreEvents.Item) -> PictureRecord? {
        let event = item.event
        return (bySource[event.source] ?? []).first { record in
            guard !taken.contains(record.number) else { return false }
            if let stamp = record.stamp {
                let apart = record.instant.nanoseconds - event.instant.nanoseconds
                return stamp.boot == item.id.boot && abs(apart) <= Self.instantTolerance
            }
            guard let time = record.time, let wall = item.time?.wall else { return false }
            return abs(time.nanoseconds - wall.nanoseconds) <= Self.timeTolerance
        }
    }

    /// Returns the pictures without a motion that were taken after a given motion, newest first.
    ///
    /// - Parameter motion: Its time and its picture; nil for all that are left.
    /// - Returns: The pictures; empty where neither time nor number shows which came first.
    private func rest(newerThan motion: (time: WallTime?, picture: UInt64?)?) -> [PictureRecord] {
        var found: [PictureRecord] = []
        for record in pictures where record.number < below && !taken.contains(record.number) {
            guard let motion else {
                found.append(record)
                continue
            }
            if let number = motion.picture {
                guard record.number > number else { break }
            } else {
                guard let time = record.time, let wall = motion.time,
                    time.nanoseconds > wall.nanoseconds + Self.timeTolerance
                else { break }
            }
            found.append(record)
        }
        return found
    }

    private mutating func add(_ record: PictureRecord) {
        items.append(
            Item(
                time: record.time,
                isSure: record.time != nil,
                instant: record.instant,
                source: record.source,
                picture: record
            )
        )
        remember(record)
    }

    private mutating func remember(_ record: PictureRecord) {
        taken.insert(record.number)
        below = min(below, record.number)
    }
}

extension MotionRecords.Cursor {
    /// Reads what `description` wrote; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let picture = UInt64(parts[2]) else { return nil }
        let ids = parts[..<2].map { EventID($0) }
        guard zip(parts, ids).allSatisfy({ $0.isEmpty || $1 != nil }) else { return nil }
        self.init(resume: ids[0], last: ids[1], picture: picture)
    }
}
