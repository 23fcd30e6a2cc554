import Core
import Testing

@testable import Store

@Suite struct HistoryTests {
    private let folder = HistoryFolder()
    private let small = StorePlan(.megabytes(4))

    private func open() throws -> History {
        try HistoryFile.open(path: folder.database, plan: small).0
    }

    @Test func givesBackWhatItTook() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        var blocks = [dust.start()]
        var samples: [StoredSample] = []
        for _ in 0..<36 {
            let window = dust.samples(600)
            samples += window
            blocks.append(dust.block(window))
        }
        let taken = try history.append(blocks)
        #expect(taken.samples == 21_600)
        #expect(taken.damagedBlocks == 0)
        #expect(history.cursor == 37)
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.streams() == [DustSeries.stream])
        #expect(try reader.all() == samples)
        #expect(
            try StreamExtents(reader).latest(of: DustSeries.stream.id)?.tick == samples.last?.tick
        )
    }

    @Test func continuesSectionsAcrossTransactions() throws {
        let history = try open()
        var dust = DustSeries(every: 3_000)
        try history.append([dust.start()])
        var samples: [StoredSample] = []
        for _ in 0..<200 {
            let window = dust.samples(2)
            samples += window
            try history.append([dust.block(window)])
        }
        let reader = try HistoryReader(path: folder.database)
        #expect(try reader.all() == samples)
        let slots = try HistorySlots(.samples, in: reader.connection, isWritable: false)
        #expect(try slots.header(of: 0).count == 400)
        #expect(try slots.header(of: 1).key == nil)
    }

    @Test func keepsEachChangeOfAScheduleAndTheFirstAndTheLastAnchor() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        let stream = DustSeries.stream.id
        let schedules = [(100, 300), (200, 300), (300, 1)].map { tick, seconds in
            JournalRecord.schedule(
                stream,
                from: Tick(tenths: Int64(tick)),
                interval: .seconds(seconds)
            )
        }
        let anchors = [10, 500, 900].map { tick in
            JournalRecord.anchor(
                ClockAnchor(
                    boot: dust.boot,
                    tick: Tick(tenths: Int64(tick)),
                    wall: WallTime(seconds: 1_800_000_000 + tick / 10),
                    isTrusted: true
                )
            )
        }
        try history.append([dust.start()])
        try history.append([dust.block([], schedules + anchors)])
        let reader = try HistoryReader(path: folder.database)
        let intervals = try reader.schedules().map(\.interval)
        #expect(intervals == [.seconds(1), .seconds(300), .seconds(1)])
        #expect(try reader.anchors().map(\.tick.tenths).sorted() == [10, 900])
    }

    @Test func ignoresABlockThatItHas() throws {
        let history = try open()
        var dust = DustSeries(every: 10)
        let blocks = [dust.start(), dust.block(dust.samples(100)), dust.block(dust.samples(100))]
        #expect(try history.append(blocks).samples == 200)
        #expect(try history.append(blocks).samples == 0)
        #expect(try history.append(blocks + [dust.block(dust.samples(7))]).samples == 7)
        #expect(try HistoryReader(path: folder.database).all().count == 207)
    }

    @Test func goesOnAfterItWasClosed() throws {
        var dust = DustSeries(every: 10)
        var samples: [StoredSample] = []
        for round in 0..<5 {
            let history = try open()
            let window = dust.samples(500)
            samples += window
            let records = round == 0 ? [dust.start()] : []
            try history.append(records + [dust.block(window)])
            try history.close()
        }
        #expect(folder.names == ["history.db"])
        #expect(try HistoryReader(path: folder.database).all() == samples)
    }
}
