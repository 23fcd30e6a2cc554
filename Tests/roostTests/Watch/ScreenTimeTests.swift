import ControlProtocol
import Testing

@testable import StoreQueries
@testable import roost

@Suite struct ScreenTimeTests {
    /// Berlin on 25 October 2026: summer time until 01:00 UTC.
    private static let berlin = Zone { $0 < 1_792_890_000 ? 7_200 : 3_600 }

    @Test func whatWasBeforeAChangeOfTheClocksHasTheTimeOfThen() {
        // 02:00:10 for the second time.
        let moment = ScreenTime(
            bootSeconds: 5_000,
            wallSeconds: 1_792_890_010,
            zone: Self.berlin
        )
        #expect(moment.date == "2026-10-25 02:00:10")
        #expect(moment.clock(at: 4_985) == "02:59:55")
        #expect(moment.clock(at: 4_990) == "02:00:00")
    }

    private static func status(_ clock: ClockReport) -> StatusReport {
        var status = WatchFixture.status()
        status.clock = clock
        return status
    }

    @Test func aClockThatAPersonSetIsTheOneShown() {
        var state = WatchState()
        let moment = WatchFixture.moment
        let clock = ClockReport(time: "2026-10-25T00:59:40Z", trust: "person", isSure: true)
        state.apply(Self.status(clock), at: moment)
        #expect(state.dated(moment).date == "2026-10-25 01:59:40")
        // Another second of the same clock, asked a little later.
        var later = moment
        later.wallSeconds += 1.9
        let next = ClockReport(time: "2026-10-25T00:59:41Z", trust: "person", isSure: true)
        state.apply(Self.status(next), at: later)
        #expect(state.dated(moment).date == "2026-10-25 01:59:40", "it does not jump to and fro")
    }

    @Test(arguments: [true, false])
    func aClockThatNothingTrustsHasAMark(_ isSure: Bool) {
        var state = WatchState()
        let moment = WatchFixture.moment
        let clock = ClockReport(time: "2026-11-22T12:32:06Z", trust: "any", isSure: isSure)
        state.apply(Self.status(clock), at: moment)
        #expect(state.dated(moment).time == (isSure ? "13:32:07" : "13:32:07?"))
    }

    @Test func eventsStandInTheOrderInWhichTheyBegan() {
        var state = WatchState()
        // That a motion is over is known seconds later.
        for (kind, seconds) in [("motion", 10.0), ("lamp changed", 16), ("motion ended", 12)] {
            state.prepend(past: [WatchFixture.event(kind, at: seconds)])
        }
        #expect(state.events.map(\.kind) == ["motion", "motion ended", "lamp changed"])
    }
}
