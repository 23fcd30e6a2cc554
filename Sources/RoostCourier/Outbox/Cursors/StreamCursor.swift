import Core

/// Delivery progress of a target in one stream.
struct StreamCursor: Hashable, Sendable {
    /// Ranges that are kept above `settled`; with more, newer samples wait for older ones.
    static let rangeLimit = 4

    /// Place of the last sample before the target was added; nil where the target gets all.
    var begin: OutboxPosition?
    /// Place up to which every sample is settled (sent or left out); nil before the first.
    var settled: OutboxPosition?
    /// Place up to which samples are counted in `waiting` or settled.
    var seen: OutboxPosition?
    /// Samples that were seen and are not settled.
    var waiting = 0
    /// Ranges of delivered samples, each of one boot, in order, all above `settled`.
    var ranges: [OutboxRange] = []

    init(settled: OutboxPosition? = nil, seen: OutboxPosition? = nil) {
        (self.settled, self.seen) = (settled, seen)
    }

    /// Makes the cursor of a target that gets samples recorded from now on.
    ///
    /// - Parameter newest: The newest sample that there is; nil without any.
    init(after newest: OutboxPosition?) {
        self.init(settled: newest, seen: newest)
        begin = newest
    }

    func isDelivered(_ place: OutboxPosition) -> Bool {
        ranges.contains { $0.contains(place) }
    }

    /// Settles all samples up to a place, and drops the ranges below it.
    mutating func settle(to place: OutboxPosition) {
        settled = max(settled ?? place, place)
        while let first = ranges.first, first.from <= place {
            settled = max(settled ?? first.to, first.to)
            ranges.removeFirst()
        }
    }

    /// Records samples delivered ahead of older ones, above every range.
    ///
    /// - Parameters:
    ///   - continues: Whether nothing lies between them and the newest range.
    mutating func deliverAhead(_ range: OutboxRange, continues: Bool) {
        guard continues, let last = ranges.last, last.to.boot == range.from.boot else {
            ranges.append(range)
            return
        }
        ranges[ranges.count - 1].to = range.to
        ranges[ranges.count - 1].count += range.count
    }
}
