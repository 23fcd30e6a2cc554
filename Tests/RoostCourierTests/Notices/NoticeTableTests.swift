import Core
import Testing

@testable import RoostCourier
@testable import StoreQueries

/// Tests which alerts may be sent when, cell for cell as docs/reference/courier.md has it.
@Suite struct NoticeTableTests {
    enum Speech: CaseIterable {
        case raise, worse, critical, reminder, end, otherRule, otherDevice
    }

    enum Moment: CaseIterable {
        /// The receiver had nothing for a long time.
        case free
        /// It had a notice of a raise ten seconds ago.
        case afterRaise
        /// It had a notice of ends ten seconds ago.
        case afterEnd
        /// Its quiet hours last.
        case quiet
    }

    private static let table: [Speech: [Moment: Bool]] = [
        .raise: [.free: true, .afterRaise: false, .afterEnd: true, .quiet: false],
        .worse: [.free: true, .afterRaise: true, .afterEnd: true, .quiet: false],
        .critical: [.free: true, .afterRaise: true, .afterEnd: true, .quiet: true],
        .reminder: [.free: true, .afterRaise: false, .afterEnd: true, .quiet: false],
        .end: [.free: true, .afterRaise: false, .afterEnd: false, .quiet: false],
        .otherRule: [.free: true, .afterRaise: false, .afterEnd: true, .quiet: false],
        .otherDevice: [.free: true, .afterRaise: false, .afterEnd: true, .quiet: false],
    ]

    private static let key = AlertEvent.Key("who-24h", "balcony/pm25")
    private static let noon: Int64 = 1_795_305_600 + 43_200

    private static func at(_ second: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: second * 1_000_000_000)
    }

    private static func raised(
        _ number: Int64,
        _ key: AlertEvent.Key = key,
        _ severity: AlertSeverity = .warning
    ) -> AlertChange {
        var raised = AlertEvent.Raised(number, key)
        raised.severity = severity
        return AlertChange(number: number, event: .raised(raised), time: nil)
    }

    private static func resolved(_ number: Int64, of raise: Int64) -> AlertChange {
        let end = AlertEvent.Resolved(
            number: number,
            raise: raise,
            key: key,
            why: .over,
            lasted: 60,
            worst: nil,
            severity: .warning
        )
        return AlertChange(number: number, event: .resolved(end), time: nil)
    }

    private static func level(_ number: Int64, of raise: Int64, _ was: Int, _ level: Int)
        -> AlertChange
    {
        let event = AlertEvent.Level(
            number: number,
            raise: raise,
            key: key,
            level: level,
            was: was,
            severity: .warning,
            value: nil
        )
        return AlertChange(number: number, event: .level(event), time: nil)
    }

    /// Sends what may go a second later, when alerts of one sample are together.
    private static func send(
        _ planner: inout NoticePlanner,
        _ second: Int64
    ) -> NoticePlanner.Plan? {
        let second = second + 1
        let wall = WallTime(nanoseconds: (noon + second) * 1_000_000_000)
        guard case .send(let plan) = planner.decide(at: at(second), wall, in: .utc) else {
            return nil
        }
        planner.finish(plan, at: at(second))
        return plan
    }

    /// The planner at 20 000 s: alert 1 was sent long ago and lasts, 2 was of the same time.
    private static func planner(_ moment: Moment, _ speech: Speech) -> NoticePlanner {
        var options = ReceiverOptions()
        (options.wait, options.remind) = (.zero, speech == .reminder ? .seconds(19_999) : nil)
        // 20 000 s after noon it is 17:33.
        if moment == .quiet { options.quiet = QuietHours(from: 17 * 60, to: 18 * 60) }
        var planner = NoticePlanner(options)
        planner.apply(raised(1), at: at(1))
        planner.apply(raised(2, .init("us-nowcast", "balcony/pm10")), at: at(1))
        #expect(send(&planner, 1) != nil)
        switch moment {
        case .free, .quiet: break
        case .afterRaise:
            planner.apply(raised(3, .init("eaqi", "balcony/pm1")), at: at(19_990))
            #expect(send(&planner, 19_990)?.raised == [3])
        case .afterEnd:
            planner.apply(resolved(3, of: 2), at: at(19_990))
            #expect(send(&planner, 19_990)?.ended.map(\.number) == [3])
        }
        return planner
    }

    @Test(arguments: Speech.allCases, Moment.allCases)
    func eachCellIsAsTheTableSays(speech: Speech, moment: Moment) {
        var planner = Self.planner(moment, speech)
        let now = Self.at(20_000)
        switch speech {
        case .raise: planner.apply(Self.raised(9, .init("who-24h", "balcony/co2")), at: now)
        case .worse: planner.apply(Self.level(9, of: 1, 1, 2), at: now)
        case .critical:
            planner.apply(Self.raised(9, .init("eaqi", "balcony/co2"), .critical), at: now)
        case .reminder: break
        case .end: planner.apply(Self.resolved(9, of: 1), at: now)
        case .otherRule: planner.apply(Self.raised(9, .init("rise", "balcony/pm25")), at: now)
        case .otherDevice: planner.apply(Self.raised(9, .init("who-24h", "attic/pm25")), at: now)
        }
        let plan = Self.send(&planner, 20_000)
        #expect((plan != nil) == Self.table[speech]?[moment], "\(speech) \(moment)")
        guard plan == nil else { return }
        // A notice that waits is not lost, and says why it waits.
        guard
            case .wait(let until?, let delay?) = planner.decide(
                at: Self.at(20_001),
                WallTime(nanoseconds: (Self.noon + 20_001) * 1_000_000_000),
                in: .utc
            )
        else {
            Issue.record("\(speech) \(moment) says no reason")
            return
        }
        #expect(delay == (moment == .quiet ? .quiet : .spaced))
        #expect(until > now)
    }

    /// Two peaks of fifteen seconds while the receiver is away: the second is not late.
    @Test func anEndDoesNotDelayTheNextBeginning() {
        var options = ReceiverOptions()
        options.wait = .zero
        var planner = NoticePlanner(options)
        planner.apply(Self.raised(1), at: Self.at(1))
        planner.apply(Self.resolved(2, of: 1), at: Self.at(16))
        #expect(Self.send(&planner, 35)?.ended.map(\.number) == [2])
        planner.apply(Self.raised(3), at: Self.at(73))
        #expect(Self.send(&planner, 73)?.raised == [3])
    }

    /// An alert that rises and falls skips the rate limit once for each level, then waits.
    @Test func worsePassesOnceALevel() {
        var planner = Self.planner(.free, .worse)
        var (number, sent) = (Int64(10), 0)
        for second in Int64(20_000)..<20_600 {
            let isUp = second % 2 == 0
            planner.apply(
                Self.level(number, of: 1, isUp ? 1 : 2, isUp ? 2 : 1),
                at: Self.at(second)
            )
            number += 1
            if Self.send(&planner, second) != nil { sent += 1 }
        }
        #expect(sent == 1)
    }
}
