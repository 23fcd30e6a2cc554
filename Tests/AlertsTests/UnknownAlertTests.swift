import Core
import Testing

@testable import Alerts

/// Alerts raised before a time without values, for each condition: no values, late values, and
/// another clock.
@Suite struct UnknownAlertTests {
    private static let day = 86_400
    private static let start = 400 * day

    /// A condition of each kind with a scale, and the value that raises it.
    private static let rules: [AlertRule] =
        [
            AlertRule("value", [.init("*/pm25", .value(scale))]),
            AlertRule("mean", [.init("*/pm25", .mean(over: day, scale))]),
            AlertRule("rise", [.init("*/pm25", .rise(over: 900, by: 15, times: 2))]),
            AlertRule("unusual", [.init("*/pm25", .unusual(score: 4, by: 10, days: 14))]),
            AlertRule("odd", [.init("*/pm25", .flagged(.unchanging, orStuck: true))]),
            AlertRule("store", [.init("*", .trouble(.store))]),
            AlertRule("silent", [.init("*", .silent(intervals: 3))]),
        ] + AlertSet.usNowCast.rules + AlertSet.european.rules + AlertSet.singapore.rules

    private static let scale = AlertScale([.init(5, until: 4.5, .warning)])

    private static func past(_ rule: AlertRule, raisedAt: Int, lastAt: Int?) -> RestoredAlerts {
        var past = RestoredAlerts()
        let subject =
            rule.id == "store" ? "station" : rule.id == "silent" ? "balcony" : "balcony/pm25"
        past.apply(.raised(.init(7, AlertEvent.Key(rule.id, subject))), at: raisedAt)
        past.lastAt = lastAt
        return past
    }

    private static func sample(_ value: FixedPoint) -> [Reading] {
        [Reading(Year.pm25, at: .boot, .value(value))]
    }

    private static func reasons(_ events: [AlertEvent]) -> [AlertEvent.Resolved.Reason] {
        events.compactMap { event in
            if case .resolved(let resolved) = event { resolved.why } else { nil }
        }
    }

