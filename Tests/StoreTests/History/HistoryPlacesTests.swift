import Core
import Testing

@testable import Store

@Suite struct HistoryPlacesTests {
    private static let stream = DustSeries.stream.id

    /// Hours in the history, and some blocks in the tail.
    private static func reader(_ bench: StoreBench) throws -> HistoryReader {
        try bench.live(9)
        try bench.store.checkpoint()
        try bench.live(3)
        let page = bench.store.waiting(after: 0, limit: 99, in: bench.dust.boot)
        var tail = HistoryTail()
        for block in page.blocks {
            tail.append(block.payload, boot: block.boot, block: block.sequence)
        }
        return try HistoryReader(path: bench.folder.database, tail: tail)
    }

    private static func all(_ reader: HistoryReader) throws -> [BootSample] {
        let spans = try StreamExtents(reader).spans(of: stream)
        let raw = try RawSamples(reader, stream, spans)
        var samples: [BootSample] = []
        while let sample = try raw.next() { samples.append(sample) }
        return samples
    }

    @Test(arguments: [1, 7, 500, 100_000])
    func batchesAreTheWholeInOrder(limit: Int) throws {
        let reader = try Self.reader(StoreBench())
        let places = HistoryPlaces(reader)
        let wanted = limit == 1 ? Array(try Self.all(reader).prefix(40)) : try Self.all(reader)
        var (found, place): ([BootSample], SamplePosition?) = ([], nil)
        while found.count < wanted.count {
            let batch = try places.samples(of: Self.stream, after: place, limit: limit)
            #expect(!batch.isLost && !batch.samples.isEmpty)
            found += batch.samples
            place = batch.next
            if !batch.hasMore { break }
        }
        #expect(found == wanted)
        if limit > 1 {
            #expect(try places.newest(of: Self.stream) == place)
            #expect(try places.samples(of: Self.stream, after: place, limit: 5).samples.isEmpty)
        }
    }

    @Test func countsAgreeWithTheSamples() throws {
        let reader = try Self.reader(StoreBench())
        let places = HistoryPlaces(reader)
        let all = try Self.all(reader)
        func place(_ index: Int) -> SamplePosition {
            SamplePosition(stream: Self.stream, boot: all[index].boot, tick: all[index].tick)
        }
        #expect(try places.oldest(of: Self.stream) == place(0))
        #expect(try places.count(of: Self.stream) == all.count)
        for (from, to) in [(0, 1), (17, 4_000), (5_000, all.count - 1), (6_500, 6_501)] {
            let count = try places.count(of: Self.stream, after: place(from), through: place(to))
            #expect(count == to - from)
        }
        let unknown = SamplePosition(
            stream: Self.stream,
            boot: BootID(bytes: [UInt8](repeating: 99, count: 16)),
            tick: Tick(tenths: 1)
        )
        #expect(try places.count(of: Self.stream, after: unknown) == nil)
        #expect(try places.samples(of: Self.stream, after: unknown, limit: 9).isLost)
    }

    /// Rows of one tick that lie on either side of a block's edge.
    @Test func equalTicksAreInOneBatch() throws {
        let bench = try StoreBench()
        var rows: [StoredSample] = []
        for index in 0..<6 {
            let tick = Tick(tenths: bench.dust.tick + Int64(index / 3) * 10)
            rows.append(
                StoredSample(
                    stream: Self.stream,
                    tick: tick,
                    outcomes: [.noData(.stopped), .noData(.unplugged)]
                )
            )
        }
        try bench.append(bench.dust.block(Array(rows[..<2])).payload)
        try bench.store.checkpoint()
        try bench.append(bench.dust.block(Array(rows[2...])).payload)
        try bench.store.checkpoint()
        let places = HistoryPlaces(try HistoryReader(path: bench.folder.database))
        let first = try places.samples(of: Self.stream, after: nil, limit: 1)
        #expect(first.samples.count == 3 && first.hasMore)
        let second = try places.samples(of: Self.stream, after: first.next, limit: 1)
        #expect(second.samples.count == 3 && !second.hasMore)
    }
}
