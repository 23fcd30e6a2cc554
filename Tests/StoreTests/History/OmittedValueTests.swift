import Core
import Testing

@testable import Store

/// The rows *rollup* and *mean* of `docs/reference/flags.md`.
@Suite struct OmittedValueTests {
    private let folder = HistoryFolder()

    @Test(arguments: Quality.everyName)
    func aRollupLeavesOutWhatCannotBeAndSaysHowMany(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let history = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(8))
        ).0
        var dust = DustSeries(every: 10)
        try history.append([dust.start()])
        let samples = (0..<7_200).map { index -> StoredSample in
            defer { dust.tick += 10 }
            let isBad = index % 10 == 8
            return StoredSample(
                stream: DustSeries.stream.id,
                tick: Tick(tenths: dust.tick),
                outcomes: [isBad ? .value(4369.1, flag) : .value(3.0), .value(5.0)]
            )
        }
        for start in stride(from: 0, to: samples.count, by: 900) {
            try history.append([dust.block(Array(samples[start..<start + 900]))])
        }
        let reader = try HistoryReader(path: folder.database)
        // Raw rows keep all.
        #expect(try reader.all().filter { $0.outcomes[0].isLeftOut }.count == (isOmitted ? 720 : 0))
        #expect(try reader.all() == samples)
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
        for points in [1, 8, 120, 5_000] {
            let series = try HistorySeries(reader).points(
                DustSeries.stream.id,
                channel: 0,
                spans,
                points: points
            )
            let whole = series.reduce(into: RollupBucket()) { $0.merge($1.bucket) }
            #expect(whole.omitted == (isOmitted ? 720 : 0))
            #expect(whole.count == (isOmitted ? 6_480 : 7_200))
            #expect(whole.maximum == (isOmitted ? 30 : 43_691))
            #expect(whole.mean == (isOmitted ? 30 : 4_396.1))
        }
        for tier in RollupTier.allCases {
            let found = try reader.buckets(DustSeries.stream.id, 0, tier)
            #expect(found.reduce(0) { $0 + $1.bucket.omitted } == (isOmitted ? 720 : 0))
            let other = try reader.buckets(DustSeries.stream.id, 1, tier)
            #expect(other.reduce(0) { $0 + $1.bucket.omitted } == 0)
        }
    }

    /// Entries for values left out are read, merged and cut like the others.
    @Test func aBlockKeepsHowManyAreLeftOut() {
        var block = RollupBlock(tier: .minute, capacity: 1_000)
        var placed: [PlacedBucket] = []
        for index in 0..<40 {
            var bucket = RollupBucket(value: Int64(index), covering: 600)
            if index % 4 == 1 { bucket.omitted = Int64(index) }
            if index % 4 == 2 { (bucket, bucket.omitted) = (RollupBucket(), 600) }
            placed.append(PlacedBucket(boot: 3, index: Int64(index * index), bucket: bucket))
        }
        for bucket in placed { #expect(block.put(bucket) == nil) }
        var more = RollupBucket()
        more.omitted = 7
        #expect(block.put(PlacedBucket(boot: 3, index: 39 * 39, bucket: more)) == nil)
        placed[39].bucket.omitted = 7
        var again = RollupBlock(tier: .minute, capacity: 1_000, block.bytes)
        #expect(again.bytes == block.bytes && again.count == 40)
        #expect(again.put(PlacedBucket(boot: 3, index: 39 * 39, bucket: more)) == nil)
        placed[39].bucket.omitted = 14
        var reader = RollupBlockReader(tier: .minute, again.bytes[...])
        var found: [PlacedBucket] = []
        while let next = reader.next() { found.append(next) }
        #expect(found == placed)
    }
}
