import Core
import HardwareIO
import Testing

@testable import LinuxIO

@Suite struct GPIODebouncerTests {
    @Test func tellsAnEdgeOnceItsLineWasStill() {
        var debouncer = GPIODebouncer(
            period: .milliseconds(50),
            detection: .both,
            values: [false]
        )
        #expect(debouncer.apply([edge(true, at: 100)]).isEmpty)
        #expect(debouncer.nextDue == instant(150))
        #expect(debouncer.settle(before: instant(149)).isEmpty)
        #expect(debouncer.settle(before: instant(150)) == [edge(true, at: 150, sequence: 1)])
        #expect(debouncer.nextDue == nil)
    }

    @Test func forgetsAPulseThatWasShorterThanThePeriod() {
        var debouncer = GPIODebouncer(
            period: .milliseconds(50),
            detection: .both,
            values: [false]
        )
        #expect(debouncer.apply([edge(true, at: 100), edge(false, at: 130)]).isEmpty)
        #expect(debouncer.nextDue == nil)
        #expect(debouncer.settle(before: instant(1_000)).isEmpty)
    }

    @Test func tellsABouncingContactOnce() {
        var debouncer = GPIODebouncer(
            period: .milliseconds(50),
            detection: .both,
            values: [false]
        )
        let bounces = (0..<7).map { edge($0.isMultiple(of: 2), at: 100 + $0 * 10) }
        #expect(debouncer.apply(bounces).isEmpty)
        #expect(debouncer.settle(before: instant(300)) == [edge(true, at: 210, sequence: 1)])
        // Settled by the next edge, which is later than the period.
        #expect(debouncer.apply([edge(false, at: 400)]).isEmpty)
        let told = debouncer.apply([edge(true, at: 500)])
        #expect(told == [edge(false, at: 450, sequence: 2)])
    }

    @Test func countsOnlyTheEdgesAskedFor() {
        var debouncer = GPIODebouncer(
            period: .milliseconds(50),
            detection: .rising,
            values: [true]
        )
        let told = debouncer.apply([
            edge(false, at: 100), edge(true, at: 200), edge(false, at: 300), edge(true, at: 400),
        ])
        #expect(told == [edge(true, at: 250, sequence: 1)])
        #expect(debouncer.settle(before: instant(500)) == [edge(true, at: 450, sequence: 2)])
    }

    @Test func findsTheEdgeThatTheKernelDroppedByTheLinesValue() {
        var debouncer = GPIODebouncer(
            period: .milliseconds(50),
            detection: .both,
            values: [false]
        )
        // The queue was full: the falling edge at the end of the burst is not among them.
        #expect(debouncer.apply([edge(true, at: 100)]).isEmpty)
        debouncer.correct([false], at: instant(110))
        #expect(debouncer.nextDue == nil)
        #expect(debouncer.settle(before: instant(1_000)).isEmpty)
        // The other way round: the level read last equals the one reported before, so it is high.
        debouncer.correct([true], at: instant(1_100))
        debouncer.correct([true], at: instant(1_120))
        #expect(debouncer.settle(before: instant(1_150)) == [edge(true, at: 1_150, sequence: 1)])
    }

    private func instant(_ milliseconds: Int) -> MonotonicInstant {
        .boot.advanced(by: .milliseconds(milliseconds))
    }

    private func edge(
        _ isRising: Bool,
        at milliseconds: Int,
        sequence: UInt32 = 0
    ) -> EdgeEvent {
        EdgeEvent(
            line: 0,
            isRising: isRising,
            instant: instant(milliseconds),
            sequence: sequence
        )
    }
}
