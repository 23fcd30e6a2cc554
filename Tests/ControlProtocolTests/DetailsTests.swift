import Testing

@testable import ControlProtocol
@testable import Core

@Suite struct DetailsTests {
    private func read(_ stored: [Event.Detail]) -> Details { Details(stored.compactMap(\.fact)) }

    @Test func numbersAreNumbersAndNamesSayWhatTheyMeasure() throws {
        let details = read([
            .init("child", "dust"), .init("restarts", "2"), .init("delay", "0.250 s"),
            .init("long", "yes"), .init("doubts", "ceiling, unchanging"), .init("from", "125"),
        ])
        let line = try ControlCodec.line(details)
        let expected =
            #"{"child":"dust","delaySeconds":0.25,"doubts":["ceiling","unchanging"],"#
            + #""fromSeconds":12.5,"isLong":true,"restartCount":2}"#
        #expect(line == expected)
        #expect(try ControlCodec.message(Details.self, from: line) == details)
    }

    @Test func anIDOfDigitsAloneStaysText() throws {
        let details = read([.init("id", "1160"), .init("was", "1E60"), .init("firmware", "18")])
        let line = try ControlCodec.line(details)
        #expect(line == #"{"firmware":"18","id":"1160","was":"1E60"}"#)
    }

    @Test func whatIsNotKnownIsLeftOut() throws {
        let details = read([.init("id", "unknown"), .init("firmware", "unknown")])
        #expect(details.isEmpty)
    }

    @Test func aTextThatIsNoNumberStaysUnderItsOwnName() throws {
        let details = read([.init("restarts", "many"), .init("last trouble", "no answer")])
        let line = try ControlCodec.line(details)
        #expect(line == #"{"lastTrouble":"no answer","restarts":"many"}"#)
    }

    /// A fact has one text in the store, and is read from it as it was.
    @Test func aFactIsReadBackFromItsText() {
        let facts = [
            Fact("awakeSeconds", 12), Fact("delaySeconds", 0.25), Fact("isAcknowledging", false),
            Fact("lastMotionAgeSeconds", 3.5), Fact("deviceError", "reported"),
            Fact("doubts", ["ceiling", "unchanging"]), Fact("restartCount", 2),
        ]
        let stored = [
            ("awake", "12 s"), ("delay", "0.250 s"), ("acknowledges", "no"),
            ("last motion", "3.500 s ago"), ("device error", "reported"),
            ("doubts", "ceiling, unchanging"), ("restarts", "2"),
        ]
        #expect(facts.map(Event.Detail.init) == stored.map { Event.Detail($0.0, $0.1) })
        #expect(facts.compactMap { Event.Detail($0).fact } == facts)
    }

    @Test func aLongTextIsCut() {
        let details = Details([Fact("path", "abcdef")], longest: 3)
        #expect(details["path"] == .text("abc"))
    }

    @Test func everyRowHasANameOfTheDialect() {
        #expect(Set(FactRow.all.map(\.name)).count == FactRow.all.count)
        for row in FactRow.all {
            #expect(row.name.wholeMatch(of: #/[a-z][A-Za-z0-9]*/#) != nil)
            switch row.kind {
            case .seconds, .ago, .tenths: #expect(row.name.hasSuffix("Seconds"))
            case .truth: #expect(row.name.hasPrefix("is") || row.name.hasPrefix("has"))
            case .number, .list, .known, .text: break
            }
        }
    }
}
