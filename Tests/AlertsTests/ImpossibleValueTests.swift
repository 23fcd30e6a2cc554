import Core
import Testing

@testable import Alerts

/// The rows *level*, *alert*, *index* and *notice* of `docs/reference/flags.md`.
@Suite struct ImpossibleValueTests {
    /// Flags with whether a value that has it counts.
    private static let flags: [(name: String, counts: Bool)] = Quality.everyName.map {
        ($0, $0 != "outOfRange")
    }

    private static func sample(_ pm25: Outcome) -> [Reading] {
        [Reading(Year.pm25, at: .boot, pm25)]
    }

    private static func air(_ index: Int) -> Outcome { index % 2 == 0 ? .value(2.5) : .value(3.1) }

    @Test(arguments: flags)
    func aLevelLeavesOutWhatCannotBe(_ name: String, _ counts: Bool) throws {
        let flag = try #require(Quality(named: name))
        var machine = LevelMachine()
        #expect(machine.append(Self.sample(.value(3.0))) == .moderate)
        #expect(machine.append(Self.sample(.value(999.0, flag))) == (counts ? .poor : nil))
        // Between two samples of the same air the margin still holds.
        #expect(machine.append(Self.sample(.value(2.6))) == .moderate)
    }

    @Test(arguments: flags)
    func anAlertOnValuesLeavesOutWhatCannotBe(_ name: String, _ counts: Bool) throws {
        let flag = try #require(Quality(named: name))
        let engine = Bench(AlertSet.sampleLevels.rules)
        _ = engine.append(Self.sample(.value(2.5)), at: 100)
        let events = engine.append(Self.sample(.value(999.0, flag)), at: 101)
        #expect(events.isEmpty != counts)
        // One that is raised goes on as if the impossible sample had not come.
        let raised = Bench(AlertSet.sampleLevels.rules)
        _ = raised.append(Self.sample(.value(20.0)), at: 100)
        #expect(raised.append(Self.sample(.value(4369.1, .outOfRange)), at: 101).isEmpty)
        #expect(raised.raised.map(\.value) == [20.0] && raised.raised[0].life.blind == nil)
    }

    /// One in ten, for a day: the case of `sds011-impossible-value` in the long run.
    @Test(arguments: flags)
    func aMeanLeavesOutWhatCannotBeAndSaysHowMany(_ name: String, _ counts: Bool) throws {
        let flag = try #require(Quality(named: name))
        let rules = AlertSet.who24h.rules + AlertSet.usNowCast.rules + AlertSet.singapore.rules
        let engine = Bench(rules)
        engine.expect("balcony", every: 300, at: 0)
        var events: [AlertEvent] = []
        for index in 1...288 {
            let outcome = index % 10 == 8 ? .value(4369.1, flag) : Self.air(index)
            events += engine.append(Self.sample(outcome), at: index * 300)
        }
        #expect(events.isEmpty != counts)
        guard !counts else { return }
        let day = try #require(engine.tracks.first { $0.key.rule == "who-24h" })
        #expect(try #require(day.value) < 3.2 && day.omitted == 29)
        #expect(day.doubts == ["omitted:29"])
    }

    @Test func aRaisedMeanSaysHowManyItLeavesOut() throws {
        let engine = Bench(AlertSet.who24h.rules)
        engine.expect("balcony", every: 300, at: 0)
        var events: [AlertEvent] = []
        for index in 1...288 {
            let outcome: Outcome = index % 10 == 8 ? .value(4369.1, .outOfRange) : .value(16.1)
            events += engine.append(Self.sample(outcome), at: index * 300)
        }
        guard case .raised(let raised)? = events.first else {
            Issue.record("no alert")
            return
        }
        #expect(raised.value == 16.1 && raised.flags == ["omitted:24"])
        let text = try #require(NoticeText(.raised(raised), in: .en))
        #expect(text.body == "values that cannot be, left out: 24")
        // It outlives the store.
        let written = Event(at: .boot, source: "alerts", kind: .alert(.raised(raised)))
        let read = Event(
            at: .boot,
            source: "alerts",
            name: written.kind.name,
            severity: .info,
            details: written.details
        )
        #expect(read.kind == written.kind)
    }

    @Test func aValueAtTheTopOfTheRangeIsAtLeastThat() throws {
        let engine = Bench(AlertSet.sampleLevels.rules)
        let events = engine.append(Self.sample(.value(999.9, .ceiling)), at: 100)
        guard case .raised(let raised)? = events.first else {
            Issue.record("no alert")
            return
        }
        let text = try #require(NoticeText(.raised(raised), in: .en))
        #expect(text.subtitle == "balcony PM2.5: at least 999.9 µg/m³ (limit 5.0)")
    }

    /// A rule about the flag itself sees it; a part that sends no other value is silent.
    @Test func whatCannotBeIsNoSilenceOfItsFlag() throws {
        let flagged = AlertRule(
            "odd",
            [.init("*", .flagged(.outOfRange, orStuck: false))]
        )
        let silent = AlertRule("silent", [.init("*", .silent(intervals: 3))])
        let engine = Bench([flagged, silent])
        engine.expect("balcony", every: 10, at: 0)
        _ = engine.append(Self.sample(.value(2.5)), at: 10)
        var events: [AlertEvent] = []
        for second in 11...400 {
            events += engine.append(Self.sample(.value(4369.1, .outOfRange)), at: second)
        }
        #expect(Set(events.compactMap(\.key?.rule)) == ["odd", "silent"])
    }
}
