import Core
import Testing

@testable import Alerts

/// How many plateaus of an hour, laid over a year, `rise` and `unusual` find.
@Suite struct DetectionTests {
    @Test(arguments: [(10, 31, 1), (15, 72, 52), (25, 92, 99), (50, 99, 100)])
    func findsPlateaus(height: Int, unusual: Int, rise: Int) throws {
        let rows = try Year.shared.get().allRows.map(\.pm25)
        let quarters = stride(from: 0, to: rows.count, by: 3).map { index in
            Double(rows[index] + rows[index + 1] + rows[index + 2]) / 30
        }
        var random = SplitMix64(seed: 1)
        var (tried, byUnusual, byRise) = (0, 0, 0)
        for _ in 0..<400 {
            let start = Int.random(in: (96 * 15)..<(quarters.count - 96), using: &random)
            guard let found = Self.looksUnusual(quarters, start, Double(height)) else { continue }
            tried += 1
            if found { byUnusual += 1 }
            if Self.rises(rows, start * 3, height * 10) { byRise += 1 }
        }
        let shares = [byUnusual, byRise].map { Int((100 * Double($0) / Double(tried)).rounded()) }
        #expect(abs(shares[0] - unusual) <= 5, "\(shares) of \(tried)")
        #expect(abs(shares[1] - rise) <= 5, "\(shares) of \(tried)")
    }

    /// Whether a plateau of this height looks unusual; nil where the hour is unusual without it.
    private static func looksUnusual(_ quarters: [Double], _ start: Int, _ height: Double) -> Bool?
    {
        var averages = ChannelAverages(.init(mean: 900, days: 14), decimals: 1)
        for number in (start - 96 * 14 - 4)...start {
            averages.restore(quarter: number, quarters[number])
        }
        guard let before = averages.unusual(start, days: 14, AlertHours()), before.score < 2 else {
            return nil
        }
        var run = 0
        for number in start..<(start + 4) {
            averages.restore(quarter: number, quarters[number] + height)
            guard let now = averages.unusual(number, days: 14, AlertHours()) else { continue }
            run = now.score >= 4 && now.mean - now.usual >= 10 ? run + 1 : 0
            if run == 2 { return true }
        }
        return false
    }

    private static func rises(_ rows: [Int], _ start: Int, _ height: Int) -> Bool {
        var engine = AlertEngine(AlertSet.rise.rules)
        for index in (start - 20)..<(start + 13) {
            let isHigh = (start..<(start + 12)).contains(index)
            let value = rows[index] + (isHigh ? height : 0)
            let reading = Reading(
                Year.pm25,
                at: .boot,
                .value(FixedPoint(Int64(value), decimals: 1))
            )
            if index >= start, !engine.raised.isEmpty { return true }
            _ = engine.append([reading], at: (index + 1) * 300)
        }
        return !engine.raised.isEmpty
    }
}
