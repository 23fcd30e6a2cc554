import Core
import Store

/// Reads a recovered history to its end and demands all that was promised, and an account of it.
struct StoreCheck {
    typealias Wrong = StoreWorkload.Wrong

    let reader: HistoryReader
    let script: StoreScript
    let promised: Int
    /// Values of another program that were acknowledged.
    let merged: Int
    /// Times that the power came back and the node could still note it.
    let recoveries: Int

    func run() throws {
        let expected = try checkEvents()
        for stream in StoreScript.streams {
            let raw = try RawSamples(
                reader,
                stream.id,
                try StreamExtents(reader).spans(of: stream.id)
            )
            var found: [BootSample] = []
            while let sample = try raw.next() { found.append(sample) }
            let wanted = expected.flatMap { $0.samples[stream.id] ?? [] }
            try compare("samples of \(stream.device)", found, wanted, atLeast: 500)
            guard raw.damagedSegments == 0 else { throw Wrong(description: "damaged segments") }
            try account(stream, isComplete: found.count == wanted.count)
        }
        try checkImports()
        guard reader.damagedSlots == 0 else { throw Wrong(description: "damaged slots") }
        try checkCursor(expected.count - recoveries)
        let runs = try reader.runs().map(\.started)
        try compare("runs", runs, expected.compactMap(\.started), atLeast: .max)
        let anchors = try reader.anchors().count
        let boots = Set(expected.map(\.boot)).count
        guard anchors >= boots, anchors <= 2 * boots else {
            throw Wrong(description: "\(anchors) anchors in \(boots) boots")
        }
    }

    /// Requires the events in each way of reading; returns the payloads that must be there.
    private func checkEvents() throws -> [StoreScript.Payload] {
        var events: [BootEvent] = []
        try HistoryEvents(reader).each { event in
            events.append(event)
            return true
        }
        let back = try HistoryEvents(reader).newest(.max)
        guard events == back else {
            throw Wrong(
                description: "\(events.count) events forwards, \(back.count) backwards, "
                    + "\(promised) promised"
            )
        }
        // The one under way when the power went may be there, as a whole.
        let possible = script.payloads.prefix(promised + 1)
        let isThere = events.dropLast(recoveries).last == possible.last?.event
        let expected =
            Array(isThere ? possible : possible.prefix(promised))
            + (1...recoveries).map { script.recovery(after: promised, number: $0) }
        try compare("events", events, expected.map(\.event), atLeast: 100)
        return expected
    }

    /// Demands what the follower said last: as old as the newest payload, and no newer.
    private func checkCursor(_ count: Int) throws {
        let found = try reader.cursors().first { $0.name == StoreScript.follower }
        guard found?.blob == (count == 0 ? nil : StoreScript.blob(count - 1)) else {
            let text = found.map { String(decoding: $0.blob, as: UTF8.self) }
            throw Wrong(description: "cursor \(text ?? "none") after \(count) payloads")
        }
    }

    /// Demands the values of another program, and perhaps the one under way.
    private func checkImports() throws {
        var found: [Int64] = []
        for stream in try reader.streams() where stream.device == StoreScript.imported {
            let spans = try StreamExtents(reader).spans(of: stream.id)
            let raw = try RawSamples(reader, stream.id, spans)
            while let sample = try raw.next() {
                guard case .value(let value, _) = sample.outcomes[0] else { continue }
                found.append(value.mantissa)
            }
        }
        // The ring may have written over the oldest.
        let last = found.last ?? -1
        let isRight = found == (0..<Int64(found.count)).map { last - Int64(found.count) + 1 + $0 }
        guard isRight, (merged - 1...merged).contains(Int(last)) else {
            throw Wrong(description: "\(found) of another program after \(merged)")
        }
    }

    // MARK: - The ledger

    /// Demands that the gap ledger explains every tenth of a second.
    private func account(
        _ stream: StreamDescription,
        isComplete: Bool
    ) throws {
        let report = try Self.report(of: stream, reader)
        let runs = report.runs
        for line in report.lines.lines {
            let isExplained = line.gaps.allSatisfy { Self.causes(isComplete).contains($0.cause) }
            guard line.remainderTenths == 0, isExplained else {
                throw Wrong(description: "not explained:\n\(report.lines.text)")
            }
            // The hour to the recovery: after an orderly stop, the node was merely stopped.
            let off = line.gaps.filter { [.powerLost, .nodeStopped].contains($0.cause) }
            guard runs.count == 1 || off.reduce(0, { $0 + $1.tenths }) >= 36_000 else {
                throw Wrong(description: "the cut is not in the ledger:\n\(report.lines.text)")
            }
        }
    }

