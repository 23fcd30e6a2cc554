import Testing

@testable import Core
@testable import Devices

@Suite struct TrafficLightMachineTests {
    @Test(arguments: zip(AirLevel.allCases, [Lamp.green, .yellow, .red]))
    func aLevelIsASteadyLamp(level: AirLevel, lamp: Lamp) {
        var machine = TrafficLightMachine(at: .boot)
        let change = machine.offer(level, at: .at(1), validFor: .seconds(100))
        #expect(change?.state.name == level.name)
        #expect(change?.previous == .unknown)
        #expect(machine.lamp == lamp)
        #expect(machine.advance(to: .at(100.9)) == nil)
        #expect(machine.lamp == lamp)
    }

    @Test func everyStateHasItsOwnLook() {
        let looks = LampState.allCases.map { "\($0.lamp) \($0.isFlashing)" }
        #expect(Set(looks).count == LampState.allCases.count)
        let values = Lamp.allCases.map(\.values)
        #expect(Set(values).count == 4)
        #expect(values.allSatisfy { $0.count == 3 && $0.filter { $0 }.count <= 1 })
    }

    @Test func aLevelEndsWhenItIsNoLongerValid() {
        var machine = TrafficLightMachine(at: .boot)
        _ = machine.offer(.good, at: .at(1), validFor: .seconds(100))
        _ = machine.offer(.good, at: .at(51), validFor: .seconds(100))
        #expect(machine.wake.deadline == .at(151))
        #expect(machine.wake.tolerance == .seconds(25))
        let change = machine.advance(to: .at(151))
        #expect(change == LampChange(instant: .at(151), state: .unknown, previous: .good))
        #expect(machine.lamp == .yellow)
        #expect(machine.advance(to: .at(151.5)) == nil)
        #expect(machine.lamp == .dark)
    }

    @Test func aSampleWithoutValueIsUnknownAtOnce() {
        var machine = TrafficLightMachine(at: .boot)
        _ = machine.offer(.poor, at: .at(1), validFor: .seconds(100))
        #expect(machine.offer(nil, at: .at(2), validFor: .seconds(100))?.state == .unknown)
        #expect(machine.offer(nil, at: .at(3), validFor: .seconds(100)) == nil)
        #expect(machine.changeCount == 2)
    }

    @Test func aFaultLastsUntilTheNextLevel() {
        var machine = TrafficLightMachine(at: .boot)
        #expect(machine.reportFault(at: .at(1))?.state == .fault)
        #expect(machine.lamp == .red)
        #expect(machine.offer(nil, at: .at(1.1), validFor: .seconds(9)) == nil)
        #expect(machine.advance(to: .at(1.5)) == nil)
        #expect(machine.lamp == .dark)
        #expect(machine.offer(.good, at: .at(2), validFor: .seconds(9))?.previous == .fault)
    }

    @Test(arguments: [LampState.unknown, .fault])
    func flashesStayWithinTheirBudget(state: LampState) {
        var machine = TrafficLightMachine(at: .boot)
        if state == .fault { _ = machine.reportFault(at: .boot) }
        var wakeUps = 0
        var lit = Duration.zero
        var now = MonotonicInstant.boot
        while now < .at(3_600) {
            let next = machine.wake.deadline
            if machine.lamp != .dark { lit += now.duration(to: next) }
            #expect(machine.lamp == .dark || machine.lamp == state.lamp)
            now = next
            _ = machine.advance(to: now)
            wakeUps += 1
        }
        #expect(wakeUps <= 60 * 4 + 2)
        #expect(lit > .seconds(50) && lit < .seconds(70))
    }

    /// Every lamp against a reference that knows only what was offered.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func theLampIsThatOfTheLastOffer(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var machine = TrafficLightMachine(at: .boot)
        var (now, validUntil) = (MonotonicInstant.boot, MonotonicInstant.boot)
        var expected = LampState.unknown
        for _ in 0..<1_000 {
            now = now.advanced(by: .milliseconds(Int.random(in: 0...40_000, using: &random)))
            _ = machine.advance(to: now)
            if !expected.isFlashing, validUntil <= now { expected = .unknown }
            #expect(machine.state == expected, "seed \(seed) at \(now)")
            switch Int.random(in: 0...9, using: &random) {
            case 0:
                _ = machine.reportFault(at: now)
                expected = .fault
            case 1:
                _ = machine.offer(nil, at: now, validFor: .seconds(1))
                if expected != .fault { expected = .unknown }
            case 2, 3: break
            default:
                let level = AirLevel.allCases.randomElement(using: &random) ?? .good
                let validity = Duration.seconds(Int.random(in: 1...60, using: &random))
                _ = machine.offer(level, at: now, validFor: validity)
                (expected, validUntil) = (LampState(level), now.advanced(by: validity))
            }
            #expect(machine.state == expected, "seed \(seed) at \(now)")
            let isRight =
                machine.lamp == expected.lamp
                || (expected.isFlashing && machine.lamp == .dark)
            #expect(isRight, "seed \(seed) at \(now)")
            #expect(machine.wake.deadline >= now)
        }
    }
}
