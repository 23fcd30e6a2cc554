import Core
import Testing

@testable import Station

@Suite struct LogBudgetTests {
    @Test func letsABurstThroughAndThenALineAMinute() {
        var budget = LogBudget()
        var written = 0
        for second in 0..<3_600 {
            let now = MonotonicInstant.boot.advanced(by: .seconds(second))
            if case .write = budget.admit(at: now) { written += 1 }
        }
        #expect(written == LogBudget.burst + 59)
    }

    @Test func losesNoPartOfAMinute() {
        var budget = LogBudget()
        for _ in 0..<LogBudget.burst { _ = budget.admit(at: .boot) }
        let seconds = [59, 90, 119, 120, 150]
        let isWritten = seconds.map { second in
            budget.admit(at: .boot.advanced(by: .seconds(second))) != .omit
        }
        #expect(isWritten == [false, true, false, true, false])
    }

    @Test func tellsHowManyWereLeftOut() {
        var budget = LogBudget()
        for _ in 0..<LogBudget.burst + 5 { _ = budget.admit(at: .boot) }
        let verdict = budget.admit(at: .boot.advanced(by: .minutes(1)))
        #expect(verdict == .write(omittedBefore: 5))
    }
}
