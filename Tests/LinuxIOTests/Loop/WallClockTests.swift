import CLinux
import Testing

@testable import LinuxIO

@Suite struct WallClockTests {
    @Test(arguments: [
        (Int32(0), Int32(0), true), (0, STA_PLL, true), (0, STA_UNSYNC, false),
        (TIME_ERROR, 0, false), (-1, 0, false),
    ])
    func believesTheKernelAlone(result: Int32, status: Int32, isSynchronised: Bool) {
        #expect(
            WallClock.isSynchronised(result: result, status: status) == isSynchronised
        )
    }
}
