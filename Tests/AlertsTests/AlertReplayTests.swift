import Core
import TestSupport
import Testing

@testable import Alerts

@Suite struct AlertReplayTests {
    /// The table of docs/reference/alerts.md, by the way that `roost alerts replay` takes.
    @Test(arguments: [
        (AlertSet.who24h, [22, 102], [2, 83]), (.usNowCast, [13, 9], [0, 0]),
        (.european, [19, 5], [0, 0]),
    ])
    func aYearGivesTheTableOfTheDocuments(_ set: AlertSet, whole: [Int], month: [Int]) throws {
        let year = try Year.shared.get()
        var replay = AlertReplay(set.rules)
        for (index, row) in year.rows.enumerated() {
            replay.append(Year.sample(row.pm25, row.pm10), at: (index + 1) * 300)
        }
        let row = try #require(replay.rows.first)
        #expect(replay.rows.count == 1 && row.rule == set.rawValue)
        let found = Int((1_000 * Double(row.raisedSeconds) / Double(replay.length)).rounded())
        #expect([row.episodes, found] == (Exhaustive.isWhole ? whole : month))
        let notices = AlertReplay.intervals.compactMap { row.notices[$0] }
        #expect(notices == notices.sorted(by: >) && notices.allSatisfy { $0 >= row.episodes })
    }

    @Test func aReceiverGetsOneNoticeInItsTimeAndMissesNoEnd() throws {
        let scale = AlertScale([.init(5, until: 5, .warning)])
        let rule = AlertRule("up", [.init("*/pm25", .value(scale))])
        var replay = AlertReplay([rule, AlertSet.station.rules[0]])
        // Bad and good by turns, each ten minutes, for an hour: six events.
        for second in stride(from: 0, to: 3_600, by: 600) {
            replay.append(Year.sample(second % 1_200 == 0 ? 60 : 20, 0), at: second)
        }
        replay.append(Year.sample(20, 0), at: 9_000)
        let row = try #require(replay.rows.first)
        #expect(replay.rows.map(\.rule) == ["up"])
        #expect(row.episodes == 3 && row.raisedSeconds == 1_800 && row.medianSeconds == 600)
        #expect(row.channels == ["balcony/pm25": 3])
        // At 0, 10, 20 … 50 min; at 0, 20, 40 and 60 min; at 0 and 60 min.
        #expect(row.notices == [300: 6, 1_200: 4, 3_600: 2])
    }

    /// Clocks that go back an hour in between: the same hour by the clock is what is compared.
    @Test func usualIsWhatTheClockOfTheZoneCallsTheSameHour() throws {
        let change = 20 * 86_400
        func scores(_ hours: AlertHours) -> [AlertEvent] {
            let rule = AlertRule(
                "unusual",
                [.init("*/pm25", .unusual(score: 4, by: 10, days: 14))]
            )
            var engine = AlertEngine([rule])
            engine.hours = hours
            var events: [AlertEvent] = []
            for second in stride(from: 300, through: change + 86_400, by: 300) {
                // Each day from 8:00 to 10:30 by the clock people cook.
                let local = second + (second < change ? 7_200 : 3_600)
                let ofDay = local % 86_400
                let isBad = (8 * 3_600..<37_800).contains(ofDay)
                events += engine.append(Year.sample(isBad ? 400 : 50, 0), at: second)
            }
            return events.filter { if case .raised = $0 { true } else { false } }
        }
        let zone = AlertHours { $0 < change ? 7_200 : 3_600 }
        #expect(scores(zone).isEmpty)
        #expect(!scores(AlertHours()).isEmpty)
    }
}
