import ControlProtocol
import Testing

@testable import roost

@Suite struct ClaimTextTests {
    @Test func saysWhereAndWhichCode() {
        let report = ClaimReport(
            code: "K7QF-M2PX",
            seconds: 900,
            addresses: ["http://balcony.local", "http://balcony.local:8088"],
            claimedBy: nil,
            claimedAt: nil,
            removedCount: nil
        )
        #expect(
            ClaimCommand.lines(report) == [
                "open        http://balcony.local", "or          http://balcony.local:8088",
                "the code is K7QF-M2PX", "good for 15 min and 5 tries",
            ]
        )
    }

    @Test func saysWhoHasTheStation() {
        let report = ClaimReport(
            code: nil,
            seconds: nil,
            addresses: ["http://balcony.local"],
            claimedBy: "Anna",
            claimedAt: "2026-11-22T04:00:00Z",
            removedCount: nil
        )
        let words = ClaimCommand.lines(report)
        #expect(words[0].contains("claimed by Anna at 2026-11-22T04:00:00Z"))
        #expect(words[1].hasSuffix("roost claim --reset"))
    }
}
