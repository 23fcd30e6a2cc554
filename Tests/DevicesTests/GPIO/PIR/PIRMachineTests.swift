import HardwareIO
import Testing

@testable import Core
@testable import Devices

extension MonotonicInstant {
    static func at(_ seconds: Double) -> MonotonicInstant {
        boot.advanced(by: .milliseconds(Int((seconds * 1_000).rounded())))
    }
}

/// Feeds a machine with edges, numbering them.
struct PIRBench {
    var machine: PIRMachine
    var notices: [PIRMachine.Notice] = []
    var sequence: UInt32 = 0

    init(_ change: (inout PIRSettings) -> Void = { _ in }) {
        var settings = PIRSettings(line: .name("GPIO17"))
        settings.settling = .zero
        change(&settings)
        machine = PIRMachine(settings: settings, at: .boot)
        notices += machine.opened(isHigh: false, at: .boot)
    }

    mutating func edge(_ isRising: Bool, _ seconds: Double, skipping skipped: UInt32 = 0) {
        sequence += 1 + skipped
        notices += machine.edge(isRising: isRising, at: .at(seconds), sequence: sequence)
    }

    mutating func pulse(_ from: Double, _ to: Double) {
        edge(true, from)
        edge(false, to)
    }

    mutating func pass(to seconds: Double) { notices += machine.advance(to: .at(seconds)) }

    static func motion(_ start: Double, _ end: Double, pulses: Int = 1) -> Motion {
        Motion(start: .at(start), end: .at(end), pulseCount: pulses)
    }
}

@Suite struct PIRMachineTests {
    @Test func aPulseIsAMotionFromItsRiseToItsFall() {
        var bench = PIRBench()
        bench.pulse(10, 13)
        #expect(bench.machine.status.isMoving)
        bench.pass(to: 17.999)
        #expect(bench.notices == [.motionBegan(at: .at(10))])
        bench.pass(to: 18)
        #expect(bench.notices.last == .motionEnded(PIRBench.motion(10, 13), cause: .quiet))
        #expect(!bench.machine.status.isMoving)
        #expect(bench.machine.status.motionCount == 1)
        #expect(bench.machine.status.lastMotion == PIRBench.motion(10, 13))
    }

    @Test func motionIsToldBeforeThePulseEnds() {
        var bench = PIRBench()
        bench.edge(true, 10)
        #expect(bench.machine.wake?.deadline == .at(10.2))
        bench.pass(to: 10.2)
        #expect(bench.notices == [.motionBegan(at: .at(10))])
    }

    @Test func aShortPulseIsCountedAndNothingElse() {
        var bench = PIRBench()
        bench.pulse(10, 10.199)
        bench.pass(to: 60)
        #expect(bench.notices.isEmpty)
        #expect(bench.machine.status.shortPulseCount == 1)
    }

