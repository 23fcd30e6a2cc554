import Testing

@testable import Core
@testable import Devices

@Suite struct LEDMachineTests {
    @Test(arguments: [(LEDPattern.on, true), (.off, false)])
    func aSteadyLampWakesNobody(pattern: LEDPattern, isLit: Bool) {
        var machine = LEDMachine(at: .at(0))
        _ = machine.show(pattern, at: .at(1))
        #expect(machine.isLit == isLit && machine.wake == nil && machine.changeCount == 1)
        machine.advance(to: .at(1_000))
        #expect(machine.isLit == isLit)
    }

    @Test(arguments: [
        (LEDPattern.winking, 30.0, 90), (.blinking, 60, 60), (.calling, 120, 60), (.flashing, 2, 2),
    ])
    func litAndDarkInTurns(pattern: LEDPattern, cyclesAMinute: Double, litSeconds: Int) {
        var machine = LEDMachine(at: .at(0))
        _ = machine.show(.on, at: .at(0))
        _ = machine.show(pattern, at: .at(0))
        var (turns, lit, now) = (0.0, Duration.zero, MonotonicInstant.at(0))
        while let wake = machine.wake, wake.deadline <= .at(120) {
            if machine.isLit { lit += now.duration(to: wake.deadline) }
            now = wake.deadline
            let before = machine.isLit
            machine.advance(to: now)
            if machine.isLit != before { turns += 1 }
        }
        // Two turns a cycle, two minutes.
        #expect(abs(turns / 4 - cyclesAMinute) <= 1)
        if pattern != .flashing { #expect(lit == .seconds(litSeconds)) }
        if pattern == .flashing { #expect(lit <= .seconds(3)) }
    }

    @Test func whatIsTooOldIsNotKnown() {
        var machine = LEDMachine(at: .at(0))
        _ = machine.show(.on, at: .at(10), until: .at(100))
        #expect(machine.wake?.deadline == .at(100))
        machine.advance(to: .at(99))
        #expect(machine.pattern == .on)
        let isUrgentLater = machine.show(.on, at: .at(99), until: .at(200))
        #expect(!isUrgentLater)
        machine.advance(to: .at(100))
        #expect(machine.pattern == .on)
        let isUrgentSooner = machine.show(.on, at: .at(101), until: .at(150))
        #expect(isUrgentSooner)
        machine.advance(to: .at(150))
        #expect(machine.pattern == .flashing && machine.isLit)
    }

    @Test func showingTheSameAgainDoesNotBeginItsTurnAnew() {
        var machine = LEDMachine(at: .at(0))
        _ = machine.show(.blinking, at: .at(10))
        machine.advance(to: .at(10.5))
        #expect(!machine.isLit)
        _ = machine.show(.blinking, at: .at(10.7))
        #expect(!machine.isLit && machine.wake?.deadline == .at(11))
    }
}
