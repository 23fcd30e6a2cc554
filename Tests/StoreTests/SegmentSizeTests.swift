import Readings
import Testing

@testable import Store

@Suite struct SegmentSmokeTests {
    @Test func smoke() throws {
        var encoder = SegmentEncoder(decimals: [1, 1], startingAt: Tick(tenths: 5))
        for i in 0..<1000 {
            encoder.append(
                Tick(tenths: Int64(5 + 10 * i)),
                [
                    .value(FixedPoint(Int64(i % 7 + 50), decimals: 1)),
                    .value(FixedPoint(Int64(i % 5 + 70), decimals: 1)),
                ]
            )
        }
        let bytes = encoder.finished()
        print(bytes.count)
        var decoder = try SegmentDecoder(bytes, decimals: [1, 1])
        var n = 0
        while let (tick, outcomes) = try decoder.next() {
            #expect(tick.tenths == Int64(5 + 10 * n))
            #expect(
                outcomes == [
                    .value(FixedPoint(Int64(n % 7 + 50), decimals: 1)),
                    .value(FixedPoint(Int64(n % 5 + 70), decimals: 1)),
                ]
            )
            n += 1
        }
        #expect(n == 1000)
    }
}
