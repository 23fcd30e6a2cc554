import Alerts
import Core
import Testing

/// What the shipped rules do to a year; docs/reference/alerts.md has the same figures.
@Suite struct YearOfRulesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rules: AlertSet
        let pm25: Int
        let pm10: Int
        /// Stretches in which one of them is raised.
        let united: Int
        /// Thousandths of the year.
        let share: Int
        var testDescription: String { rules.rawValue }
    }

    @Test(arguments: [
        Row(rules: .who24h, pm25: 18, pm10: 17, united: 22, share: 102),
        Row(rules: .usNowCast, pm25: 11, pm10: 4, united: 13, share: 9),
        Row(rules: .european, pm25: 6, pm10: 17, united: 19, share: 5),
        Row(rules: .rise, pm25: 53, pm10: 0, united: 53, share: 2),
        Row(rules: .unusual, pm25: 96, pm10: 0, united: 96, share: 77),
        // An alert that keeps coming and going stays raised for an hour.
        Row(rules: .sampleLevels, pm25: 1_582, pm10: 1_782, united: 1_658, share: 593),
    ])
    func setsDoThisToAYear(_ row: Row) throws {
        let year = try Year.shared.get()
        #expect(year.rows.count == 105_120)
        let episodes = year.episodes(of: row.rules.rules)
        let stretches = episodes.united
        let raised = stretches.reduce(0) { $0 + $1.count }
        let share = Int((1_000 * Double(raised) / (365 * 86_400)).rounded())
        let flapping = episodes.filter(\.isFlapping).count
        let found =
            "pm25 \(episodes.of("pm25").count), pm10 \(episodes.of("pm10").count), "
            + "united \(stretches.count), share \(share), flapping \(flapping), "
            + "median \(stretches.map(\.count).sorted()[safe: stretches.count / 2] / 60) min"
        #expect(episodes.of("pm25").count == row.pm25, "\(found)")
        #expect(episodes.of("pm10").count == row.pm10, "\(found)")
        #expect(stretches.count == row.united, "\(found)")
        #expect(share == row.share, "\(found)")
    }

    /// As the first systems had it: each sample by itself, with and without a margin.
    @Test(arguments: [(5, 15, 5_575), (4.5, 13.5, 4_476)])
    func singleSamplesCryWolf(pm25: Double, pm10: Double, expected: Int) throws {
        let scales = [
            AlertScale([.init(5, until: pm25, .notice)]),
            AlertScale([.init(15, until: pm10, .notice)]),
        ]
        var (isRaised, count) = (false, 0)
        for row in try Year.shared.get().rows {
            let places = zip(scales, [row.pm25, row.pm10]).map { $0.place(of: Double($1) / 10) }
            let isReached = places.contains { $0.reached > 0 }
            if isReached, !isRaised { count += 1 }
            isRaised = isReached || isRaised && places.contains { $0.held > 0 }
        }
        #expect(count == expected)
    }
}

extension [Int] {
    fileprivate subscript(safe index: Int) -> Int { indices.contains(index) ? self[index] : 0 }
}
