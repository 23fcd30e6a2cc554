import Testing

@testable import Core
@testable import Devices

@Suite struct RecoveryPolicyTests {
    @Test func goesDownRungByRungAndNeverGivesUp() {
        var ladder = RecoveryPolicy()
        let steps = (0..<20).map { _ in ladder.fail(at: .boot) }
        let delays: [Int64] = [5, 10, 20, 40, 80, 160, 300, 300]
        let expected: [RecoveryPolicy.Step] =
            [.remedy(.askAgain), .remedy(.reopen), .remedy(.restAndWake), .report]
            + delays.flatMap { [.wait(.seconds($0)), .remedy(.reopen)] }
        #expect(steps == expected)
    }

    /// What hangs on a bus may be another part, so a look is due soon.
    @Test func waitsAQuarterOfAMinuteAtMostForAPartOnABus() {
        var ladder = RecoveryPolicy(delayMax: RecoveryPolicy.busDelayMax)
        let delays = (0..<40).compactMap { _ -> Duration? in
            if case .wait(let delay) = ladder.fail(at: .boot) { delay } else { nil }
        }
        #expect(Array(delays.prefix(4)) == [5, 10, 15, 15].map { Duration.seconds($0) })
        #expect(delays.max() == .seconds(15))
        #expect(ladder.succeed(at: .boot) == .zero)
        #expect(ladder == RecoveryPolicy(delayMax: RecoveryPolicy.busDelayMax))
    }

    @Test func saysHowLongANamedOutageLasted() {
        var ladder = RecoveryPolicy()
        for second in 0..<4 { _ = ladder.fail(at: .boot.advanced(by: .seconds(second))) }
        #expect(ladder.isReported)
        #expect(ladder.succeed(at: .boot.advanced(by: .seconds(60))) == .seconds(60))
        #expect(ladder == RecoveryPolicy())
    }

    @Test func saysNothingOfAnOutageThatARemedyEnded() {
        var ladder = RecoveryPolicy()
        _ = ladder.fail(at: .boot)
        #expect(ladder.remedy == .askAgain)
        #expect(ladder.succeed(at: .boot) == nil)
        #expect(ladder.remedy == nil)
    }
}
