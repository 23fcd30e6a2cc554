import Core
import Testing

@testable import Alerts

@Suite struct SumRingTests {
    /// Against the definition, with samples at any second and holes between them.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func agreesWithTheWholePast(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var ring = SumRing(slot: 300, over: 3_600)
        var seconds: [Int: Int64] = [:]
        var now = Int.random(in: -5_000...5_000, using: &random)
        for _ in 0..<300 {
            let from = now + (Int.random(in: 0...9, using: &random) == 0 ? 4_000 : 0)
            now = from + Int.random(in: 1...700, using: &random)
            let value = Int64.random(in: -50...2_000, using: &random)
            ring.add(value, from: from, to: now)
            for second in from..<now { seconds[second] = value }
            let last = (now - 1).slot(300)
            let window = ((last - 11) * 300)..<((last + 1) * 300)
            let values = window.compactMap { seconds[$0] }
            let found = ring.mean(endingAt: now, over: 3_600)
            let mean = Double(values.reduce(0, +)) / Double(values.count)
            #expect(found?.value == mean)
            #expect(found?.share == Double(values.count) / 3_600)
        }
    }

    @Test func threeQuartersOfTheTimeAreEnough() {
        for (covered, isEnough) in [(64_799, false), (64_800, true), (86_400, true)] {
            var averages = ChannelAverages(.init(mean: 86_400), decimals: 1)
            averages.add(FixedPoint(161, decimals: 1), from: 86_400 - covered, to: 86_400)
            #expect(averages.mean(before: 86_400, over: 86_400) == (isEnough ? 16.1 : nil))
        }
    }

    @Test func anEmptyRingHasNoMean() {
        let ring = SumRing(slot: 300, over: 3_600)
        #expect(ring.mean(endingAt: 0, over: 3_600) == nil)
    }
}
