import Core
import TestSupport
import Testing

@testable import Store

@Suite struct HistoryTailTests {
    private let folder = HistoryFolder()

    private func open() throws -> History {
        try HistoryFile.open(path: folder.database, plan: StorePlan(.megabytes(4))).0
    }

    private static func tail(_ blocks: [JournalBlock]) -> HistoryTail {
        var tail = HistoryTail()
        for block in blocks { tail.append(block.payload, boot: block.boot) }
        return tail
    }

    private func reader(_ blocks: [JournalBlock]) throws -> HistoryReader {
        try HistoryReader(path: folder.database, tail: Self.tail(blocks))
    }

    @Test func aTailIsReadAfterTheHistoryAndNothingTwice() throws {
        let history = try open()
        var dust = DustSeries(every: 10, seed: 9)
        let (stored, waiting) = (dust.samples(5_000), dust.samples(5_000))
        let blocks = [dust.start(), dust.block(stored)]
        let later = dust.block(waiting)
        try history.append(blocks)
        // The tail overlaps: the history took some of its samples after the tail was fetched.
        let overlap = dust.block(stored.suffix(100) + waiting.prefix(50))
        let reader = try reader([blocks[1], overlap, later])
        #expect(try reader.all() == stored + waiting)
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
        let values = (stored + waiting).compactMap { $0.outcomes[0].value?.mantissa }
        for points in [3, 50, 3_000] {
            let series = try HistorySeries(reader).points(
                DustSeries.stream.id,
                channel: 0,
                spans,
                points: points
            )
            #expect(series.map(\.bucket.sum).reduce(0, +) == values.reduce(0, +))
            #expect(series.map(\.bucket.covered).reduce(0, +) == Int64(values.count) * 10)
        }
        #expect(
            try StreamExtents(reader).latest(of: DustSeries.stream.id)?.tick == waiting.last?.tick
        )
    }

    @Test func samplesWithoutADescriptionAreReadUntilOneNamesThem() throws {
        try open().close()
        var dust = DustSeries(every: 10)
        let (named, samples) = (dust.start(), dust.samples(700))
        let block = dust.block(samples)
        let unnamed = try reader([block])
        #expect(try unnamed.streams().map(\.device) == ["unnamed-1"])
        #expect(try unnamed.all() == samples)
        #expect(try reader([block, named]).streams() == [DustSeries.stream])
    }

    /// The new name is in the tail, in the history, or in a journal without a history.
    @Test func aStreamGetsALaterNameWithItsPast() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        let samples = dust.samples(700)
        let attic = DustSeries.stream.renamed("attic")
        let blocks = [dust.start(), dust.block(samples), dust.block([], [.stream(attic)])]
        try history.append(Array(blocks.prefix(2)))
        let renamed = try reader([blocks[2]])
        #expect(try renamed.streams() == [attic])
        #expect(try renamed.all() == samples)
        try history.append([blocks[2]])
        #expect(try reader([]).streams() == [attic])
        // Records from before are read once more, and in their order.
        #expect(try reader(blocks).streams() == [attic])
        // A description with other channels is no name.
        let other = StreamDescription(id: attic.id, device: "cellar", quantities: [.co2])
        #expect(try reader([dust.block([], [.stream(other)])]).streams() == [attic])
    }

    @Test func aStationThatHasTakenNothingYetIsItsTail() throws {
        let history = try open()
        try history.close()
        var dust = DustSeries(every: 10)
        let samples = dust.samples(700)
        let reader = try reader([dust.start(), dust.block(samples)])
        #expect(try reader.streams() == [DustSeries.stream])
        #expect(try reader.boots().map(\.id) == [dust.boot])
        #expect(try reader.runs().map(\.boot) == [dust.boot])
        #expect(try reader.schedules().map(\.interval) == [.seconds(1)])
        #expect(try reader.all() == samples)
        let axis = HistoryAxis(try StreamExtents(reader).spans(of: DustSeries.stream.id), points: 5)
        let series = try HistorySeries(reader).points(DustSeries.stream.id, channel: 1, along: axis)
        let count = samples.filter { $0.outcomes[1].value != nil }.count
        #expect(series.map(\.bucket.count).reduce(0, +) == Int64(count))
        #expect(
            try StreamExtents(reader).latest(of: DustSeries.stream.id)?.tick == samples.last?.tick
        )
    }

    @Test func aTailOfTheBootAfterIsABootOfItsOwn() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        let stored = dust.samples(100)
        let before = dust.boot
        try history.append([dust.start(), dust.block(stored)])
        dust.boot = BootID(bytes: Array(repeating: 8, count: 16))
        dust.tick = 10
        let start = dust.start()
        let waiting = dust.samples(60)
        let reader = try reader([start, dust.block(waiting)])
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
        #expect(spans.map(\.boot) == [before, dust.boot])
        #expect(try reader.all() == stored + waiting)
        #expect(try reader.runs().map(\.stopped) == [nil, nil])
    }

    @Test func marksAnchorsAndSchedulesThatTheHistoryHasComeOnce() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        let anchor = ClockAnchor(
            boot: dust.boot,
            tick: Tick(tenths: 20),
            wall: WallTime(nanoseconds: 1_700_000_000_000_000_000),
            isTrusted: true
        )
        let begun = [dust.start(), dust.block(dust.samples(10), [.anchor(anchor)])]
        let ended = dust.block([], [.stopped(at: Tick(tenths: 500))])
        try history.append(begun)
        let reader = try reader(begun + [ended])
        #expect(try reader.anchors() == [anchor])
        #expect(try reader.schedules().count == 1)
        #expect(try reader.runs().map(\.stopped) == [Tick(tenths: 500)])
    }

    @Test func eventsOfTheTailFollowThoseOfTheHistory() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        let events = (1...40).map { number in
            Event(
                at: MonotonicInstant(nanoseconds: Int64(number) * 1_000_000_000),
                source: "test",
                kind: .other("number \(number)")
            )
        }
        let blocks = events.map { dust.block([], [.event($0)]) }
        try history.append(Array(blocks.prefix(30)))
        let reader = try reader(Array(blocks.suffix(20)))
        var all: [Event] = []
        try HistoryEvents(reader).each { event in
            all.append(event.event)
            return true
        }
        #expect(all == events)
        for limit in [1, 10, 11, 25, 100] {
            #expect(try HistoryEvents(reader).newest(limit).map(\.event) == events.suffix(limit))
        }
        var later: [Event] = []
        try HistoryEvents(reader).each(from: dust.boot, Tick(tenths: 250)) { event in
            later.append(event.event)
            return true
        }
        #expect(later == events.suffix(16))
    }

    /// Samples faster than ticks, in blocks that cut anywhere, of which the history has some and
    /// the tail has others, the newest of them twice: as a block, and as what none held a moment
    /// before.
    @Test(arguments: [1, 2, 3, 7], [1, 2, 3])
    func rowsThatShareATickComeOnceWhereverTheirBlocksEnd(perBlock: Int, perTick: Int) throws {
        let samples = (0..<24).map { number in
            StoredSample(
                stream: DustSeries.stream.id,
                tick: Tick(tenths: Int64(100 + number / perTick)),
                outcomes: Array(repeating: .value(FixedPoint(Int64(7), decimals: 1)), count: 2)
            )
        }
        var dust = DustSeries(every: 1)
        let start = dust.start()
        let blocks = stride(from: 0, to: samples.count, by: perBlock).map { first in
            dust.block(Array(samples[first..<min(first + perBlock, samples.count)]))
        }
        for taken in Exhaustive.some(Exhaustive.takenBlocks, of: Array(0...blocks.count)) {
            HistoryFolder.remove(folder.database)
            let history = try open()
            try history.append([start] + blocks.prefix(taken))
            for first in Exhaustive.some(Exhaustive.takenBlocks, of: Array(0...taken)) {
                for written in max(first, blocks.count - 2)...blocks.count {
                    let tail = Self.tail(
                        blocks[first..<written],
                        unwritten: blocks[max(first, written - 1)...]
                    )
                    let reader = try HistoryReader(path: folder.database, tail: tail)
                    let found = try reader.all()
                    let note = "\(taken) taken, the tail from \(first), \(written) written"
                    #expect(found == samples, "\(note)")
                    let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
                    let points = try HistorySeries(reader).points(
                        DustSeries.stream.id,
                        channel: 0,
                        spans,
                        points: 5
                    )
                    let count = points.reduce(0) { $0 + $1.bucket.count }
                    #expect(count == Int64(samples.count), "\(note)")
                }
            }
            try history.close()
        }
    }

    /// A station's answer: blocks by their number, unwritten records by the next numbers.
    private static func tail(
        _ blocks: ArraySlice<JournalBlock>,
        unwritten: ArraySlice<JournalBlock>
    ) -> HistoryTail {
        var tail = HistoryTail()
        for block in blocks {
            tail.append(block.payload, boot: block.boot, block: block.sequence)
        }
        for block in unwritten {
            tail.appendUnwritten(block.payload, boot: block.boot, earliest: block.sequence)
        }
        return tail
    }

    @Test func whatCannotBeReadIsCountedAndTheRestServed() throws {
        let history = try open()
        try history.close()
        var dust = DustSeries(every: 10)
        let start = dust.start()
        let samples = dust.samples(50)
        let broken = JournalBlock(sequence: 9, boot: dust.boot, payload: [5, 200, 1, 2])
        let reader = try reader([start, broken, dust.block(samples)])
        #expect(reader.tail.damagedParts == 1)
        #expect(try reader.all() == samples)
    }
}
