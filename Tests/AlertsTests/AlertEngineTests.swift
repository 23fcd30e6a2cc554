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
        let book = Bench(AlertSet.who24h.rules)
        var events: [AlertEvent] = []
        for index in 1...288 { events += book.append(sample(value(161)), at: index * 300) }
        guard case .raised(let raised)? = events.first else { throw Missing() }
        #expect(events.count == 1)
        #expect(raised.number == 1 && "\(raised.key)" == "who-24h:balcony/pm25")
        #expect(raised.value == 16.1 && raised.limit == 15 && raised.unit == "µg/m³")
        #expect(raised.over == 86_400 && raised.severity == .warning && raised.kind == "mean")
        // Three quarters of a day are enough.
        #expect(book.raised[0].life.raisedAt == 216 * 300)
    }

    private struct Missing: Error {}

    /// Events as the store returns them are the events that went in.
    @Test func eventsOutliveTheStore() throws {
        let book = Bench(Self.levels)
        var events = book.append(sample(value(60), value(200)), at: 100)
        let acknowledged = book.acknowledge(1, by: "pi", for: 600, at: 110)
        let key = AlertEvent.Key("sample-levels", "balcony/pm10")
        let silenced = book.silence(key, for: 60, by: "pi", at: 110)
        events += [try #require(acknowledged), try #require(silenced)]
        events += book.standing(at: 120)
        events += book.append(sample(value(0), value(0)), at: 400)
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
        let book = Bench(Self.levels)
        var past = RestoredAlerts()
        for event in book.append(sample(value(60), value(200)), at: 100) {
            past.apply(event, at: 100)
        }
        let acknowledged = book.acknowledge(2, by: "pi", for: nil, at: 110)
        past.apply(try #require(acknowledged), at: 110)
        for event in book.standing(at: 120) { past.apply(event, at: 120) }
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
        let book = Bench(Self.levels)
        _ = book.append(sample(value(60)), at: 100)
        let events = book.use(AlertSet.who24h.rules, at: 200)
        guard case .resolved(let resolved)? = events.first else { throw Missing() }
        #expect(resolved.why == .ruleRemoved && book.raised.isEmpty)
    }

    /// Its name is at the beginning of another's, whose alerts go on.
    @Test func alertsOfADeviceThatIsRemovedEnd() {
        let book = Bench(Self.levels + AlertSet.station.rules)
        book.expect("balcony", every: 300, at: 0)
        book.expect("balcony2", every: 300, at: 0)
        let other = Channel(device: "balcony2", quantity: .pm25)
        _ = book.append(sample(value(60)), at: 300)
        _ = book.append([Reading(other, at: .boot, value(60))], at: 300)
        _ = book.advance(to: 1_300)
        #expect(book.raised.map { "\($0.key)" }.contains("silent:balcony"))
        let events = book.remove("balcony", at: 1_400)
        let why = events.compactMap { event -> AlertEvent.Resolved.Reason? in
            if case .resolved(let resolved) = event { resolved.why } else { nil }
        }
        #expect(why == [.deviceRemoved, .deviceRemoved])
        #expect(book.raised.allSatisfy { $0.key.subject.hasPrefix("balcony2") })
        #expect(!book.raised.isEmpty && book.advance(to: 9_000).isEmpty)
    }

    /// A night without a fix is no fault; the patience begins when the receiver falls silent.
    @Test func silenceIsCountedFromTheLastSign() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 300, at: 0)
        _ = book.append(sample(value(10)), at: 300)
        for index in 2...40 {
            #expect(book.append(sample(.noData(.noFix)), at: index * 300).isEmpty)
        }
        #expect(book.append(sample(.noData(.replyTimeout)), at: 12_300).isEmpty)
        #expect(book.deadline == 12_000 + 901)
        #expect(names(book.advance(to: 12_901)) == ["alert raised silent:balcony"])
    }

    @Test func oneAlertForADeviceThatIsWhollySilent() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 300, at: 0)
        _ = book.append(sample(value(10), value(20)), at: 300)
        #expect(book.deadline == 300 + 901)
        var events = book.append(sample(.noData(.replyTimeout), value(20)), at: 600)
        events += book.append(sample(.noData(.replyTimeout), value(20)), at: 900)
        events += book.append(sample(.noData(.replyTimeout), value(20)), at: 1_201)
        #expect(names(events) == ["alert raised silent:balcony/pm25"])
        // Now nothing comes at all.
        events = book.advance(to: 1_201 + 900)
        #expect(events.isEmpty)
        events = book.advance(to: 1_201 + 901)
        #expect(
            names(events) == [
                "alert raised silent:balcony", "alert resolved silent:balcony/pm25",
            ]
        )
        events = book.append(sample(value(10), value(20)), at: 2_400)
        #expect(names(events) == ["alert resolved silent:balcony"])
    }

    @Test func anAdapterThatIsPluggedInAgainIsNoAlert() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 60, at: 0)
        _ = book.append(sample(value(10)), at: 60)
        var events: [AlertEvent] = []
        for time in stride(from: 120, through: 360, by: 60) {
            events += book.append(sample(.noData(.unplugged)), at: time)
        }
        #expect(events.isEmpty)
        events += book.append(sample(.noData(.unplugged)), at: 420)
        guard case .raised(let raised)? = events.first else { return #expect(Bool(false)) }
        #expect(raised.why == "unplugged")
    }

    /// It measures each second and warms up for half a minute.
    @Test func anAdapterThatWarmsUpAfterItCameBackIsNoAlert() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 10, at: 0)
        _ = book.append(sample(value(10)), at: 60)
        var events: [AlertEvent] = []
        for time in 61...106 { events += book.append(sample(.noData(.unplugged)), at: time) }
        for time in 107...137 { events += book.append(sample(.noData(.warmingUp)), at: time) }
        #expect(book.deadline == 61 + 300)
        events += book.advance(to: 137)
        events += book.append(sample(value(10)), at: 138)
        #expect(events.isEmpty)
        // It comes back and never measures again.
        for time in 139...150 { events += book.append(sample(.noData(.unplugged)), at: time) }
        for time in 151...438 { events += book.append(sample(.noData(.warmingUp)), at: time) }
        #expect(events.isEmpty)
        events += book.append(sample(.noData(.warmingUp)), at: 439)
        #expect(names(events) == ["alert raised silent:balcony"])
    }

    /// A bGeigie counts its first minute at each start of `live`, and only sends its position then.
    @Test func aPartThatWarmsUpByItselfIsNotSilent() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 60, at: 0)
        _ = book.append(sample(value(10), value(20)), at: 60)
        book.expect("balcony", every: 10, at: 70)
        var events: [AlertEvent] = []
        for time in stride(from: 75, to: 135, by: 5) {
            events += book.append(sample(.noData(.warmingUp), value(20)), at: time)
            events += book.advance(to: time + 1)
        }
        #expect(events.isEmpty)
        // Whole, as before the first fix.
        for time in stride(from: 135, to: 375, by: 5) {
            events += book.append(sample(.noData(.warmingUp), .noData(.noFix)), at: time)
        }
        #expect(events.isEmpty && book.deadline == 75 + 300)
        events = book.append(sample(.noData(.warmingUp), .noData(.noFix)), at: 375)
        #expect(names(events) == ["alert raised silent:balcony"], "it never becomes warm")
    }

    /// A part that starts to warm up again and again, or that stops answering, counts as silent.
    @Test func aPartThatWarmsUpAgainAndAgainIsSilent() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 10, warmUp: 180, at: 0)
        _ = book.append(sample(value(10)), at: 10)
        var events: [AlertEvent] = []
        for time in stride(from: 20, to: 500, by: 10) {
            events += book.append(sample(.noData(.warmingUp)), at: time)
        }
        #expect(events.isEmpty && book.deadline == 20 + 180 + 300)
        events = book.append(sample(.noData(.replyTimeout)), at: 490)
        #expect(names(events) == ["alert raised silent:balcony"])
    }

    /// A sensor whose values are doubted from some day on.
    @Test func aFlagThatStaysEndsAnAlertAfterADay() throws {
        var rule = Self.levels[0]
        rule.unless = [.unchanging]
        let book = Bench([rule])
        #expect(book.append(sample(value(60)), at: 0).count == 1)
        var events: [AlertEvent] = []
        let doubted = Outcome.value(FixedPoint(60, decimals: 1), [.unchanging])
        for time in stride(from: 300, through: 300 + 86_100, by: 300) {
            events += book.append(sample(doubted), at: time)
        }
        #expect(events.isEmpty && book.raised.first?.life.blind?.why == "unchanging")
        events = book.append(sample(doubted), at: 300 + 86_400)
        guard case .resolved(let resolved)? = events.first else { throw Missing() }
        #expect(resolved.why == .noData && book.raised.isEmpty)
    }

    @Test func aSensorThatMeasuresIsNotSilentByOtherRules() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 60, at: 0)
        book.expect("cellar", every: 60, at: 0)
        let cellar = Channel(device: "cellar", quantity: .pm25)
        _ = book.append([Reading(cellar, at: .boot, value(1))], at: 60)
        for time in stride(from: 60, through: 1_200, by: 60) {
            _ = book.append(sample(value(10)), at: time)
        }
        _ = book.advance(to: 1_201)
        #expect(book.raised.map { "\($0.key)" } == ["silent:cellar"])
        let rules = Self.levels + AlertSet.station.rules
        #expect(book.use(rules, at: 1_210).isEmpty)
        #expect(book.advance(to: 1_215).isEmpty)
        #expect(book.append(sample(value(10)), at: 1_260).isEmpty)
        #expect(book.raised.map { "\($0.key)" } == ["silent:cellar"])
        #expect(names(book.advance(to: 1_260 + 181)) == ["alert raised silent:balcony"])
    }

    @Test func aStoreInTroubleHidesSilence() {
        let book = Bench(AlertSet.station.rules)
        book.expect("balcony", every: 60, at: 0)
        _ = book.append(sample(value(10)), at: 60)
        let trouble = AlertReport.trouble(.store, subject: "station", "the card does not write")
        #expect(book.apply(trouble, at: 70).isEmpty)
        #expect(names(book.advance(to: 190)) == ["alert raised store:station"])
        #expect(book.advance(to: 400).isEmpty)
        let silent = book.tracks.first { $0.key.subject == "balcony" }
        #expect(silent?.hiddenBy == "store:station" && silent?.life.phase == .pending)
        let well = AlertReport.trouble(.store, subject: "station", nil)
        #expect(book.apply(well, at: 410).isEmpty)
        #expect(
            names(book.advance(to: 530)) == ["alert resolved store:station"]
        )
        #expect(names(book.advance(to: 531)) == ["alert raised silent:balcony"])
    }

    @Test func aSevereAlertHidesAMilderOneOfItsChannel() {
        let critical = AlertRule(
            "very-bad",
            [.init("*/pm25", .value(AlertScale([.init(100, until: 90, .critical)])))]
        )
        let book = Bench([critical] + Self.levels)
        let first = names(book.append(sample(value(1_200)), at: 10))
        #expect(first == ["alert raised very-bad:balcony/pm25"])
        let second = names(book.append(sample(value(800)), at: 20))
        #expect(second.contains("alert resolved very-bad:balcony/pm25"))
        #expect(book.raised.map(\.key.rule) == ["sample-levels"])
    }

    @Test func humidAirNeitherRaisesNorEnds() {
        var rule = Self.levels[0]
        rule.unless = .humid
        let book = Bench([rule])
        let humid = Outcome.value(FixedPoint(900, decimals: 1), .humid)
        #expect(book.append(sample(humid), at: 10).isEmpty)
        #expect(book.append(sample(value(60)), at: 20).count == 1)
        #expect(book.append(sample(.value(FixedPoint(0, decimals: 1), .humid)), at: 30).isEmpty)
        #expect(book.append(sample(value(0)), at: 40).count == 1)
    }

    @Test func aMotionIsAnAlertOfTheSetOfThatName() {
        let book = Bench(AlertSet.motion.rules)
        let events = book.apply(Event(at: .boot, source: "door", kind: .motion), at: 10)
        #expect(names(events) == ["alert raised motion:door"])
        #expect(names(book.advance(to: 71)) == ["alert resolved motion:door"])
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
        let book = Bench([AlertRule("busy", [.init("*", condition)])])
        func motion(_ source: String) -> Event { Event(at: .boot, source: source, kind: .motion) }
        var events = book.apply(motion("door"), at: 0) + book.apply(motion("window"), at: 1)
        events += book.apply(motion("door"), at: 61) + book.apply(motion("door"), at: 62)
        #expect(events.isEmpty)
        events = book.apply(motion("door"), at: 63)
        #expect(names(events) == ["alert raised busy:door"])
        #expect(book.deadline == 61 + 61)
        #expect(names(book.advance(to: 122)) == ["alert resolved busy:door"])
        #expect(book.advance(to: 200).isEmpty && book.deadline == nil)
    }

    @Test func beyondTheBoundsOneAlertSpeaksForTheRest() {
        let book = Bench(Self.levels)
        var events: [AlertEvent] = []
        for number in 0..<40 {
            let channel = Channel(device: "d\(number)", quantity: .pm25)
            events += book.append([Reading(channel, at: .boot, value(100))], at: 10)
        }
        #expect(events.count == 33 && events.last?.key == AlertBounds.many)
        #expect(book.raised.count == 33)
        var after: [AlertEvent] = []
        for number in 0..<40 {
            let channel = Channel(device: "d\(number)", quantity: .pm25)
            after += book.append([Reading(channel, at: .boot, value(0))], at: 20)
        }
        #expect(after.count == 33 && book.raised.isEmpty)
        // Their list has several events, each of which fits a record of the journal.
        for number in 0..<32 {
            let channel = Channel(device: "d\(number)", quantity: .pm25)
            _ = book.append([Reading(channel, at: .boot, value(100))], at: 30)
        }
        #expect(book.standing(at: 40).count == 11)
    }

    @Test func aTestIsMarkedAndNumbered() throws {
        let book = Bench(AlertSet.who24h.rules)
        let event = book.test("who-24h", value: 31)
        guard case .raised(let raised)? = event else { throw Missing() }
        #expect(raised.flags == ["test"] && raised.number == 1 && raised.value == 31)
        let none = book.test("nothing", value: nil)
        #expect(none == nil && book.raised.isEmpty)
    }

    @Test func patternsFit() {
        #expect(AlertRule.fits("balcony/pm25", "*/pm25") && AlertRule.fits("a/b", "*"))
        #expect(AlertRule.fits("balcony/pm25", "bal*/pm*") && AlertRule.fits("a/b", "a/b"))
        #expect(!AlertRule.fits("balcony/pm25", "*/pm10") && !AlertRule.fits("ab", "a/b"))
    }
}
