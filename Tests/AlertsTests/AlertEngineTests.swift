import Core
import Testing

@testable import Alerts

@Suite struct AlertEngineTests {
    private func sample(_ pm25: Outcome, _ pm10: Outcome? = nil) -> [Reading] {
        let pm25 = Reading(Year.pm25, at: .boot, pm25)
        return [pm25] + (pm10.map { [Reading(Year.pm10, at: .boot, $0)] } ?? [])
    }

    private func value(_ tenths: Int64) -> Outcome { .value(FixedPoint(tenths, decimals: 1)) }

    private static let levels = AlertSet.sampleLevels.rules

    private func names(_ events: [AlertEvent]) -> [String] {
        events.map { "\(EventKind.alert($0).name) \($0.key.map { "\($0)" } ?? "")" }
    }

    @Test func aRaiseNamesValueLimitAndNumber() throws {
        let engine = Bench(AlertSet.who24h.rules)
        var events: [AlertEvent] = []
        for index in 1...288 { events += engine.append(sample(value(161)), at: index * 300) }
        guard case .raised(let raised)? = events.first else { throw Missing() }
        #expect(events.count == 1)
        #expect(raised.number == 1 && "\(raised.key)" == "who-24h:balcony/pm25")
        #expect(raised.value == 16.1 && raised.limit == 15 && raised.unit == "µg/m³")
        #expect(raised.over == 86_400 && raised.severity == .warning && raised.kind == "mean")
        // Three quarters of a day are enough.
        #expect(engine.raised[0].life.raisedAt == 216 * 300)
    }

    private struct Missing: Error {}

    /// Events as the store returns them are the events that went in.
    @Test func eventsOutliveTheStore() throws {
        let engine = Bench(Self.levels)
        var events = engine.append(sample(value(60), value(200)), at: 100)
        let acknowledged = engine.acknowledge(1, by: "pi", for: 600, at: 110)
        let key = AlertEvent.Key("sample-levels", "balcony/pm10")
        let silenced = engine.silence(key, for: 60, by: "pi", at: 110)
        events += [try #require(acknowledged), try #require(silenced)]
        events += engine.standing(at: 120)
        events += engine.append(sample(value(0), value(0)), at: 400)
        #expect(Set(events.map { EventKind.alert($0).name }).count == 5)
        for event in events {
            let written = Event(at: .boot, source: "alerts", kind: .alert(event))
            let read = Event(
                at: .boot,
                source: "alerts",
                name: written.kind.name,
                severity: .info,
                details: written.details
            )
            #expect(read.kind == written.kind)
        }
    }

    @Test func anotherProcessGoesOnWithTheSameAlert() throws {
        let engine = Bench(Self.levels)
        var past = RestoredAlerts()
        for event in engine.append(sample(value(60), value(200)), at: 100) {
            past.apply(event, at: 100)
        }
        let acknowledged = engine.acknowledge(2, by: "pi", for: nil, at: 110)
        past.apply(try #require(acknowledged), at: 110)
        for event in engine.standing(at: 120) { past.apply(event, at: 120) }
        let next = Bench(Self.levels)
        #expect(next.restore(past, at: 130).isEmpty)
        #expect(next.raised.map(\.raise) == [1, 2])
        #expect(next.append(sample(value(70), value(210)), at: 400).isEmpty)
        #expect(next.raised.map { $0.life.isAcknowledged(at: 400) } == [false, true])
        let events = next.append(sample(value(0), value(0)), at: 700)
        #expect(events.compactMap(\.number) == [4, 5])
        guard case .resolved(let resolved)? = events.first else { throw Missing() }
        #expect(resolved.raise == 1 && resolved.lasted == 600 && resolved.worst == 7.0)
    }

    @Test func anAlertOfARuleThatIsGoneEnds() throws {
        let engine = Bench(Self.levels)
        _ = engine.append(sample(value(60)), at: 100)
        let events = engine.use(AlertSet.who24h.rules, at: 200)
        guard case .resolved(let resolved)? = events.first else { throw Missing() }
        #expect(resolved.why == .ruleRemoved && engine.raised.isEmpty)
    }

    /// Its name is at the beginning of another's, whose alerts go on.
    @Test func alertsOfADeviceThatIsRemovedEnd() {
        let engine = Bench(Self.levels + AlertSet.station.rules)
        engine.expect("balcony", every: 300, at: 0)
        engine.expect("balcony2", every: 300, at: 0)
        let other = Channel(device: "balcony2", quantity: .pm25)
        _ = engine.append(sample(value(60)), at: 300)
        _ = engine.append([Reading(other, at: .boot, value(60))], at: 300)
        _ = engine.advance(to: 1_300)
        #expect(engine.raised.map { "\($0.key)" }.contains("silent:balcony"))
        let events = engine.remove("balcony", at: 1_400)
        let why = events.compactMap { event -> AlertEvent.Resolved.Reason? in
            if case .resolved(let resolved) = event { resolved.why } else { nil }
        }
        #expect(why == [.deviceRemoved, .deviceRemoved])
        #expect(engine.raised.allSatisfy { $0.key.subject.hasPrefix("balcony2") })
        #expect(!engine.raised.isEmpty && engine.advance(to: 9_000).isEmpty)
    }

    /// A night without a fix is no fault; the patience begins when the receiver falls silent.
    @Test func silenceIsCountedFromTheLastSign() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 300, at: 0)
        _ = engine.append(sample(value(10)), at: 300)
        for index in 2...40 {
            #expect(engine.append(sample(.noData(.noFix)), at: index * 300).isEmpty)
        }
        #expect(engine.append(sample(.noData(.replyTimeout)), at: 12_300).isEmpty)
        #expect(engine.deadline == 12_000 + 901)
        #expect(names(engine.advance(to: 12_901)) == ["alert raised silent:balcony"])
    }

