import Core

/// Time of which no sample is needed to say why values are missing: the station was off, nothing
/// was due, or a mark says why.
package struct KnownGaps: Sendable {
    /// A stretch with one cause.
    package struct Stretch: Hashable, Sendable {
        /// Positions on the timeline, tenths; never empty.
        package let range: Range<Int64>
        package let cause: GapCause
    }

    private let timeline: GapLedgerTimeline
    private let schedules: [StreamID: [StoredSchedule]]
    private let marks: [GapMark]
    private let off: [Stretch]

    /// Reads schedules and marks.
    ///
    /// - Throws: `StoreError.database`.
    package init(
        _ reader: HistoryReader,
        along timeline: GapLedgerTimeline
    ) throws(StoreError) {
        self.timeline = timeline
        schedules = Dictionary(grouping: try reader.schedules(), by: \.stream)
        marks = try GapMarks.all(in: reader)
        off = zip(timeline.runs, timeline.runs.dropFirst()).compactMap { run, next in
            run.end < next.start ? Stretch(range: run.end..<next.start, cause: run.offCause) : nil
        }
    }

    /// The stretches of a stream, in order, none in two.
    ///
    /// Where several hold, the station that was off counts before a mark, a mark before a schedule.
    package func stretches(of stream: StreamID) -> [Stretch] {
        let mine = marks.filter { $0.stream == nil || $0.stream == stream }
        return Self.flat(off + mine.flatMap(ranges) + unscheduled(stream))
    }

    private func ranges(_ mark: GapMark) -> [Stretch] {
        let found =
            if mark.from.boot != mark.to.boot {
                timeline.ranges(from: mark.from, to: mark.to)
            } else if mark.from.tick < mark.to.tick {
                timeline.ranges(mark.from.boot, mark.from.tick..<mark.to.tick)
            } else {
                [Range<Int64>]()
            }
        return found.map { Stretch(range: $0, cause: mark.cause) }
    }

    /// Time in which no sample of it was due.
    private func unscheduled(_ stream: StreamID) -> [Stretch] {
        var changes = ScheduleChanges(schedules[stream] ?? [], along: timeline)
        var (begin, found): (Int64?, [Stretch]) = (0, [])
        func close(_ end: Int64) {
            guard let from = begin, from < end else { return }
            found.append(Stretch(range: from..<end, cause: .notScheduled))
        }
        while let change = changes.next(upTo: .last) {
            guard let position = timeline.position(change.boot, change.from) else { continue }
            let isDue = change.interval.map { $0 > .zero } ?? false
            if isDue {
                close(position)
                begin = nil
            } else {
                begin = begin ?? position
            }
        }
        close(timeline.length)
        return found
    }

    /// Stretches that lie over one another, in order; the first given is on top.
    static func flat(_ stretches: [Stretch]) -> [Stretch] {
        let begins = stretches.indices.sorted {
            (stretches[$0].range.lowerBound, $0) < (stretches[$1].range.lowerBound, $1)
        }
        let edges = Set(stretches.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
        var (next, active, flat): (Int, [Int], [Stretch]) = (0, [], [])
        for (edge, end) in zip(edges, edges.dropFirst()) {
            active.removeAll { stretches[$0].range.upperBound <= edge }
            while next < begins.count, stretches[begins[next]].range.lowerBound == edge {
                active.append(begins[next])
                next += 1
            }
            guard let top = active.min() else { continue }
            let cause = stretches[top].cause
            if let last = flat.last, last.cause == cause, last.range.upperBound == edge {
                flat[flat.count - 1] = Stretch(range: last.range.lowerBound..<end, cause: cause)
            } else {
                flat.append(Stretch(range: edge..<end, cause: cause))
            }
        }
        return flat
    }
}
