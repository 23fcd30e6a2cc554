import Core
import DequeModule
import Store

/// The newest samples of each stream, from the station's `tail`.
///
/// A target that is up to date never reads the card.
///
/// Pure. Bound: `limit` samples; older ones are read from the history.
struct RecentSamples {
    /// Samples in memory, of all streams together: an hour at one a second.
    static let limit = 4_096

    struct Row: Hashable, Sendable {
        let place: OutboxPosition
        let outcomes: [Outcome]
    }

    private struct Entry {
        var description: StreamDescription
        /// Place after which all samples are in `rows`; nil for a stream that began since.
        var floor: OutboxPosition?
        var rows: Deque<Row> = []
    }

    private var entries: [StreamID: Entry] = [:]
    /// Newest place of each stream that is not in memory.
    private var floors: [StreamID: OutboxPosition] = [:]
    private var count = 0
    /// Count of removals: a history opened before the last one may lack the removed samples.
    private(set) var dropCount = 0

    /// - Parameter floors: The newest place of each stream that is not in memory.
    init(after floors: [StreamID: OutboxPosition] = [:]) { self.floors = floors }

    var streams: [StreamDescription] { entries.values.map(\.description) }

    func description(of stream: StreamID) -> StreamDescription? { entries[stream]?.description }

    mutating func describe(_ description: StreamDescription) {
        let id = description.id
        if entries[id] == nil {
            entries[id] = Entry(description: description, floor: floors[id])
        } else {
            entries[id]?.description = description
        }
    }

    /// Appends the next row of a stream that was described.
    mutating func append(_ row: Row, of stream: StreamID) {
        entries[stream]?.rows.append(row)
        count += 1
        while count > Self.limit { drop() }
    }

    /// Removes the oldest tick of the stream with the most rows.
    private mutating func drop() {
        guard let longest = entries.max(by: { $0.value.rows.count < $1.value.rows.count }),
            let first = longest.value.rows.first
        else { return }
        while let row = entries[longest.key]?.rows.first, row.place == first.place {
            entries[longest.key]?.rows.removeFirst()
            count -= 1
        }
        entries[longest.key]?.floor = first.place
        dropCount += 1
    }

    /// Returns the place up to which memory lacks a stream's samples; nil where none are missing.
    func floor(of stream: StreamID) -> OutboxPosition? {
        entries[stream].map(\.floor) ?? floors[stream]
    }

    /// Whether all samples of a stream after a place are in memory.
    func covers(_ stream: StreamID, after place: OutboxPosition?) -> Bool {
        guard let entry = entries[stream] else {
            guard let floor = floors[stream], let place else { return false }
            return place >= floor
        }
        guard let floor = entry.floor else { return true }
        return place.map { $0 >= floor } ?? false
    }

    /// Counts the samples after a place that memory covers, and returns the newest one's place.
    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) -> (count: Int, newest: OutboxPosition?) {
        guard let entry = entries[stream] else { return (0, floors[stream]) }
        let newest = entry.rows.last?.place ?? entry.floor
        return (entry.rows.count - first(entry.rows, after: place), newest)
    }

    /// Returns rows of one boot after a place that memory covers; one tick is never split.
    func rows(of stream: StreamID, after place: OutboxPosition?, limit: Int) -> [Row] {
        guard let rows = entries[stream]?.rows else { return [] }
        var found: [Row] = []
        for row in rows[first(rows, after: place)...] {
            guard let last = found.last else {
                found.append(row)
                continue
            }
            guard row.place.boot == last.place.boot else { break }
            guard found.count < limit || row.place == last.place else { break }
            found.append(row)
        }
        return found
    }

    private func first(_ rows: Deque<Row>, after place: OutboxPosition?) -> Int {
        guard let place else { return 0 }
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
