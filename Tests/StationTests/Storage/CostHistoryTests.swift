import ControlProtocol
import Core
import Testing

@testable import Station

@Suite struct CostHistoryTests {
    private static func costs(after minutes: Int) -> ProcessCosts {
        var costs = ProcessCosts()
        costs.wakeUps = minutes * 2
        costs.cpuTime = .milliseconds(minutes * 3)
        costs.cardByteCount = minutes * 100
        costs.cardSyncCount = minutes
        return costs
    }

    private static func history(minutes: Int) -> CostHistory {
        var history = CostHistory()
        for minute in 0...minutes where history.isDue(at: .boot.advanced(by: .minutes(minute))) {
            history.append(costs(after: minute), at: .boot.advanced(by: .minutes(minute)))
        }
        return history
    }

    @Test func tellsTheLastHourAndTheLastDay() throws {
        let now = MonotonicInstant.boot.advanced(by: .minutes(3_000))
        let history = Self.history(minutes: 3_000)
        let hour = try #require(
            history.cost(of: .hours(1), until: Self.costs(after: 3_000), at: now)
        )
        let wanted = CostReport(
            seconds: 3_600,
            wakeUps: 120,
            cpuMilliseconds: 180,
            cardBytes: 6_000,
            cardSyncs: 60
        )
        #expect(hour == wanted)
        let day = try #require(history.cost(of: .days(1), until: Self.costs(after: 3_000), at: now))
        #expect((day.seconds, day.wakeUps, day.cardSyncs) == (86_400, 2_880, 1_440))
    }

    @Test func saysHowShortTheStretchIsAfterAStart() throws {
        let now = MonotonicInstant.boot.advanced(by: .minutes(15))
        let history = Self.history(minutes: 15)
        let day = try #require(history.cost(of: .days(1), until: Self.costs(after: 15), at: now))
        #expect((day.seconds, day.wakeUps) == (900, 30))
        #expect(CostHistory().cost(of: .days(1), until: Self.costs(after: 15), at: now) == nil)
    }

    @Test func doesNotInventBytesThatNobodyCounts() throws {
        var history = CostHistory()
        history.append(ProcessCosts(), at: .boot)
        let now = MonotonicInstant.boot.advanced(by: .minutes(5))
        #expect(history.cost(of: .hours(1), until: ProcessCosts(), at: now)?.cardBytes == nil)
    }
}
