import ControlProtocol
import Testing

@testable import StoreQueries
@testable import roost

@Suite struct StationUnreachableTests {
    @Test func theStateIsBehindTheNameWhateverTheNameIs() {
        #expect(StationUnreachable.state("812 (roostd) T 1 812 812 0 -1") == "T")
        #expect(StationUnreachable.state("812 (a) S (b) D 1 812 812 0 -1") == "D")
        #expect(StationUnreachable.state("") == nil)
    }

    @Test func aStoppedProcessIsNamedWithItsNextStep() {
        let words = StationUnreachable.reason(812, state: "T")
        #expect(words.contains("812 is stopped") && words.contains("kill -CONT 812"))
        #expect(StationUnreachable.reason(812, state: nil).contains("has ended"))
        #expect(StationUnreachable.reason(812, state: "S").contains("journalctl -u roostd"))
    }

    @Test func aGroupIsNamedWithTheCommandThatJoinsIt() {
        #expect(Permission.nextStep(group: "roost").contains("sudo adduser $USER roost"))
        #expect(Permission.nextStep(group: "root") == "use sudo")
        #expect(Permission.nextStep(group: nil) == "use sudo")
    }
}
