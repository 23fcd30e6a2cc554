import Core

/// How far a target has got in one stream.
package struct StreamCursor: Hashable, Sendable {
    /// Ranges that are kept above `settled`; with more, newer samples wait for older ones.
    package static let rangeLimit = 4

    /// Samples up to here are none of the target's: they were recorded before it was added; nil
    /// where it got everything.
    package var begin: OutboxPosition?
    /// Every sample up to here has its fate; nil: from the oldest on.
    package var settled: OutboxPosition?
    /// Samples up to here are counted in `waiting` or have their fate.
    package var seen: OutboxPosition?
    /// Samples that were seen and have no fate yet.
    package var waiting = 0
    /// Ranges of delivered samples, each of one boot, in order, all above `settled`.
    package var ranges: [OutboxRange] = []

    package init(settled: OutboxPosition? = nil, seen: OutboxPosition? = nil) {
        (self.settled, self.seen) = (settled, seen)
    }

    /// A mark of a target that gets what is recorded from now on.
    ///
    /// - Parameter newest: The newest sample that there is; nil without any.
    package init(after newest: OutboxPosition?) {
        self.init(settled: newest, seen: newest)
        begin = newest
    }

    package func isDelivered(_ place: OutboxPosition) -> Bool {
        ranges.contains { $0.contains(place) }
    }

    /// Settles everything up to a place, and drops the ranges that lie below it.
    package mutating func settle(to place: OutboxPosition) {
        settled = max(settled ?? place, place)
        while let first = ranges.first, first.from <= place {
            settled = max(settled ?? first.to, first.to)
            ranges.removeFirst()
        }
    }

    /// Notes samples delivered ahead of older ones: above every range there is.
    ///
    /// - Parameters:
    ///   - continues: Whether nothing lies between them and the newest range.
    package mutating func deliverAhead(_ range: OutboxRange, continues: Bool) {
        guard continues, let last = ranges.last, last.to.boot == range.from.boot else {
            ranges.append(range)
            return
        }
        ranges[ranges.count - 1].to = range.to
        ranges[ranges.count - 1].count += range.count
    }
}
