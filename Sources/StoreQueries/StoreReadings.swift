import Core
import Store

/// A page of the samples of one channel, oldest first.
package struct StoreReadings: Sendable {
    /// Where a page begins: at the n-th sample of a moment.
    package struct Cursor: Hashable, Sendable, CustomStringConvertible {
        package let wall: WallTime
        package let number: Int

        package init(wall: WallTime, number: Int) { (self.wall, self.number) = (wall, number) }

        /// Reads one; nil for text that is none.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let nanoseconds = Int64(parts[0]), let number = Int(parts[1]),
                number >= 0
            else { return nil }
            self.init(wall: WallTime(nanoseconds: nanoseconds), number: number)
        }

        package var description: String { "\(wall.nanoseconds).\(number)" }
    }

    package let items: [DatedSample]
    /// Where the next page begins; nil on the last.
    package let next: Cursor?

    /// Reads one page; samples that nothing dates are in none.
    ///
    /// - Parameters:
    ///   - range: From when to when.
    ///   - cursor: `next` of the page before; nil for the oldest.
    ///   - limit: At most so many, from 1.
    /// - Throws: `StoreError.database`.
    package init(
        _ channel: StoreChannel,
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange,
        after cursor: Cursor?,
        limit: Int
    ) throws {
        var range = range
        if let cursor { range.from = max(cursor.wall, range.from ?? cursor.wall) }
        range.from = range.from ?? WallTime(nanoseconds: .min)
        var samples = try StoreSamples(reader, StoreWindow(times: times, range: range)) {
            $0.id == channel.stream.id
        }
        var items: [DatedSample] = []
        var next: Cursor?
        var (wall, number): (WallTime?, Int) = (nil, 0)
        while let sample = try samples.next() {
            guard let its = sample.wall else { continue }
            number = its == wall ? number + 1 : 0
            wall = its
            if let cursor, its == cursor.wall, number < cursor.number { continue }
            guard items.count < limit else {
                next = Cursor(wall: its, number: number)
                break
            }
            items.append(sample)
        }
        (self.items, self.next) = (items, next)
    }
}
