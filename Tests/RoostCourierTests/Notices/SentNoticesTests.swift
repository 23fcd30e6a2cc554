import ControlProtocol
import Core
import Testing

@testable import Alerts
@testable import RoostCourier

@Suite struct SentNoticesTests {
    private static let key = AlertEvent.Key("who-24h", "dust/pm25")
    private static let now = MonotonicInstant.boot.advanced(by: .seconds(60))

    private static func planner(_ numbers: Int64...) -> NoticePlanner {
        var planner = NoticePlanner(ReceiverOptions())
        for number in numbers {
            let raised = AlertEvent.Raised(number, AlertEvent.Key("r\(number)", "dust/pm25"))
            planner.apply(AlertChange(number: number, event: .raised(raised), time: nil), at: now)
        }
        return planner
    }

    private static func end(_ raise: Int64) -> AlertEvent.Resolved {
        AlertEvent.Resolved(
            number: raise + 100,
            raise: raise,
            key: AlertEvent.Key("r\(raise)", "dust/pm25"),
            why: .over,
            lasted: 60,
            worst: 18,
            severity: .warning
        )
    }

    private static func rules(_ keys: [AlertEvent.Key]) -> [String] { keys.map(\.rule) }

    /// Worse levels, reminders and the end of an alert are no first notice.
    @Test func eachAlertCountsOnce() {
        var sent = SentNotices()
        let alerts = Self.planner(1, 2).alerts
        var plan = NoticePlan()
        plan.raised = [1, 2]
        #expect(Self.rules(sent.add(plan, alerts, at: Self.now)) == ["r1", "r2"])
        #expect(sent.add(plan, alerts, at: Self.now).isEmpty)
        (plan.raised, plan.reminders, plan.ended) = ([], [1], [Self.end(2)])
        #expect(sent.add(plan, alerts, at: Self.now).isEmpty)
        let later = Self.now.advanced(by: .seconds(9))
        let report = sent.report(at: later)
        #expect(report.map(\.key) == ["r1:dust/pm25", "r2:dust/pm25"])
        #expect(report.map(\.ageSeconds) == [9, 9])
    }

    /// In quiet hours an alert may be over before its first notice.
    @Test func anEndMayBeTheFirstNotice() {
        var sent = SentNotices()
        var plan = NoticePlan()
        plan.ended = [Self.end(3)]
        #expect(Self.rules(sent.add(plan, [:], at: Self.now)) == ["r3"])
        #expect(sent.add(plan, [:], at: Self.now).isEmpty)
    }

    @Test func whatAnEarlierProcessSentIsNotNew() {
        var sent = SentNotices([1])
        var plan = NoticePlan()
        plan.raised = [1, 2]
        #expect(Self.rules(sent.add(plan, Self.planner(1, 2).alerts, at: Self.now)) == ["r2"])
    }

    @Test func keepsFewForYears() {
        var sent = SentNotices()
        let lasting = Self.planner(1)
        var plan = NoticePlan()
        plan.raised = [1]
        _ = sent.add(plan, lasting.alerts, at: Self.now)
        for number in Int64(2)...2_000 {
            plan.raised = [number]
            let alerts = lasting.alerts.merging(Self.planner(number).alerts) { one, _ in one }
            #expect(sent.add(plan, alerts, at: Self.now).count == 1)
        }
        #expect(sent.report(at: Self.now).count == 16)
        plan.raised = [1]
        #expect(sent.add(plan, lasting.alerts, at: Self.now).isEmpty, "it still lasts")
    }
}
