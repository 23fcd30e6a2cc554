import Core
import Testing

@testable import Runtime

@Suite struct WakePlanTests {
    private struct Window: CustomStringConvertible {
        let opens: Int
        let closes: Int
        var description: String { "\(opens)…\(closes)" }
    }

    private func second(_ count: Int) -> MonotonicInstant { .boot.advanced(by: .seconds(count)) }

    private func plan(_ windows: [Window]) -> WakePlan<Int> {
        var plan = WakePlan<Int>()
        for (index, window) in windows.enumerated() {
            let tolerance = Duration.seconds(window.closes - window.opens)
            _ = plan.add(from: second(window.opens), tolerance: tolerance, index)
        }
        return plan
    }

    /// The fewest instants that meet every window, by trying all sets of window ends.
    private func fewestWakeUps(_ windows: [Window]) -> Int {
        let ends = Set(windows.map(\.closes)).sorted()
        let counts = (0..<(1 << ends.count)).lazy.filter { set in
            windows.allSatisfy { window in
                ends.indices.contains { index in
                    set & (1 << index) != 0
                        && (window.opens...window.closes).contains(ends[index])
                }
            }
        }.map(\.nonzeroBitCount)
        return counts.min() ?? 0
    }

    @Test func wakesAsRarelyAsBruteForceCan() {
        let seed: UInt64 = 42
        var generator = SplitMix64(seed: seed)
        for number in 0..<500 {
            let windows = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                let opens = Int.random(in: 0...40, using: &generator)
                return Window(
                    opens: opens,
                    closes: opens + Int.random(in: 0...15, using: &generator)
                )
            }
            var plan = plan(windows)
            var (wakeUps, served) = (0, Set<Int>())
            while let wake = plan.nextWake {
                wakeUps += 1
                for index in plan.takeOpen(at: wake) {
                    let window = windows[index]
                    let isInTime = second(window.opens) <= wake && wake <= second(window.closes)
                    #expect(isInTime, "seed \(seed), case \(number): \(windows)")
                    served.insert(index)
                }
            }
            #expect(served.count == windows.count, "seed \(seed), case \(number): \(windows)")
            #expect(
                wakeUps == fewestWakeUps(windows),
                "seed \(seed), case \(number): \(windows)"
            )
        }
    }

    @Test func equalWindowsAreServedInTheOrderTheyCame() {
        var plan = plan((0..<5).map { _ in Window(opens: 3, closes: 7) })
        let (early, due) = (plan.takeOpen(at: second(2)), plan.takeOpen(at: second(3)))
        #expect(early.isEmpty)
        #expect(due == [0, 1, 2, 3, 4])
        #expect(plan.isEmpty)
    }

    @Test func theWindowThatClosesFirstIsServedFirst() {
        var plan = plan([
            Window(opens: 0, closes: 9), Window(opens: 0, closes: 3), Window(opens: 5, closes: 6),
        ])
        #expect(plan.nextWake == second(3))
        let due = plan.takeOpen(at: second(3))
        #expect(due == [1, 0])
        #expect(plan.nextWake == second(6))
    }

    @Test func aWindowThatIsMovedKeepsItsTicket() {
        var plan = WakePlan<Int>()
        let first = plan.add(from: second(1), tolerance: .zero, 1)
        _ = plan.add(from: second(2), tolerance: .zero, 2)
        plan.move(to: second(3), tolerance: second(0).duration(to: second(1))) { $0 == 1 }
        plan.move(to: second(9), tolerance: .zero) { $0 == 7 }
        #expect(plan.nextWake == second(2))
        #expect(plan.takeOpen(at: second(2)) == [2])
        #expect(plan.nextWake == second(4))
        plan.remove(first)
        #expect(plan.isEmpty)
    }

    @Test func aRemovedWindowWakesNobodyAndIsForgottenTwice() {
        var plan = WakePlan<Int>()
        let first = plan.add(from: second(1), tolerance: .zero, 1)
        _ = plan.add(from: second(2), tolerance: .zero, 2)
        plan.remove(first)
        plan.remove(first)
        #expect(plan.count == 1)
        #expect(plan.nextWake == second(2))
    }
}

@Suite struct DutyCycleTests {
    @Test func theShareCountsWarmUpAndWindow() {
        let cycle = DutyCycle(
            period: .minutes(5),
            warmUp: .seconds(28),
            window: .seconds(2),
            tolerance: .seconds(10)
        )
        #expect(cycle.awakeShare == 0.1)
    }

    @Test func aCycleWithoutRestIsAllowedToTheLastSecond() {
        let cycle = DutyCycle(
            period: .seconds(30),
            warmUp: .seconds(20),
            window: .seconds(10),
            tolerance: .zero
        )
        #expect(cycle.awakeShare == 1)
    }
}
