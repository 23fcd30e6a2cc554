import Core
import Testing

@testable import Store

@Suite struct HistoryRollupTests {
    private let folder = HistoryFolder()

    /// Returns the buckets that a tier must hold, from the samples alone.
    private func expected(
        _ samples: [StoredSample],
        _ channel: Int,
        _ tier: RollupTier
    ) -> [Int64: (count: Int64, minimum: Int64, maximum: Int64, sum: Int64)] {
        var buckets: [Int64: (count: Int64, minimum: Int64, maximum: Int64, sum: Int64)] = [:]
        for sample in samples {
            guard let value = sample.outcomes[channel].value?.mantissa else { continue }
            let index = sample.tick.tenths / tier.tenths
            let old = buckets[index] ?? (0, value, value, 0)
            buckets[index] = (
                old.count + 1, min(old.minimum, value), max(old.maximum, value), old.sum + value
            )
        }
        return buckets
    }

    @Test(arguments: [Int64(10), 70, 3_000])
    func rollupsAreWhatTheSamplesSay(interval: Int64) throws {
        let history = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(8))
        ).0
        var dust = DustSeries(every: interval, seed: 3)
        try history.append([dust.start()])
        var samples: [StoredSample] = []
        for _ in 0..<12 {
            let windows = (0..<20).map { _ in dust.samples(173) }
            samples += windows.flatMap(\.self)
            try history.append(windows.map { dust.block($0) })
        }
        let reader = try HistoryReader(path: folder.database)
        for tier in RollupTier.allCases {
            for channel in 0..<2 {
                let found = try reader.buckets(DustSeries.stream.id, channel, tier)
                let wanted = expected(samples, channel, tier)
                #expect(found.filter { $0.bucket.count > 0 }.count == wanted.count)
                let wrong = found.filter { placed in
                    guard placed.bucket.count > 0 else { return false }
                    guard let want = wanted[placed.index] else { return true }
                    let bucket = placed.bucket
                    return want != (bucket.count, bucket.minimum, bucket.maximum, bucket.sum)
                }
                #expect(wrong == [])
                let valued = samples.filter { $0.outcomes[channel].value != nil }.count
                let covered = found.map(\.bucket.covered).reduce(0, +)
                #expect(covered == Int64(valued) * interval)
            }
        }
    }

    @Test func aYearInPointsAddsUpToTheYear() throws {
        let history = try HistoryFile.open(
            path: folder.database,
            plan: StorePlan(.megabytes(8))
        ).0
        var dust = DustSeries(every: 3_000, seed: 5)
        try history.append([dust.start()])
        var samples: [StoredSample] = []
        for _ in 0..<365 {
            let day = dust.samples(288)
            samples += day
            try history.append([dust.block(day)])
        }
        let reader = try HistoryReader(path: folder.database)
        let spans = try StreamExtents(reader).spans(of: DustSeries.stream.id)
        let values = samples.compactMap { $0.outcomes[1].value?.mantissa }
        for points in [1, 7, 100, 500, 5_000] {
            let series = try HistorySeries(reader).points(
                DustSeries.stream.id,
                channel: 1,
                spans,
                points: points
            )
            #expect(series.count <= points && series.count >= points / 2)
            #expect(series.map(\.bucket.count).reduce(0, +) == Int64(values.count))
            #expect(series.map(\.bucket.sum).reduce(0, +) == values.reduce(0, +))
            let filled = series.filter { $0.bucket.count > 0 }
            #expect(filled.map(\.bucket.minimum).min() == values.min())
            #expect(filled.map(\.bucket.maximum).max() == values.max())
        }
    }
}

extension HistoryReader {
    /// Everything that a tier's chain holds.
    func buckets(
        _ stream: StreamID,
        _ channel: Int,
        _ tier: RollupTier
    ) throws(StoreError) -> [PlacedBucket] {
        defer { rest() }
        let key = SlotKey(stream, channel: channel)
        guard let known = try self.stream(stream),
            let newest = try chain(HistoryRing(tier), key, place: known.place)
        else { return [] }
        let start = HistoryPosition(boot: 0, tick: Tick(tenths: 0))
        var current: (slot: Int, header: SlotHeader)?
        current = try newest.chain.find(start, from: (newest.slot, newest.header))
        var buckets: [PlacedBucket] = []
        while let (slot, header) = current {
            let payload = try slots(HistoryRing(tier)).read(slot).payload
            var reader = RollupBlockReader(tier: tier, payload[...])
            while let placed = reader.next() { buckets.append(placed) }
            current = nil
            if let next = header.next,
                let later = try newest.chain.live(next, depth: header.depth + 1)
            {
                current = (next, later)
            }
        }
        return buckets
    }
}