    @Test func aPulseWithinTheWindowExtendsTheMotion() {
        var bench = PIRBench()
        bench.pulse(10, 13)
        bench.pulse(17.9, 20)  // Long enough only after the window: it began within.
        bench.pulse(24, 24.1)  // Too short to extend.
        bench.pass(to: 60)
        let expected = PIRBench.motion(10, 20, pulses: 2)
        #expect(
            bench.notices == [
                .motionBegan(at: .at(10)), .motionEnded(expected, cause: .quiet),
            ]
        )
        #expect(bench.machine.status.shortPulseCount == 1)
    }

    @Test func aShortPulseAtTheEndOfTheWindowEndsTheMotionAtItsLastFall() {
        var bench = PIRBench()
        bench.pulse(10, 13)
        bench.pulse(17.9, 18.05)
        #expect(bench.notices.last == .motionEnded(PIRBench.motion(10, 13), cause: .quiet))
    }

    @Test func aPulseInTheBlockTimeIsSeenOnlyIfItOutlastsIt() {
        var bench = PIRBench()
        bench.pulse(10, 13)  // Window to 18, blocked to 23.
        bench.pulse(19, 22)
        bench.edge(true, 22.5)
        #expect(bench.machine.wake?.deadline == .at(23))
        bench.pass(to: 24)
        #expect(bench.notices.last == .motionBegan(at: .at(23)))
        #expect(bench.notices.count == 3)
    }

    @Test func nothingIsBelievedWhileSettling() {
        var bench = PIRBench { $0.settling = .seconds(60) }
        bench.pulse(5, 10)
        bench.pulse(59, 70)  // Held over the end: still the part's own doing.
        bench.pass(to: 80)
        #expect(bench.notices.isEmpty)
        bench.pulse(80, 82)
        #expect(bench.notices == [.motionBegan(at: .at(80))])
    }

    @Test func whatIsHighWhenTheLineIsOpenedIsNotBelieved() {
        var bench = PIRBench { $0.minimumPulse = .zero }
        bench.notices += bench.machine.opened(isHigh: true, at: .at(1))
        bench.edge(false, 5)
        bench.pass(to: 60)
        #expect(bench.notices.isEmpty)
        bench.edge(true, 60)
        #expect(bench.notices == [.motionBegan(at: .at(60))])
    }

    @Test func aStuckLineIsNamedOnceAndRecoversOnce() {
        var bench = PIRBench { $0.stuckAfter = .seconds(100) }
        bench.edge(true, 10)
        bench.pass(to: 109.9)
        #expect(!bench.machine.status.isStuck)
        bench.pass(to: 500)
        #expect(bench.machine.status.faults == ["stuck high"])
        #expect(bench.machine.wake == nil)
        bench.edge(false, 510)
        bench.pass(to: 600)
        #expect(
            bench.notices == [
                .motionBegan(at: .at(10)),
                .motionEnded(PIRBench.motion(10, 110), cause: .stuck),
                .stuck(since: .at(10), at: .at(110)),
                .unstuck(at: .at(510), after: .seconds(500)),
            ]
        )
        bench.pulse(700, 702)
        #expect(bench.notices.last == .motionBegan(at: .at(700)))
    }

    @Test func droppedEdgesAreCounted() {
        var bench = PIRBench()
        bench.edge(true, 10)
        bench.edge(true, 14, skipping: 5)
        bench.edge(false, 15)
        #expect(bench.machine.status.overrunCount == 5)
        #expect(bench.machine.status.edgeCount == 3)
        bench.pass(to: 60)
        #expect(bench.notices.last == .motionEnded(PIRBench.motion(10, 15), cause: .quiet))
        bench.sequence = 0
        bench.edge(true, 100)
        #expect(bench.machine.status.overrunCount == 5)
    }

    @Test func elevenEdgesInASecondAreAStormAndTenAreNot() {
        var bench = PIRBench()
        for index in 0..<100 { bench.edge(index % 2 == 0, 10 + Double(index) * 0.1) }
        #expect(bench.machine.status.muteCount == 0)
        var storm = PIRBench()
        for index in 0..<100 { storm.edge(index % 2 == 0, 10 + Double(index) * 0.09) }
        #expect(storm.notices == [.stormBegan(at: .at(10.9), edgeCount: 11)])
        #expect(storm.machine.status.mutedUntil == .at(310.9))
        #expect(storm.machine.status.edgeCount == 11)
    }

    @Test func droppedEdgesBelongToAStorm() {
        var bench = PIRBench()
        bench.edge(true, 10)
        bench.edge(false, 10.1, skipping: 9)
        #expect(bench.machine.status.mutedUntil != nil)
    }

    @Test func aStormThatComesBackIsMutedForLongerWithoutAWord() {
        var bench = PIRBench()
        var start = 10.0
        var mutes: [Duration] = []
        for _ in 0..<6 {
            for index in 0...10 { bench.edge(index % 2 == 0, start + Double(index) * 0.01) }
            guard let end = bench.machine.status.mutedUntil else { break }
            mutes.append(MonotonicInstant.at(start + 0.1).duration(to: end))
            bench.notices += bench.machine.opened(isHigh: false, at: end)
            bench.sequence = 0  // A new request counts anew.
            start = end.advanced(by: .seconds(1)).duration(to: .boot).inSeconds * -1
        }
        #expect(mutes == [5, 10, 20, 40, 60, 60].map { .minutes($0) })
        bench.pass(to: start + 8.9)
        #expect(bench.notices.count == 1)
        bench.pass(to: start + 9)
        #expect(bench.notices.last == .stormEnded(at: .at(start + 9), muteCount: 6))
        #expect(bench.machine.status.faults.isEmpty)
    }

    @Test func whatGoesOnEndsWhenTheDriverStops() {
        var bench = PIRBench()
        bench.edge(true, 10)
        bench.pass(to: 12)
        bench.notices += bench.machine.stop(at: .at(13), cause: .stopped)
        #expect(bench.notices.last == .motionEnded(PIRBench.motion(10, 13), cause: .stopped))
        #expect(!bench.machine.status.isMoving)
    }

    @Test func settingsOutOfBoundsAreNamed() {
        var settings = PIRSettings(line: .name("GPIO17"))
        #expect(settings.complaint == nil)
        settings.stormEdges = 3
        #expect(settings.complaint == "stormEdges must be 4 to 1000")
        settings.blockTime = .hours(25)
        #expect(settings.complaint?.hasPrefix("blockTime must be") == true)
    }
}