    /// A store of January, started in November.
    @Test(arguments: rules)
    func aYearInADrawerEndsIt(_ rule: AlertRule) {
        let engine = Bench([rule])
        let lastAt = Self.start - 329 * Self.day
        #expect(
            engine.restore(Self.past(rule, raisedAt: lastAt - 600, lastAt: lastAt), at: Self.start)
                == []
        )
        #expect(engine.raised.map { $0.life.blind?.since } == [lastAt])
        #expect(Self.reasons(engine.advance(to: Self.start + 1)) == [.noData])
        #expect(engine.raised.isEmpty)
    }

    /// A value of today does not confirm what was raised in January: it raises anew.
    @Test func aValueAfterAYearRaisesAnother() {
        let rule = Self.rules[0]
        let engine = Bench([rule])
        let lastAt = Self.start - 329 * Self.day
        _ = engine.restore(Self.past(rule, raisedAt: lastAt - 600, lastAt: lastAt), at: Self.start)
        #expect(Self.reasons(engine.append(Self.sample(20.0), at: Self.start + 1)) == [.noData])
        let events = engine.append(Self.sample(20.0), at: Self.start + 2)
        #expect(events.compactMap(\.number) == [9])
    }

    /// A short time without power: unknown at first, then confirmed or over by what comes late.
    @Test(arguments: [(FixedPoint(200, decimals: 1), true), (FixedPoint(10, decimals: 1), false)])
    func aLateValueConfirmsOrEndsIt(_ value: FixedPoint, _ isHeld: Bool) {
        let rule = Self.rules[0]
        let engine = Bench([rule])
        let lastAt = Self.start - 3_600
        #expect(
            engine.restore(Self.past(rule, raisedAt: lastAt - 600, lastAt: lastAt), at: Self.start)
                == []
        )
        #expect(engine.advance(to: Self.start + 1) == [])
        #expect(engine.raised.map { $0.life.blind?.since } == [lastAt])
        let events = engine.append(Self.sample(value), at: Self.start + 20)
        #expect(Self.reasons(events) == (isHeld ? [] : [.over]))
        #expect(engine.raised.map { $0.life.blind == nil } == (isHeld ? [true] : []))
    }

    /// A mean that lacks values is unknown from the last of them on, over every restart.
    @Test func restartsDoNotBeginTheDayAnew() {
        let rule = Self.rules[1]
        var engine = AlertEngine([rule])
        let lastAt = Self.start - 20 * 3_600
        engine.learn(Year.pm25, 20.0, from: lastAt - 3_600, to: lastAt)
        // Processes ran since, and none had a value.
        var past = Self.past(rule, raisedAt: lastAt - 600, lastAt: Self.start - 60)
        past.lastAt = Self.start - 60
        #expect(engine.restore(past, at: Self.start) == [])
        #expect(engine.raised.map { $0.life.blind?.since } == [lastAt])
        #expect(engine.advance(to: Self.start + 3 * 3_600) == [])
        #expect(Self.reasons(engine.advance(to: Self.start + 4 * 3_600 + 1)) == [.noData])
    }

    /// Without a sure clock no time without power is believed; with one it is dated.
    @Test func anotherClockDatesItOnceItIsSure() {
        let rule = Self.rules[1]
        var engine = AlertEngine([rule])
        let lastAt = Self.start - 329 * Self.day
        var past = Self.past(rule, raisedAt: lastAt - 600, lastAt: lastAt)
        past.floor = Self.start
        #expect(engine.restore(past, at: Self.start + 30) == [])
        #expect(engine.raised.map { $0.life.blind?.since } == [Self.start])
        #expect(engine.advance(to: Self.start + 3_600) == [])
        past.floor = .min
        let events = engine.redate(past, at: Self.start + 3_601)
        #expect(Self.reasons(events) == [.noData])
        guard case .resolved(let resolved)? = events.first else { return }
        #expect(resolved.lasted == 329 * Self.day + 4_201)
    }

    /// Values of January lie in the last day by a clock that was not set, and not by a sure one.
    @Test func aMeanOfAnotherTimeConfirmsNothing() {
        let rule = Self.rules[1]
        var engine = AlertEngine([rule])
        let lastAt = Self.start - 329 * Self.day
        var past = Self.past(rule, raisedAt: lastAt - 600, lastAt: lastAt)
        past.floor = Self.start
        engine.learn(Year.pm25, 20.0, from: Self.start - Self.day, to: Self.start)
        _ = engine.restore(past, at: Self.start)
        #expect(engine.append(Self.sample(20.0), at: Self.start + 10) == [])
        #expect(engine.raised.map { $0.life.blind == nil } == [true])
        past.floor = .min
        engine.forgetAverages()
        let events = engine.redate(past, at: Self.start + 20)
        #expect(Self.reasons(events) == [.noData])
        // After an hour without power it is unknown until the next value.
        var other = AlertEngine([rule])
        other.learn(Year.pm25, 20.0, from: Self.start - Self.day, to: Self.start)
        past = Self.past(rule, raisedAt: Self.start - 4_200, lastAt: Self.start - 3_600)
        _ = other.restore(past, at: Self.start)
        _ = other.append(Self.sample(20.0), at: Self.start + 10)
        #expect(other.redate(past, at: Self.start + 20) == [])
        #expect(other.raised.map { $0.life.blind?.since } == [Self.start - 3_600])
        _ = other.append(Self.sample(20.0), at: Self.start + 30)
        #expect(other.raised.map { $0.life.blind == nil } == [true])
    }

    /// A later date for the past does not undo a state that new values have confirmed.
    @Test func datesChangeNothingThatValuesHaveConfirmed() {
        let rule = Self.rules[0]
        var engine = AlertEngine([rule])
        let lastAt = Self.start - 329 * Self.day
        var past = Self.past(rule, raisedAt: lastAt - 600, lastAt: lastAt)
        past.floor = Self.start
        _ = engine.restore(past, at: Self.start)
        #expect(engine.append(Self.sample(20.0), at: Self.start + 10) == [])
        past.floor = .min
        #expect(engine.redate(past, at: Self.start + 20) == [])
        #expect(engine.advance(to: Self.start + 21) == [])
        #expect(engine.raised.map { $0.life.blind == nil } == [true])
        _ = engine.append(Self.sample(1.0), at: Self.start + 30)
        #expect(engine.redate(past, at: Self.start + 40) == [])
        #expect(engine.raised.isEmpty)
    }
}
