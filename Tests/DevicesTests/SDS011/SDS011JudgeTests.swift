import Core
import Devices
import Testing

@Suite struct SDS011JudgeTests {
    private func pair(_ pm25: UInt16, _ pm10: UInt16) -> SDS011Measurement {
        SDS011Measurement(pm25Tenths: pm25, pm10Tenths: pm10)
    }

    @Test func flagsThenRefusesAPairThatNeverChanges() {
        var judge = SDS011Judge()
        let verdicts = (0..<13).map { _ in judge.judge(pair(9, 9), by: .dutyCycle) }
        #expect(verdicts[1].pm25 == .value(0.9))
        #expect(verdicts[2].pm25 == .value(0.9, .unchanging))
        #expect(verdicts[2].begun == [.unchanging])
        #expect(verdicts[10].pm10 == .value(0.9, .unchanging))
        #expect(verdicts[11].pm10 == .noData(.stuck))
        #expect(verdicts[11].begun == [.stuck] && verdicts[11].ended == [.unchanging])
        #expect(verdicts[12].begun.isEmpty)
        let next = judge.judge(pair(9, 10), by: .dutyCycle)
        #expect(next.pm10 == .value(1.0) && next.ended == [.stuck])
    }

    @Test func believesAMedianThatStaysTheSameOfFramesThatMove() {
        var judge = SDS011Judge()
        for _ in 0..<13 { _ = judge.judge(pair(9, 9), by: .dutyCycle) }
        let next = judge.judge(pair(9, 9), hasMoved: true, by: .dutyCycle)
        #expect(next.pm25 == .value(0.9) && next.ended == [.stuck])
    }

    @Test func takesZerosForWarmingUpAndDoubtsThemAtLast() {
        var judge = SDS011Judge()
        let verdicts = (0..<4).map { _ in judge.judge(.zero, by: .dutyCycle) }
        #expect(verdicts.allSatisfy { $0.pm25 == .noData(.warmingUp) })
        #expect(verdicts.map(\.begun) == [[], [], [.zeros], []])
    }

    @Test func flagsTheCeilingAndNeverCallsItStuck() {
        var judge = SDS011Judge()
        let verdicts = (0..<20).map { _ in judge.judge(.ceiling, by: .dutyCycle) }
        #expect(verdicts.allSatisfy { $0.pm25 == .value(999.9, .ceiling) })
        #expect(verdicts.flatMap(\.begun) == [.ceiling])
    }

    @Test func flagsFineDustAboveAllDust() {
        var judge = SDS011Judge()
        let verdict = judge.judge(pair(20, 10), by: .live)
        #expect(verdict.pm25 == .value(2.0, .inconsistent))
    }

    @Test func takesTheMedianOfEachValueByItself() {
        let measurements = [pair(10, 90), pair(9_000, 20), pair(30, 40)]
        #expect(SDS011Judge.median(of: measurements) == pair(30, 40))
        #expect(SDS011Judge.median(of: [pair(1, 2), pair(3, 1)]) == pair(1, 1))
        #expect(SDS011Judge.median(of: []) == nil)
    }
}
