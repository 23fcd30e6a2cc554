import Core
import Testing

@testable import ControlProtocol

@Suite struct DetailsTests {
    @Test func numbersAreNumbersAndNamesSayWhatTheyMeasure() throws {
        let details = Details([
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
        let details = Details([.init("id", "1160"), .init("was", "1E60"), .init("firmware", "18")])
        let line = try ControlCodec.line(details)
        #expect(line == #"{"firmware":"18","id":"1160","was":"1E60"}"#)
    }

    @Test func whatIsNotKnownIsLeftOut() throws {
        let details = Details([.init("id", "unknown"), .init("firmware", "unknown")])
        #expect(details.isEmpty)
    }

    @Test func aTextThatIsNoNumberStaysUnderItsOwnName() throws {
        let details = Details([.init("restarts", "many"), .init("last trouble", "no answer")])
        let line = try ControlCodec.line(details)
        #expect(line == #"{"lastTrouble":"no answer","restarts":"many"}"#)
    }

    @Test func peopleReadWhatTheStationSaid() {
        let pairs: [Event.Detail] = [
            .init("laser time", "12 s"), .init("frames", "40"), .init("acknowledges", "no"),
            .init("last motion", "3.500 s ago"), .init("from boot", "ab12"),
        ]
        #expect(Details(pairs).pairs == pairs)
        #expect(Details(Array(pairs.prefix(2).reversed())).line == "laser time=12 s frames=40")
    }

    @Test func aLongTextIsCut() {
        let details = Details([.init("path", "abcdef")], longest: 3)
        #expect(details["path"] == .text("abc"))
    }

    @Test func everyRowHasANameOfTheDialect() {
        #expect(DetailRow.byName.count == DetailRow.all.count)
        for row in DetailRow.all {
            #expect(row.name.wholeMatch(of: #/[a-z][A-Za-z0-9]*/#) != nil)
            switch row.kind {
            case .seconds, .ago, .tenths: #expect(row.name.hasSuffix("Seconds"))
            case .truth: #expect(row.name.hasPrefix("is") || row.name.hasPrefix("has"))
            case .number, .list, .known, .text: break
            }
        }
    }
}
