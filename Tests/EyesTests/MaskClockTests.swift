import ControlProtocol
import Motions
import Testing

@Suite struct MaskClockTests {
    @Test func aMaskNeedsAClockThatIsTrusted() throws {
        let all = try ["00:00-12:00", "12:00-00:00"].map { try #require(MaskTime($0)) }
        let clock = MaskClock(all)
        #expect(clock.refusal()?.why?.contains("not trusted") == true)
        clock.note(isSure: true)
        #expect(clock.refusal()?.state == .masked)
        let none = MaskClock([])
        #expect(none.refusal() == nil && !none.holds(at: 0, isSure: false))
        // Half of each day is open.
        let half = MaskClock([all[0]])
        half.note(isSure: true)
        #expect((half.refusal(at: 0) == nil) != (half.refusal(at: 43_200) == nil))
        #expect(half.holds(at: 0, isSure: false) && half.holds(at: 43_200, isSure: false))
    }
}
