import Core
import Testing

@testable import Station
@testable import Store

@Suite struct RecentRecordsTests {
    private static let stream = StreamDescription(
        id: StreamID(1),
        device: "many",
        quantities: (0..<12).map { Quantity(name: "q\($0)", unit: "1", decimals: 1) }
    )

    /// Records with samples of twelve channels, whose values differ by at most `step`.
    private static func records(_ count: Int, step: Int64) -> RecentRecords {
        var (recent, random) = (RecentRecords(), SplitMix64(seed: 7))
        var values = [Int64](repeating: 0, count: stream.quantities.count)
        for row in 0..<count {
            for index in values.indices {
                values[index] += Int64(random.next() % UInt64(2 * step + 1)) - step
            }
            let outcomes = values.map { Outcome.value(FixedPoint($0, decimals: 1)) }
            let tick = Tick(tenths: Int64(row) * 10)
            recent.append(StoredSample(stream: stream.id, tick: tick, outcomes: outcomes))
        }
        return recent
    }

    /// Five hundred rows of twelve channels that move as air does take some 6 KB.
    @Test func aPageHoldsAsMuchAsFitsIntoItsBytes() throws {
        let recent = Self.records(500, step: 3)
        let page = try #require(recent.page(after: 0, limit: 500) { _ in Self.stream })
        #expect(page.sampleCount == 500 && page.end == 500 && !page.isUrgent)
    }

    @Test func aPageOfManyBytesEndsEarlier() throws {
        let recent = Self.records(2_048, step: 4_000_000)
        var (number, pages) = (0, 0)
        while number < 2_048 {
            let page = try #require(recent.page(after: number, limit: 2_048) { _ in Self.stream })
            let byteCount = JournalRecordCodec.encode(page.records).count
            #expect(byteCount < 24_000 && page.end > number)
            #expect(page.isUrgent == (page.end < 2_048))
            #expect(page.end == 2_048 || byteCount > 18_000, "\(byteCount)")
            (number, pages) = (page.end, pages + 1)
        }
        #expect(pages > 2)
    }
}
