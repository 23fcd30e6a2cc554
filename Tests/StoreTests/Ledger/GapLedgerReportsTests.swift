import Core
import Testing

@testable import Store

/// `GapLedgerReports.all` reads little and takes many rows at once; the plain way is here.
@Suite struct GapLedgerReportsTests {
    private let folder = HistoryFolder()

    @Test func aRangeIsAccountedForAsIfEverySampleWereReadOneByOne() throws {
        try fill()
        let reader = try HistoryReader(path: folder.database)
        let runs = try NodeRuns.all(in: reader)
        let timeline = GapLedgerTimeline(
            runs: runs,
            clock: ClockAnchors(runs: runs, anchors: try reader.anchors())
        )
        let length = timeline.length
        var ranges = [0..<length, 0..<1, length - 1..<length, length / 3..<length / 3]
        for start in stride(from: Int64(0), to: length, by: 13_007) {
            ranges += [start..<min(start + 5_003, length), start..<length]
        }
        for range in ranges {
            let found = try GapLedgerReports.all(of: reader, along: timeline, within: range)
            let wanted = try plainReport(reader, timeline, range)
            #expect(found.map(\.lines) == [wanted.lines], "\(range)")
        }
        let whole = try GapLedgerReports.all(of: reader, along: timeline, within: 0..<length)
        let causes = Set(whole.flatMap(\.lines).flatMap(\.gaps).map(\.cause))
        #expect(causes.isSuperset(of: [.unexplained, .muted, .silent, .unplugged, .nodeCrashed]))
    }

    /// The boot of an import has no run, so a mark that began in it explained nothing.
    @Test func whatTheRingUsedAgainIsExpiredAlsoAfterAnImport() throws {
        let (history, _) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(StorePlan.megabytesRange.lowerBound))
        )
        _ = try HistoryImport.run(into: history) { session in
            let value = ImportedSample.Value(.pm25, FixedPoint(12, decimals: 1))
            let wall = WallTime(nanoseconds: 1_500_000_000_000_000_000)
            try session.add([ImportedSample(source: "old", wall: wall, values: [value])])
            return (try session.report(), .keep)
        }
        var dust = DustSeries(every: 10, noise: 1 << 40)
        try history.append([dust.start()])
        for _ in 0..<220 { try history.append([dust.block(dust.samples(500))]) }
        try history.close()
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.boots().map(\.id.isImported) == [true, false])
        let runs = try NodeRuns.all(in: reader)
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        let timeline = GapLedgerTimeline(runs: runs, clock: clock)
        let report = try GapLedgerReports.all(of: reader, along: timeline, within: 0..<dust.tick)
        let line = try #require(report.first?.lines.first)
        #expect(line.tenths(.expired) > 50_000)
        #expect(line.tenths(.unexplained) == 0)
    }

    /// Two boots and three runs: a hole, a mark, another interval, an unplugged hour.
    private func fill() throws {
        let (history, _) = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(4))
        )
        var dust = DustSeries(every: 10, seed: 4)
        var blocks = [dust.start(), dust.block(dust.samples(9_000))]
        dust.tick += 2_500
        blocks.append(dust.block(dust.samples(3_000)))
        let mark = GapMark(
            .muted,
            of: nil,
            from: GapMark.Place(dust.boot, Tick(tenths: dust.tick)),
            to: GapMark.Place(dust.boot, Tick(tenths: dust.tick + 4_000))
        )
        dust.tick += 4_000
        let told = mark.event(at: Tick(tenths: dust.tick).instant, in: dust.boot)
        blocks.append(dust.block(dust.samples(500), [.event(told)]))
        let away = StoredSample(
            stream: DustSeries.stream.id,
            tick: Tick(tenths: dust.tick),
            outcomes: [.noData(.unplugged), .noData(.unplugged)]
        )
        blocks.append(dust.block([away]))
        dust.tick += 36_000
        blocks.append(dust.block(dust.samples(700)))
        // The process dies and comes back, then the board restarts.
        dust.tick += 900
        blocks += [dust.start(), dust.block(dust.samples(1_200))]
        dust.boot = BootID(bytes: Array(repeating: 8, count: 16))
        dust.tick = 400
        blocks += [dust.start(), dust.block(dust.samples(4_000))]
        let slower = JournalRecord.schedule(
            DustSeries.stream.id,
            from: Tick(tenths: dust.tick),
            interval: .seconds(60)
        )
        blocks.append(dust.block([], [slower]))
        dust.tick += 600
        blocks.append(dust.block(dust.samples(1)))
        dust.tick += 590
        blocks.append(dust.block(dust.samples(1)))
        try history.append(blocks)
        try history.close()
    }

    /// Feeds every sample by itself, from the first of all on.
    private func plainReport(
        _ reader: HistoryReader,
        _ timeline: GapLedgerTimeline,
        _ range: Range<Int64>
    ) throws -> GapLedgerReport {
        let stream = DustSeries.stream
        var ledger = GapLedger(stream, along: timeline, within: range)
        var changes = ScheduleChanges(try reader.schedules(), along: timeline)
        var marks = GapMarks(try GapMarks.all(in: reader), of: stream.id, along: timeline)
        let spans = try reader.boots().map {
            HistorySpan(boot: $0.id, from: Tick(tenths: 0), to: .end)
        }
        let samples = try RawSamples(reader, stream.id, spans)
        var interval: Int64 = 0
        while let sample = try samples.next() {
            let here = timeline.order(sample.boot, sample.tick)
            while let mark = marks.next(upTo: here) {
                ledger.mark(mark.reaching(back: interval * 3 / 2))
            }
            while let change = changes.next(upTo: here) {
                ledger.schedule(change.interval, change.boot, from: change.from)
                interval = (change.interval?.wholeNanoseconds ?? 0) / 100_000_000
            }
            ledger.sample(sample.outcomes, sample.boot, sample.tick)
        }
        return ledger.finish()
    }
}
