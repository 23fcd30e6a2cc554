import Core

/// Finds the runs of the node in a history.
package enum NodeRuns {
    /// The runs of a history, oldest first.
    ///
    /// A run without a recorded stop ends with its last sample, anchor or schedule; the one that
    /// runs, now. One whose start was lost, in a damaged block, is known by its remaining records.
    ///
    /// - Parameters:
    ///   - now: The running station's clock; nil when none answers.
    /// - Returns: One for each known start, and for records before the first start of a boot.
    /// - Throws: `StoreError.database`.
    package static func all(
        in reader: HistoryReader,
        now: (boot: BootID, tick: Tick)? = nil
    ) throws -> [NodeRun] {
        let streams = try reader.streams()
        let stored = try reader.runs()
        let told =
            try reader.anchors().map { ($0.boot, $0.tick) }
            + reader.schedules().map { ($0.boot, $0.from) }
        var runs: [NodeRun] = []
        for (number, run) in stored.enumerated() {
            let isLast = number == stored.count - 1
            if let stopped = run.stopped {
                let end: NodeRun.End = .stopped
                runs.append(NodeRun(boot: run.boot, started: run.started, ended: stopped, end: end))
                continue
            }
            let next = isLast ? nil : stored[number + 1]
            let limit = next.flatMap { $0.boot == run.boot ? $0.started : nil } ?? .end
            var last = run.started
            for (boot, tick) in told where boot == run.boot && tick < limit {
                last = max(last, tick)
            }
            for stream in streams {
                let tick = try lastTick(reader, stream.id, run.boot, last, limit)
                last = max(last, tick ?? last)
            }
            if isLast, let now, now.boot == run.boot { last = max(last, now.tick) }
            let end: NodeRun.End = isLast ? .running : .lost
            runs.append(NodeRun(boot: run.boot, started: run.started, ended: last, end: end))
        }
        for run in try withoutStart(in: reader, besides: runs, told) {
            runs.insert(run.run, at: run.place)
        }
        return runs
    }

    /// Runs of which only samples, anchors and schedules are there, the last first, and where each
    /// belongs.
    private static func withoutStart(
        in reader: HistoryReader,
        besides runs: [NodeRun],
        _ told: [(boot: BootID, tick: Tick)]
    ) throws -> [(place: Int, run: NodeRun)] {
        let spans = try reader.streams().filter { !$0.id.isImported }
            .flatMap { stream in
                try StreamExtents(reader).spans(of: stream.id).map { (stream.id, $0) }
            }
        var found: [(place: Int, run: NodeRun)] = []
        var place = 0
        // The boots of imports are none of the node: their ticks are wall time, in any order.
        for boot in try reader.boots() where !boot.id.isImported {
            let known = runs[place...].prefix { $0.boot == boot.id }
            let mine = spans.filter { $0.1.boot == boot.id }
            let limit = known.first?.started ?? .end
            let words = told.filter { $0.boot == boot.id && $0.tick < limit }.map(\.tick)
            if let first = (mine.map(\.1.from) + words).min(), first < limit {
                let ends = try mine.compactMap { try lastTick(reader, $0.0, boot.id, first, limit) }
                let ended = (ends + words).max() ?? first
                let run = NodeRun(boot: boot.id, started: first, ended: ended, end: .lost)
                found.append((place, run))
            }
            place += known.count
        }
        return found.reversed()
    }

    /// The last sample of a stream in `from..<to` of a boot, found by halving: 40 reads at most.
    private static func lastTick(
        _ reader: HistoryReader,
        _ stream: StreamID,
        _ boot: BootID,
        _ from: Tick,
        _ to: Tick
    ) throws -> Tick? {
        guard
            let span = try StreamExtents(reader).spans(of: stream).last(where: { $0.boot == boot })
        else {
            return nil
        }
        if to >= span.to { return Tick(tenths: span.to.tenths - 1) }
        var (low, high) = (from.tenths, to.tenths)
        var found: Tick?
        while low < high {
            let middle = low + (high - low) / 2
            let half = HistorySpan(boot: boot, from: Tick(tenths: middle), to: Tick(tenths: high))
            if let sample = try RawSamples(reader, stream, [half]).next() {
                found = sample.tick
                low = sample.tick.tenths + 1
            } else {
                high = middle
            }
        }
        return found
    }
}
