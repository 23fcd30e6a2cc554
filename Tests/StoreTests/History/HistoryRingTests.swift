import Core
import SQLite
import Testing

@testable import Store

@Suite struct HistoryRingTests {
    private let folder = HistoryFolder()
    private let small = StorePlan(.megabytes(4))

    @Test func staysTheSameSizeOverTenYears() throws {
        let history = try HistoryFile.open(path: folder.database, plan: small).0
        let size = folder.databaseByteCount
        var largestLog = 0
        #if DEBUG
        let interval: Int64 = 36_000  // A tenth of the samples: what is slow is the compiler.
        #else
        let interval: Int64 = 3_000
        #endif
        var dust = DustSeries(every: interval, seed: 11)
        try history.append([dust.start()])
        for week in 0..<522 {
            if week % 4 == 3 {  // A power cut a month.
                let id = (0..<16).map { UInt8(truncatingIfNeeded: week >> ($0 % 2 * 8)) }
                dust.boot = BootID(bytes: id)
                dust.tick = interval
                try history.append([dust.start()])
            }
            let event = Event(
                at: Tick(tenths: dust.tick).instant,
                source: "node",
                kind: .other("week")
            )
            let samples = dust.samples(Int(7 * 864_000 / interval))
            try history.append([dust.block(samples, [.event(event)])])
            largestLog = max(largestLog, folder.byteCount("history.db-wal"))
        }
        #expect(folder.databaseByteCount == size)
        #expect(largestLog < 2 << 20)
        let free: Int? = try history.connection.pragma("freelist_count")
        #expect(free ?? 0 >= HistorySchema.reservedPageCount - HistorySchema.takenPageCount)
        #expect(try history.connection.integrityCheck() == [])
        try history.close()
        #expect(folder.databaseByteCount == size)
        #expect(folder.names == ["history.db"])
    }

    @Test func forgetsTheOldestFirstAndReachesFurtherBackInCoarserTiers() throws {
        let history = try HistoryFile.open(path: folder.database, plan: small).0
        var dust = DustSeries(every: 600, seed: 12, noise: 1 << 33)
        try history.append([dust.start()])
        var samples: [StoredSample] = []
        for _ in 0..<60 {
            let window = dust.samples(3_000)
            samples += window
            try history.append([dust.block(window)])
        }
        let reader = try HistoryReader(path: folder.database)
        let kept = try reader.all()
        #expect(kept.count < samples.count)
        #expect(kept == samples.suffix(kept.count))
        let newest = try #require(samples.last)
        let spans = [
            HistorySpan(
                boot: dust.boot,
                from: Tick(tenths: 0),
                to: Tick(tenths: newest.tick.tenths + 1)
            )
        ]
        let values = samples.compactMap { $0.outcomes[0].value?.mantissa }
        for points in [100, 3_000, 10_000] {
            let series = try HistorySeries(reader).points(
                DustSeries.stream.id,
                channel: 0,
                spans,
                points: points
            )
            #expect(series.map(\.bucket.count).reduce(0, +) == Int64(values.count))
            #expect(series.map(\.bucket.sum).reduce(0, +) == values.reduce(0, +))
        }
    }

    @Test func findsAnyPlaceInAFewSteps() throws {
        let history = try HistoryFile.open(path: folder.database, plan: small).0
        var dust = DustSeries(every: 10, seed: 13, noise: 1 << 33)
        try history.append([dust.start()])
        for _ in 0..<60 { try history.append([dust.block(dust.samples(720))]) }
        let slots = try HistorySlots(.samples, in: history.connection, isWritable: false)
        let counting = CountingHeaders(slots)
        let heads = try HistoryCatalog(connection: history.connection).heads(1)
        let newest = try #require(heads.samples)
        let chain = SlotChain(ring: counting, key: SlotKey(DustSeries.stream.id))
        let header = try slots.header(of: newest.slot)
        for tick in stride(from: Int64(10), to: 60 * 7_200, by: 3_777) {
            counting.count = 0
            let position = HistoryPosition(boot: 1, tick: Tick(tenths: tick))
            let found = try chain.find(position, from: (newest.slot, header))
            #expect(found.header.first <= position)
            #expect(found.header.last >= position || found.header.next != nil)
            #expect(counting.count <= 40)  // 3 log₂ of some 180 slots, and the links beside.
        }
    }

    @Test func keepsWhatASlowStreamSaidLast() throws {
        let history = try HistoryFile.open(path: folder.database, plan: small).0
        var dust = DustSeries(every: 10, seed: 14, noise: 1 << 33)
        let slow = StreamDescription(
            id: StreamID(2),
            device: "well",
            quantities: [Quantity(name: "level", unit: "m", decimals: 2)]
        )
        var encoder = SegmentEncoder(decimals: [2], startingAt: Tick(tenths: 10))
        encoder.append(Tick(tenths: 10), [.value(4.25)])
        try history.append([
            dust.start(),
            dust.block([], [.stream(slow), .samples(slow.id, segment: encoder.finished())]),
        ])
        for _ in 0..<60 { try history.append([dust.block(dust.samples(3_000))]) }
        let reader = try HistoryReader(path: folder.database)
        #expect(try StreamExtents(reader).latest(of: slow.id)?.outcomes == [.value(4.25)])
    }
}

private final class CountingHeaders: SlotHeaders {
    let slots: HistorySlots
    var count = 0

    init(_ slots: HistorySlots) { self.slots = slots }

    var places: Range<Int> { slots.places }

    func header(of slot: Int) throws(StoreError) -> SlotHeader {
        count += 1
        return try slots.header(of: slot)
    }
}
