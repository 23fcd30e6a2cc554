import Core
import Testing

@testable import Store

/// Reading the times of a segment alone gives the times and kinds that reading all of it gives.
@Suite struct SegmentTimesTests {
    private struct Row: Hashable {
        let tick: Tick
        let kinds: [NoData?]
    }

    private static func rows(_ bytes: [UInt8], isTimesOnly: Bool) throws -> [Row] {
        var decoder = try SegmentDecoder(bytes, decimals: [1, 1], isTimesOnly: isTimesOnly)
        var (all, piece): ([Row], SegmentRows) = ([], SegmentRows())
        while try decoder.nextRows(into: &piece) {
            for row in 0..<piece.count {
                let kinds = piece.outcomes(row).map { outcome -> NoData? in
                    if case .noData(let reason) = outcome { reason } else { nil }
                }
                all.append(Row(tick: piece.tick(row), kinds: kinds))
            }
        }
        return all
    }

    /// Steady, with pauses, with other intervals, with jitter, and all of it at once.
    @Test(arguments: [0, 1, 2, 3, 4], 1...5)
    func timesAreThoseOfTheWholeSegment(kind: Int, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var (tick, interval): (Int64, Int64) = (0, 10)
        var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: 0))
        for row in 0..<3_000 {
            func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
            let value = Outcome.value(
                FixedPoint(Int64.random(in: 0...999, using: &generator), decimals: 1),
                chance(50) ? .humid : []
            )
            let outcomes: [Outcome] =
                chance(100) ? [.noData(.replyTimeout), value] : [value, value]
            encoder.append(Tick(tenths: tick), outcomes)
            if kind >= 2, row % 700 == 699 { interval = interval == 10 ? 300 : 10 }
            tick += interval
            if kind == 1 || kind == 4, chance(200) { tick += 12_345 }
            if kind >= 3, row > 1_500, chance(3) { tick += 1 }
        }
        let bytes = encoder.finished()
        let whole = try Self.rows(bytes, isTimesOnly: false)
        #expect(whole.count == 3_000)
        #expect(try Self.rows(bytes, isTimesOnly: true) == whole)
    }

    @Test func manyRowsComeInOnePiece() throws {
        var encoder = SegmentEncoder(decimals: [1], startingAt: Tick(tenths: 0))
        for row in 0..<100_000 {
            let value = Outcome.value(FixedPoint(Int64(row % 7), decimals: 1), [])
            encoder.append(Tick(tenths: Int64(row) * 10), [value])
        }
        let bytes = encoder.finished()
        var decoder = try SegmentDecoder(bytes, decimals: [1], isTimesOnly: true)
        var (piece, counts) = (SegmentRows(), [Int]())
        while try decoder.nextRows(into: &piece) { counts.append(piece.count) }
        #expect(counts.reduce(0, +) == 100_000 && counts.count <= 2)
        #expect(piece.tick(0) == Tick(tenths: 0) || piece.count == 0)
    }
}