    @Test func oneAlertForADeviceThatIsWhollySilent() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 300, at: 0)
        _ = engine.append(sample(value(10), value(20)), at: 300)
        #expect(engine.deadline == 300 + 901)
        var events = engine.append(sample(.noData(.replyTimeout), value(20)), at: 600)
        events += engine.append(sample(.noData(.replyTimeout), value(20)), at: 900)
        events += engine.append(sample(.noData(.replyTimeout), value(20)), at: 1_201)
        #expect(names(events) == ["alert raised silent:balcony/pm25"])
        // Now nothing comes at all.
        events = engine.advance(to: 1_201 + 900)
        #expect(events.isEmpty)
        events = engine.advance(to: 1_201 + 901)
        #expect(
            names(events) == [
                "alert raised silent:balcony", "alert resolved silent:balcony/pm25",
            ]
        )
        events = engine.append(sample(value(10), value(20)), at: 2_400)
        #expect(names(events) == ["alert resolved silent:balcony"])
    }

    @Test func anAdapterThatIsPluggedInAgainIsNoAlert() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 60, at: 0)
        _ = engine.append(sample(value(10)), at: 60)
        var events: [AlertEvent] = []
        for time in stride(from: 120, through: 360, by: 60) {
            events += engine.append(sample(.noData(.unplugged)), at: time)
        }
        #expect(events.isEmpty)
        events += engine.append(sample(.noData(.unplugged)), at: 420)
        guard case .raised(let raised)? = events.first else { return #expect(Bool(false)) }
        #expect(raised.why == "unplugged")
    }

    /// It measures each second and warms up for half a minute.
    @Test func anAdapterThatWarmsUpAfterItCameBackIsNoAlert() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 10, at: 0)
        _ = engine.append(sample(value(10)), at: 60)
        var events: [AlertEvent] = []
        for time in 61...106 { events += engine.append(sample(.noData(.unplugged)), at: time) }
        for time in 107...137 { events += engine.append(sample(.noData(.warmingUp)), at: time) }
        #expect(engine.deadline == 61 + 300)
        events += engine.advance(to: 137)
        events += engine.append(sample(value(10)), at: 138)
        #expect(events.isEmpty)
        // It comes back and never measures again.
        for time in 139...150 { events += engine.append(sample(.noData(.unplugged)), at: time) }
        for time in 151...438 { events += engine.append(sample(.noData(.warmingUp)), at: time) }
        #expect(events.isEmpty)
        events += engine.append(sample(.noData(.warmingUp)), at: 439)
        #expect(names(events) == ["alert raised silent:balcony"])
    }

    /// A bGeigie counts its first minute at each start of `live`, and only sends its position then.
    @Test func aPartThatWarmsUpByItselfIsNotSilent() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 60, at: 0)
        _ = engine.append(sample(value(10), value(20)), at: 60)
        engine.expect("balcony", every: 10, at: 70)
        var events: [AlertEvent] = []
        for time in stride(from: 75, to: 135, by: 5) {
            events += engine.append(sample(.noData(.warmingUp), value(20)), at: time)
            events += engine.advance(to: time + 1)
        }
        #expect(events.isEmpty)
        // Whole, as before the first fix.
        for time in stride(from: 135, to: 375, by: 5) {
            events += engine.append(sample(.noData(.warmingUp), .noData(.noFix)), at: time)
        }
        #expect(events.isEmpty && engine.deadline == 75 + 300)
        events = engine.append(sample(.noData(.warmingUp), .noData(.noFix)), at: 375)
        #expect(names(events) == ["alert raised silent:balcony"], "it never becomes warm")
    }

    /// A part that starts to warm up again and again, or that stops answering, counts as silent.
    @Test func aPartThatWarmsUpAgainAndAgainIsSilent() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 10, warmUp: 180, at: 0)
        _ = engine.append(sample(value(10)), at: 10)
        var events: [AlertEvent] = []
        for time in stride(from: 20, to: 500, by: 10) {
            events += engine.append(sample(.noData(.warmingUp)), at: time)
        }
        #expect(events.isEmpty && engine.deadline == 20 + 180 + 300)
        events = engine.append(sample(.noData(.replyTimeout)), at: 490)
        #expect(names(events) == ["alert raised silent:balcony"])
    }

    /// A sensor whose values are doubted from some day on.
    @Test func aFlagThatStaysEndsAnAlertAfterADay() throws {
        var rule = Self.levels[0]
        rule.unless = [.unchanging]
        let engine = Bench([rule])
        #expect(engine.append(sample(value(60)), at: 0).count == 1)
        var events: [AlertEvent] = []
        let doubted = Outcome.value(FixedPoint(60, decimals: 1), [.unchanging])
        for time in stride(from: 300, through: 300 + 86_100, by: 300) {
            events += engine.append(sample(doubted), at: time)
        }
        #expect(events.isEmpty && engine.raised.first?.life.blind?.why == "unchanging")
        events = engine.append(sample(doubted), at: 300 + 86_400)
        guard case .resolved(let resolved)? = events.first else { throw Missing() }
        #expect(resolved.why == .noData && engine.raised.isEmpty)
    }

    @Test func aSensorThatMeasuresIsNotSilentByOtherRules() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 60, at: 0)
        engine.expect("cellar", every: 60, at: 0)
        let cellar = Channel(device: "cellar", quantity: .pm25)
        _ = engine.append([Reading(cellar, at: .boot, value(1))], at: 60)
        for time in stride(from: 60, through: 1_200, by: 60) {
            _ = engine.append(sample(value(10)), at: time)
        }
        _ = engine.advance(to: 1_201)
        #expect(engine.raised.map { "\($0.key)" } == ["silent:cellar"])
        let rules = Self.levels + AlertSet.station.rules
        #expect(engine.use(rules, at: 1_210).isEmpty)
        #expect(engine.advance(to: 1_215).isEmpty)
        #expect(engine.append(sample(value(10)), at: 1_260).isEmpty)
        #expect(engine.raised.map { "\($0.key)" } == ["silent:cellar"])
        #expect(names(engine.advance(to: 1_260 + 181)) == ["alert raised silent:balcony"])
    }

    @Test func aStoreInTroubleHidesSilence() {
        let engine = Bench(AlertSet.station.rules)
        engine.expect("balcony", every: 60, at: 0)
        _ = engine.append(sample(value(10)), at: 60)
        let trouble = AlertReport.trouble(.store, subject: "station", "the card does not write")
        #expect(engine.apply(trouble, at: 70).isEmpty)
        #expect(names(engine.advance(to: 190)) == ["alert raised store:station"])
        #expect(engine.advance(to: 400).isEmpty)
        let silent = engine.tracks.first { $0.key.subject == "balcony" }
        #expect(silent?.hiddenBy == "store:station" && silent?.life.phase == .pending)
        let well = AlertReport.trouble(.store, subject: "station", nil)
        #expect(engine.apply(well, at: 410).isEmpty)
        #expect(
            names(engine.advance(to: 530)) == ["alert resolved store:station"]
        )
        #expect(names(engine.advance(to: 531)) == ["alert raised silent:balcony"])
    }

    @Test func aSevereAlertHidesAMilderOneOfItsChannel() {
        let critical = AlertRule(
            "very-bad",
            [.init("*/pm25", .value(AlertScale([.init(100, until: 90, .critical)])))]
        )
        let engine = Bench([critical] + Self.levels)
        let first = names(engine.append(sample(value(1_200)), at: 10))
        #expect(first == ["alert raised very-bad:balcony/pm25"])
        let second = names(engine.append(sample(value(800)), at: 20))
        #expect(second.contains("alert resolved very-bad:balcony/pm25"))
        #expect(engine.raised.map(\.key.rule) == ["sample-levels"])
    }

    @Test func humidAirNeitherRaisesNorEnds() {
        var rule = Self.levels[0]
        rule.unless = .humid
        let engine = Bench([rule])
        let humid = Outcome.value(FixedPoint(900, decimals: 1), .humid)
        #expect(engine.append(sample(humid), at: 10).isEmpty)
        #expect(engine.append(sample(value(60)), at: 20).count == 1)
        #expect(engine.append(sample(.value(FixedPoint(0, decimals: 1), .humid)), at: 30).isEmpty)
        #expect(engine.append(sample(value(0)), at: 40).count == 1)
    }

    @Test func aMotionIsAnAlertOfTheSetOfThatName() {
        let engine = Bench(AlertSet.motion.rules)
        let events = engine.apply(Event(at: .boot, source: "door", kind: .motion), at: 10)
        #expect(names(events) == ["alert raised motion:door"])
        #expect(names(engine.advance(to: 71)) == ["alert resolved motion:door"])
        guard let first = events.first else { return }
        #expect(NoticeText(first, in: .de)?.title == "Bewegung")
        #expect(!AlertSet.standard.contains(.motion))
    }

    @Test func eventsAreCountedWithinATime() {
        let condition = AlertRule.Condition.event(
            kind: "motion",
            source: "door",
            count: 3,
            within: 60
        )
        let engine = Bench([AlertRule("busy", [.init("*", condition)])])
        func motion(_ source: String) -> Event { Event(at: .boot, source: source, kind: .motion) }
        var events = engine.apply(motion("door"), at: 0) + engine.apply(motion("window"), at: 1)
        events += engine.apply(motion("door"), at: 61) + engine.apply(motion("door"), at: 62)
        #expect(events.isEmpty)
        events = engine.apply(motion("door"), at: 63)
        #expect(names(events) == ["alert raised busy:door"])
        #expect(engine.deadline == 61 + 61)
        #expect(names(engine.advance(to: 122)) == ["alert resolved busy:door"])
        #expect(engine.advance(to: 200).isEmpty && engine.deadline == nil)
    }

    @Test func beyondTheBoundsOneAlertSpeaksForTheRest() {
        let engine = Bench(Self.levels)
        var events: [AlertEvent] = []
        for number in 0..<40 {
            let channel = Channel(device: "d\(number)", quantity: .pm25)
            events += engine.append([Reading(channel, at: .boot, value(100))], at: 10)
        }
        #expect(events.count == 33 && events.last?.key == AlertBounds.many)
        #expect(engine.raised.count == 33)
        var after: [AlertEvent] = []
        for number in 0..<40 {
            let channel = Channel(device: "d\(number)", quantity: .pm25)
            after += engine.append([Reading(channel, at: .boot, value(0))], at: 20)
        }
        #expect(after.count == 33 && engine.raised.isEmpty)
        // Their list has several events, each of which fits a record of the journal.
        for number in 0..<32 {
            let channel = Channel(device: "d\(number)", quantity: .pm25)
            _ = engine.append([Reading(channel, at: .boot, value(100))], at: 30)
        }
        #expect(engine.standing(at: 40).count == 11)
    }

    @Test func aTestIsMarkedAndNumbered() throws {
        let engine = Bench(AlertSet.who24h.rules)
        let event = engine.test("who-24h", value: 31)
        guard case .raised(let raised)? = event else { throw Missing() }
        #expect(raised.flags == ["test"] && raised.number == 1 && raised.value == 31)
        let none = engine.test("nothing", value: nil)
        #expect(none == nil && engine.raised.isEmpty)
    }

    @Test func aSecondTapSendsNoSecondTest() {
        let engine = Bench(AlertSet.who24h.rules)
        #expect(engine.test("who-24h", value: 31, at: 10) != nil)
        #expect(engine.test("who-24h", value: 31, at: 14) == nil)
        #expect(engine.test("who-24h", value: 32, at: 14) != nil)
        #expect(engine.test("who-24h", value: 32, at: 19) != nil)
        // What was measured meanwhile makes no other test of it.
        #expect(engine.test("who-24h", value: 33, asked: 32, at: 20) == nil)
    }

    @Test func patternsFit() {
        #expect(AlertRule.fits("balcony/pm25", "*/pm25") && AlertRule.fits("a/b", "*"))
        #expect(AlertRule.fits("balcony/pm25", "bal*/pm*") && AlertRule.fits("a/b", "a/b"))
        #expect(!AlertRule.fits("balcony/pm25", "*/pm10") && !AlertRule.fits("ab", "a/b"))
    }
}
