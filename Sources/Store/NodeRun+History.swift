import Readings

extension NodeRun {
    /// The runs of a history, oldest first.
    ///
    /// A run that never said goodbye ends with its last sample or anchor; the one that runs, now.
    ///
    /// - Parameters:
    ///   - reader: The history.
    ///   - now: What the running station's clock says; nil when none answers.
    /// - Returns: One for each start that is known.
    /// - Throws: `StoreError.database`.
    package static func all(
        in reader: HistoryReader,
        now: (boot: BootID, tick: Tick)? = nil
    ) throws -> [NodeRun] {
        let streams = try reader.streams()
        let stored = try reader.runs()
        let anchors = try reader.anchors()
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
            for anchor in anchors where anchor.boot == run.boot && anchor.tick < limit {
                last = max(last, anchor.tick)
            }
            for stream in streams {
                let tick = try lastTick(reader, stream.id, run.boot, last, limit)
                last = max(last, tick ?? last)
            }
            if isLast, let now, now.boot == run.boot { last = max(last, now.tick) }
            let end: NodeRun.End = isLast ? .running : .lost
            runs.append(NodeRun(boot: run.boot, started: run.started, ended: last, end: end))
        }
        return runs
    }

    /// The last sample of a stream in `from..<to` of a boot, found by halving: 40 looks at most.
    private static func lastTick(
        _ reader: HistoryReader,
        _ stream: StreamID,
        _ boot: BootID,
        _ from: Tick,
        _ to: Tick
    ) throws -> Tick? {
        guard let span = try reader.spans(of: stream).last(where: { $0.boot == boot }) else {
            return nil
        }
        if to >= span.to { return Tick(tenths: span.to.tenths - 1) }
        var (low, high) = (from.tenths, to.tenths)
        var found: Tick?
        while low < high {
            let middle = low + (high - low) / 2
            let half = HistorySpan(boot: boot, from: Tick(tenths: middle), to: Tick(tenths: high))
            if let sample = try reader.raw(stream, [half]).next() {
                found = sample.tick
                low = sample.tick.tenths + 1
            } else {
                high = middle
            }
        }
        return found
    }
}
