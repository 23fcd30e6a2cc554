import Camera
import ControlProtocol
import Testing

@Suite struct MaskClockTests {
    @Test func aMaskNeedsAClockThatIsTrusted() throws {
        let all = try ["00:00-12:00", "12:00-00:00"].map { try #require(MaskTime($0)) }
        let clock = MaskClock(all)
        #expect(clock.refusal()?.why?.contains("not trusted") == true)
        clock.set(isSure: true)
        #expect(clock.refusal()?.state == .masked)
        let none = MaskClock([])
        #expect(none.refusal() == nil && !none.holds(at: 0, isSure: false))
        // Half of each day is not masked.
        let half = MaskClock([all[0]])
        half.set(isSure: true)
        let (day, noon) = (20_000 * 86_400, 20_000 * 86_400 + 43_200)
        #expect((half.refusal(at: day) == nil) != (half.refusal(at: noon) == nil))
        #expect(half.holds(at: day, isSure: false) && half.holds(at: noon, isSure: false))
        // 1970, from a clock that claims to be synchronised.
        for instant in [0, 43_200] {
            #expect(half.refusal(at: instant)?.why?.contains("not trusted") == true)
        }
    }
}
