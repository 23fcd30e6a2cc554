import Core
import Testing

@testable import Runtime

@Suite struct RestartIntensityTests {
    private func second(_ count: Int) -> MonotonicInstant { .boot.advanced(by: .seconds(count)) }

    @Test func admitsTheLimitWithinAPeriodAndNoMore() {
        var intensity = RestartIntensity(limit: 3, within: .seconds(10))
        let answers = [0, 1, 2, 3, 10, 11, 12, 13, 14].map {
            intensity.admitsRestart(at: second($0))
        }
        // At 10 s the one at 0 s still counts, at 11 s it does not.
        #expect(answers == [true, true, true, false, false, true, true, true, false])
    }

    @Test func aLimitOfZeroAdmitsNone() {
        var intensity = RestartIntensity(limit: 0, within: .seconds(10))
        let answers = [0, 1_000].map { intensity.admitsRestart(at: second($0)) }
        #expect(answers == [false, false])
    }

    @Test func neverAdmitsMoreThanTheLimitInAnyWindow() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<200 {
            let limit = Int.random(in: 0...5, using: &generator)
            let period = Int.random(in: 1...20, using: &generator)
            var intensity = RestartIntensity(limit: limit, within: .seconds(period))
            var (now, admitted) = (0, [Int]())
            for _ in 0..<40 {
                now += Int.random(in: 0...5, using: &generator)
                let inWindow = admitted.filter { now - $0 <= period }.count
                let isAdmitted = intensity.admitsRestart(at: second(now))
                #expect(isAdmitted == (inWindow < limit), "limit \(limit) in \(period) s")
                if isAdmitted { admitted.append(now) }
            }
        }
    }
}

@Suite struct RestartDelayTests {
    @Test func doublesUpToTheMaximumAndForgetsAfterAGoodRun() {
        var generator = SplitMix64(seed: 1)
        var delay = RestartDelay(
            .init(first: .seconds(1), max: .seconds(10), goodRun: .seconds(60))
        )
        for full in [1, 2, 4, 8, 10, 10] {
            let next = delay.next(afterRunning: .seconds(59), using: &generator)
            #expect(next <= .seconds(full) && next >= .seconds(full) * 0.75)
        }
        #expect(delay.attempt == 6)
        let next = delay.next(afterRunning: .seconds(60), using: &generator)
        #expect(next <= .seconds(1))
        #expect(delay.attempt == 1)
    }

    @Test func staysAtTheMaximumForEver() {
        var generator = SplitMix64(seed: 1)
        var delay = RestartDelay(RestartDelay.Growth())
        for _ in 0..<1_000 { _ = delay.next(afterRunning: .zero, using: &generator) }
        let last = delay.next(afterRunning: .zero, using: &generator)
        #expect(last <= .minutes(5) && last >= .seconds(225))
    }

    @Test func withoutADelayThereIsNone() {
        var generator = SplitMix64(seed: 1)
        var delay = RestartDelay(.none)
        for _ in 0..<100 {
            let next = delay.next(afterRunning: .zero, using: &generator)
            #expect(next == .zero)
        }
    }
}
