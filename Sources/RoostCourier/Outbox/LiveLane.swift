import Core

/// The lane of the newest samples, which are sent ahead of older ones.
struct LiveLane: Sendable {
    struct Start: Hashable, Sendable {
        var after: OutboxPosition?
        var waiting = 0
    }

    private(set) var starts: [StreamID: Start] = [:]

    init() {}

    /// Makes a lane for samples recorded from now on; those already seen belong to the backlog.
    init(after marks: [StreamID: StreamCursor]) {
        starts = marks.mapValues { Start(after: $0.seen) }
    }

    var waiting: Int { starts.values.reduce(0) { $0 + $1.waiting } }

    /// Counts samples recorded after a place.
    ///
    /// The lane begins again where more waits than a request takes: the target is away or slow, and
    /// samples that were new are not any more.
    mutating func see(
        _ count: Int,
        after seen: OutboxPosition?,
        of stream: StreamID,
        limit: Int
    ) {
        var start = starts[stream] ?? Start(after: seen)
        if start.waiting > 0, start.waiting + count > limit { start = Start(after: seen) }
        start.waiting += count
        starts[stream] = start
    }

    /// Records that none of the counted samples can be sent.
    mutating func empty() {
        for stream in starts.keys { starts[stream]?.waiting = 0 }
    }

    /// Moves on after samples up to a place were settled.
    private mutating func advance(_ count: Int, to place: OutboxPosition, of stream: StreamID) {
        let left = max((starts[stream]?.waiting ?? 0) - count, 0)
        starts[stream] = Start(after: place, waiting: left)
    }

    /// Follows the other lane where it has caught up with this one.
    private mutating func follow(_ mark: StreamCursor, of stream: StreamID) {
        guard let start = starts[stream], let settled = mark.settled,
            start.after.map({ $0 <= settled }) ?? true
        else { return }
        starts[stream] = Start(after: settled, waiting: mark.waiting)
    }

    /// Records that a part of a draft is settled.
    mutating func settle(
        _ part: OutboxBatch.Part,
        of stream: StreamID,
        in lane: OutboxBatch.Lane,
        _ mark: inout StreamCursor
    ) {
        mark.waiting -= part.count
        switch lane {
        case .backlog:
            mark.settle(to: part.to)
            follow(mark, of: stream)
        case .live:
            let range = OutboxRange(from: part.from, to: part.to, count: part.count)
            let after = starts[stream]?.after
            mark.deliverAhead(range, continues: after == mark.ranges.last?.to)
            advance(part.count, to: part.to, of: stream)
        }
    }
}