    /// Requires that the ledger has a cause for everything that is missing.
    static func demandExplained(_ reader: HistoryReader) throws {
        for stream in try reader.streams() {
            let report = try report(of: stream, reader).lines
            for line in report.lines {
                let isExplained = !line.gaps.contains { $0.cause == .unexplained && $0.tenths > 0 }
                guard line.remainderTenths == 0, isExplained else {
                    // The channels of a sensor have one fate.
                    let words = report.text.split(separator: "\n\n").first ?? ""
                    throw Wrong(description: "not explained:\n\(words)")
                }
            }
        }
    }

    /// The ledger of a stream, and the runs that it was made along.
    private static func report(
        of stream: StreamDescription,
        _ reader: HistoryReader
    ) throws -> (runs: [NodeRun], lines: GapLedgerReport) {
        let runs = try nodeRuns(reader)
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        var ledger = GapLedger(stream, along: timeline)
        var schedules = try reader.schedules().filter { $0.stream == stream.id }[...]
        func position(_ boot: BootID, _ tick: Tick) -> Int64 { timeline.position(boot, tick) ?? -1 }
        var marks = GapMarks(try GapMarks.all(in: reader), of: stream.id, along: timeline)
        let samples = try RawSamples(
            reader,
            stream.id,
            try StreamExtents(reader).spans(of: stream.id)
        )
        while let sample = try samples.next() {
            for loss in samples.takeLosses(interval: 0) { ledger.mark(loss) }
            while let mark = marks.next(upTo: timeline.order(sample.boot, sample.tick)) {
                ledger.mark(mark)
            }
            let here = position(sample.boot, sample.tick)
            while let next = schedules.first, position(next.boot, next.from) <= here {
                ledger.schedule(next.interval, next.boot, from: next.from)
                schedules.removeFirst()
            }
            ledger.sample(sample.outcomes, sample.boot, sample.tick)
        }
        for loss in samples.takeLosses(interval: 0) { ledger.mark(loss) }
        while let mark = marks.next(upTo: .last) { ledger.mark(mark) }
        let report = ledger.finish()
        guard report.misplacedCount == 0, schedules.isEmpty else {
            throw Wrong(
                description: "\(report.misplacedCount) entries of \(stream.device) misplaced"
            )
        }
        return (runs, report)
    }

    private static func causes(_ isComplete: Bool) -> [GapCause] {
        [.starting, .nodeStopped, .nodeCrashed, .powerLost, .notDue]
            + (isComplete ? [] : [.expired])
    }

    /// The runs as `roost ledger` lays them out: without a stop, to the last sample or anchor.
    private static func nodeRuns(_ reader: HistoryReader) throws -> [NodeRun] {
        let (stored, anchors) = (try reader.runs(), try reader.anchors())
        var lastTicks: [BootID: Tick] = [:]
        for anchor in anchors {
            lastTicks[anchor.boot] = max(lastTicks[anchor.boot] ?? anchor.tick, anchor.tick)
        }
        for stream in StoreScript.streams {
            for span in try StreamExtents(reader).spans(of: stream.id) {
                let last = Tick(tenths: span.to.tenths - 1)
                lastTicks[span.boot] = max(lastTicks[span.boot] ?? last, last)
            }
        }
        return stored.enumerated().map { number, run in
            let next = number + 1 < stored.count ? stored[number + 1] : nil
            let limit = next?.boot == run.boot ? next?.started : nil
            let ended = run.stopped ?? limit ?? lastTicks[run.boot] ?? run.started
            let end: NodeRun.End = run.stopped != nil ? .stopped : next == nil ? .running : .lost
            return NodeRun(boot: run.boot, started: run.started, ended: ended, end: end)
        }
    }

    /// Demands the newest of what is wanted, each once and in order, and nothing else.
    ///
    /// The oldest may be gone from a ring, but never so many that fewer than `floor` are left.
    private func compare<Value: Equatable>(
        _ name: String,
        _ found: [Value],
        _ wanted: [Value],
        atLeast floor: Int
    ) throws {
        func place(_ value: Value?) -> Int { value.flatMap(wanted.firstIndex) ?? -1 }
        guard found.count >= min(floor, wanted.count), found == wanted.suffix(found.count) else {
            let same = zip(found.reversed(), wanted.reversed()).prefix { $0 == $1 }.count
            throw Wrong(
                description: "\(name): \(found.count) found, \(wanted.count) wanted, "
                    + "the newest \(same) alike; "
                    + "from \(place(found.first)) to \(place(found.last))"
            )
        }
    }
}
