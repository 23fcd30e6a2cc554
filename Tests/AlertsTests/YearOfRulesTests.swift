import Core
import TestSupport
import Testing

@testable import Alerts

/// Results of the shipped rules over a year; docs/reference/alerts.md has the same figures.
@Suite struct YearOfRulesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rules: AlertSet
        let pm25: Int
        let pm10: Int
        /// Stretches in which one of them is raised.
        let united: Int
        /// Thousandths of the year.
        let share: Int
        /// The first thirty days of it: pm25, pm10, united and share.
        let month: [Int]
        var testDescription: String { rules.rawValue }
    }

    @Test(arguments: [
        Row(rules: .who24h, pm25: 18, pm10: 17, united: 22, share: 102, month: [2, 2, 2, 83]),
        Row(rules: .usNowCast, pm25: 11, pm10: 4, united: 13, share: 9, month: [0, 0, 0, 0]),
        Row(rules: .european, pm25: 6, pm10: 17, united: 19, share: 5, month: [0, 0, 0, 0]),
        Row(rules: .rise, pm25: 53, pm10: 0, united: 53, share: 2, month: [7, 0, 7, 3]),
        Row(rules: .unusual, pm25: 96, pm10: 0, united: 96, share: 77, month: [5, 0, 5, 87]),
        // An alert that keeps coming and going stays raised for an hour.
        Row(
            rules: .sampleLevels,
            pm25: 1_582,
            pm10: 1_782,
            united: 1_658,
            share: 593,
            month: [148, 169, 167, 583]
        ),
    ])
    func setsDoThisToAYear(_ row: Row) throws {
        let dust = try Year.shared.get()
        #expect(dust.rows.count == 288 * Exhaustive.daysOfAlerts)
        let episodes = dust.episodes(of: row.rules.rules)
        let stretches = episodes.united
        let raised = stretches.reduce(0) { $0 + $1.count }
        let share = Int((1_000 * Double(raised) / Double(dust.rows.count * 300)).rounded())
        let counts = [episodes.of("pm25").count, episodes.of("pm10").count, stretches.count]
        let year = [row.pm25, row.pm10, row.united, row.share]
        #expect(counts + [share] == (Exhaustive.isWhole ? year : row.month))
    }

    /// As the first systems had it: each sample by itself, with and without a margin.
    @Test(arguments: [(5, 15, 5_575), (4.5, 13.5, 4_476)])
    func singleSamplesCryWolf(pm25: Double, pm10: Double, expected: Int) throws {
        let scales = [
            AlertScale([.init(5, until: pm25, .notice)]),
            AlertScale([.init(15, until: pm10, .notice)]),
        ]
        var (isRaised, count) = (false, 0)
        for row in try Year.shared.get().allRows {
            let places = zip(scales, [row.pm25, row.pm10]).map { $0.place(of: Double($1) / 10) }
            let isReached = places.contains { $0.reached > 0 }
            if isReached, !isRaised { count += 1 }
            isRaised = isReached || isRaised && places.contains { $0.held > 0 }
        }
        #expect(count == expected)
    }
}
