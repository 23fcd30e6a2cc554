import HardwareIO
import Testing

@testable import Core
@testable import Devices

@Suite struct ButtonMachineTests {
    private func machine(double: Duration = .zero) -> ButtonMachine {
        var settings = ButtonSettings(line: .name("GPIO27"))
        settings.doublePress = double
        var machine = ButtonMachine(settings: settings)
        machine.opened(isPressed: false)
        return machine
    }

    @Test func tellsAPressAndItsRelease() {
        var machine = machine()
        #expect(machine.wake == nil)
        #expect(machine.level(true, at: .at(10)) == [.pressed(at: .at(10))])
        #expect(machine.level(true, at: .at(10.1)) == [], "the same level again is no news")
        #expect(machine.wake == .at(11))
        let duration = Duration.milliseconds(300)
        let released = ButtonMachine.Notice.released(at: .at(10.3), after: duration, isLong: false)
        #expect(machine.level(false, at: .at(10.3)) == [released])
        #expect(machine.pressCount == 1 && machine.lastPress == .at(10) && !machine.isPressed)
    }

    @Test func tellsOnceThatAButtonWasHeldForAClaim() {
        var settings = ButtonSettings(line: .name("GPIO27"))
        settings.claims = true
        var machine = ButtonMachine(settings: settings)
        machine.opened(isPressed: false)
        _ = machine.level(true, at: .at(10))
        #expect(machine.advance(to: .at(11)) == [.longPress(at: .at(11))])
        #expect(machine.wake == .at(15))
        #expect(machine.advance(to: .at(14.9)) == [])
        #expect(machine.advance(to: .at(15.1)) == [.held(.claim, at: .at(15))])
        #expect(machine.advance(to: .at(30)) == [])
        #expect(machine.wake == .at(70))
        _ = machine.level(false, at: .at(31))
        _ = machine.level(true, at: .at(40))
        // Edges that are read late.
        let late = machine.level(false, at: .at(46))
        #expect(late.dropLast() == [.longPress(at: .at(41)), .held(.claim, at: .at(45))])
    }

    private static func resetMachine() -> ButtonMachine {
        var settings = ButtonSettings(line: .name("GPIO27"))
        settings.resets = true
        var machine = ButtonMachine(settings: settings)
        machine.opened(isPressed: false)
        return machine
    }

    @Test func fifteenSecondsGiveTheStationAwayOnce() {
        var machine = Self.resetMachine()
        _ = machine.level(true, at: .at(10))
        _ = machine.advance(to: .at(11))
        #expect(machine.wake == .at(13))
        #expect(machine.advance(to: .at(13)) == [.held(.resetNear, at: .at(13))])
        #expect(machine.wake == .at(25))
        #expect(machine.advance(to: .at(24.9)) == [])
        #expect(machine.advance(to: .at(25.1)) == [.held(.reset, at: .at(25))])
        #expect(machine.wake == .at(70))
        #expect(machine.advance(to: .at(50)) == [])
        #expect(machine.level(false, at: .at(51)).count == 1, "only its release")
    }

    /// Each shorter hold, and one whose end is read late or was lost.
    @Test(arguments: [0.1, 2.9, 3.0, 14.9, 15.1, 40]) func lettingGoDoesNothing(seconds: Double) {
        var machine = Self.resetMachine()
        _ = machine.level(true, at: .at(10))
        var notices = machine.level(false, at: .at(10 + seconds))
        notices += machine.advance(to: .at(100))
        let holds = notices.compactMap { notice in
            if case .held(let hold, _) = notice { hold } else { nil }
        }
        #expect(holds == (seconds < 3 ? [] : [.resetNear, .resetLeft]))
        var lost = Self.resetMachine()
        _ = lost.level(true, at: .at(10))
        notices = lost.advance(to: .at(100), isStillPressed: false)
        notices += lost.level(false, at: .at(100))
        #expect(!notices.contains { if case .held(.reset, _) = $0 { true } else { false } })
    }

    @Test func tellsALongPressWhileItIsHeldAndAStuckButtonOnce() {
        var machine = machine()
        _ = machine.level(true, at: .at(10))
        #expect(machine.advance(to: .at(10.9)) == [])
        #expect(machine.advance(to: .at(11.4)) == [.longPress(at: .at(11))])
        #expect(machine.wake == .at(70))
        #expect(machine.advance(to: .at(80)) == [.stuck(since: .at(10), at: .at(70))])
        #expect(machine.wake == nil && machine.isStuck)
        let notices = machine.level(false, at: .at(100))
        #expect(
            notices == [
                .unstuck(at: .at(100), after: .seconds(90)),
                .released(at: .at(100), after: .seconds(90), isLong: true),
            ]
        )
    }

    @Test func aReleaseReadLateStillTellsTheLongPressBeforeIt() {
        var machine = machine()
        _ = machine.level(true, at: .at(10))
        let notices = machine.level(false, at: .at(12))
        #expect(
            notices == [
                .longPress(at: .at(11)),
                .released(at: .at(12), after: .seconds(2), isLong: true),
            ]
        )
    }

    @Test(arguments: [(0.0, [false, false, false]), (0.4, [true, false, true])])
    func pairsPressesOnlyWhenItIsTold(window: Double, expected: [Bool]) {
        var machine = machine(double: .milliseconds(Int64(window * 1_000)))
        var doubles: [Bool] = []
        for press in 0..<4 {
            let start = 10 + Double(press) * 0.5
            let notices = machine.level(true, at: .at(start))
            doubles.append(notices.contains(.doublePress(at: .at(start))))
            _ = machine.level(false, at: .at(start + 0.2))
        }
        #expect(Array(doubles.dropFirst()) == expected)
    }

    @Test func aLongPressOrALatePressMakesNoPair() {
        var machine = machine(double: .milliseconds(400))
        _ = machine.level(true, at: .at(10))
        _ = machine.level(false, at: .at(12))
        #expect(machine.level(true, at: .at(12.1)) == [.pressed(at: .at(12.1))])
        _ = machine.level(false, at: .at(12.2))
        #expect(machine.level(true, at: .at(12.7)) == [.pressed(at: .at(12.7))])
    }

    @Test func whoHoldsItAtTheStartHasNotPressedIt() {
        var machine = machine()
        machine.opened(isPressed: true)
        #expect(machine.advance(to: .at(500)) == [] && machine.wake == nil)
        #expect(machine.level(false, at: .at(500)) == [])
        #expect(machine.level(true, at: .at(501)) == [.pressed(at: .at(501))])
    }

    @Test func aLooseWireIsLetGo() {
        var machine = machine()
        var notices: [ButtonMachine.Notice] = []
        for index in 0..<40 {
            notices += machine.level(true, at: .at(10 + Double(index) * 0.1))
            notices += machine.level(false, at: .at(10 + Double(index) * 0.1 + 0.05))
        }
        let storms = notices.filter { if case .storm = $0 { true } else { false } }
        #expect(storms == [.storm(at: .at(13), until: .at(313))])
        #expect(machine.pressCount == ButtonSettings.stormPresses && !machine.isPressed)
        machine.opened(isPressed: false)
        #expect(machine.mutedUntil == nil)
        #expect(machine.level(true, at: .at(400)) == [.pressed(at: .at(400))])
    }
}
