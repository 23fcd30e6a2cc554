import ControlProtocol
import Core
import Testing

@testable import RoostCourier
@testable import Store

@Suite struct LateTargetsTests {
    private static let day = 86_400

    private static func report(
        _ state: OutboxReport.State,
        of id: String = "influx",
        waitsSince second: Int? = nil
    ) -> OutboxReport {
        var report = OutboxReport(id: id, type: "influx1", state: state)
        report.why = state == .idle ? nil : "503"
        report.oldestWaiting = second.map { WallTime(seconds: $0).iso8601 }
        return report
    }

    /// The machine's start is the beginning of 1970.
    private static func update(
        _ late: inout LateTargets,
        _ reports: [OutboxReport],
        at second: Int,
        isDated: Bool = true
    ) -> [LateTargets.Change] {
        let nanoseconds = Int64(second) * 1_000_000_000
        let wall = isDated ? WallTime(nanoseconds: nanoseconds) : nil
        return late.update(reports, at: MonotonicInstant(nanoseconds: nanoseconds), wall)
    }

    @Test func aTargetIsToldOnceWhenItIsLateAndOnceWhenItIsNot() {
        var late = LateTargets()
        let waits = [Self.report(.waiting, waitsSince: 100)]
        #expect(Self.update(&late, waits, at: 100 + Self.day - 1).isEmpty)
        let told = Self.update(&late, waits, at: 100 + Self.day)
        #expect(told == [.init(target: "influx", why: "503", oldest: "1970-01-01T00:01:40Z")])
        #expect(Self.update(&late, waits, at: 2 * Self.day - 1).isEmpty)
        let done = [Self.report(.idle)]
        let end = LateTargets.Change(target: "influx", why: nil, oldest: nil)
        #expect(Self.update(&late, done, at: 2 * Self.day + 1) == [end])
        #expect(Self.update(&late, done, at: 2 * Self.day + 2).isEmpty)
    }

    @Test func withoutATrustedClockNoDataIsLateButWhatIsHeldIs() {
        var late = LateTargets()
        let waits = [Self.report(.waiting, waitsSince: 0)]
        #expect(Self.update(&late, waits, at: 9 * Self.day, isDated: false).isEmpty)
        let held = [Self.report(.held, of: "phone")]
        let told = Self.update(&late, held, at: 9 * Self.day, isDated: false)
        #expect(told == [.init(target: "phone", why: "503", oldest: nil)])
        #expect(Self.update(&late, held, at: 10 * Self.day, isDated: false).isEmpty)
    }

    @Test func whatFailsForAQuarterOfAnHourIsToldAndAnHourlyRefusalOnceMore() {
        var late = LateTargets()
        let fails = [Self.report(.later, of: "phone")]
        #expect(Self.update(&late, fails, at: 60).isEmpty)
        #expect(Self.update(&late, fails, at: 60 + 899).isEmpty)
        #expect(Self.update(&late, fails, at: 60 + 900).count == 1)
        #expect(Self.update(&late, [Self.report(.held, of: "phone")], at: 1_000).count == 1)
        #expect(Self.update(&late, fails, at: 1_100).isEmpty)
        #expect(Self.update(&late, [Self.report(.idle, of: "phone")], at: 1_200).count == 1)
        #expect(Self.update(&late, fails, at: 1_300).isEmpty, "it counts from the new failure")
    }

    @Test func aHeartbeatThatIsKeptBackIsNoFault() {
        var late = LateTargets()
        var report = Self.report(.later, of: "alive")
        report.code = "not-well"
        #expect(Self.update(&late, [report], at: 0).isEmpty)
        #expect(Self.update(&late, [report], at: Self.day).isEmpty)
    }

    @Test func whatItsOwnerPausedIsNotLate() {
        var late = LateTargets()
        let paused = [Self.report(.paused, waitsSince: 0)]
        #expect(Self.update(&late, paused, at: 9 * Self.day).isEmpty)
    }

    @Test func aStationThatStartedAnewIsToldAgain() {
        var late = LateTargets()
        let waits = [Self.report(.waiting, waitsSince: 0)]
        #expect(Self.update(&late, waits, at: 2 * Self.day).count == 1)
        // The station still has the alert, or has lost it: both times the alert is reported again.
        for raised: Set<String> in [[], ["influx"]] {
            late.renew(raised: raised)
            #expect(Self.update(&late, waits, at: 3 * Self.day).count == 1)
            #expect(Self.update(&late, waits, at: 4 * Self.day).isEmpty)
        }
        // An alert ends when its target came right while the station or the courier was off, or is
        // no more.
        late.renew(raised: ["influx", "gone"])
        let changes = Self.update(&late, [Self.report(.idle)], at: 5 * Self.day)
        #expect(changes.map(\.target) == ["influx", "gone"])
        #expect(changes.allSatisfy { $0.why == nil })
    }
}
