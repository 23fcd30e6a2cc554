import Core
import Testing

@testable import Station

@Suite struct BatteryMachineTests {
    /// Feeds readings a minute apart, the first ten minutes after the start of the machine.
    private func actions(
        _ readings: [Battery?],
        low: Int = 25,
        powerOff limit: Int? = 15,
        from start: Int = 10
    ) -> [[BatteryMachine.Action]] {
        var machine = BatteryMachine()
        return readings.enumerated().map { index, battery in
            let now = MonotonicInstant.boot.advanced(by: .minutes(start + index))
            return machine.apply(battery, low: low, powerOff: limit, at: now)
        }
    }

    private func used(_ percents: Int...) -> [Battery?] {
        percents.map { Battery(percent: $0, isDischarging: true) }
    }

    @Test func threeReadingsInARowShutTheMachineDownOnce() {
        let found = actions(used(16, 15, 15, 14, 14, 13))
        #expect(found == [[.onBattery], [], [], [.powerOff(percent: 14)], [], []])
    }

    @Test func oneWrongReadingShutsNothingDown() {
        #expect(actions(used(80, 0, 80, 0, 0, 80)).dropFirst().allSatisfy { $0.isEmpty })
    }

    @Test func withoutALimitItNeverShutsDown() {
        #expect(actions(used(1, 1, 1, 1), powerOff: nil).dropFirst().allSatisfy { $0.isEmpty })
    }

    @Test func aMachineOnMainsStaysOn() {
        let fed = Battery(percent: 2, isDischarging: false)
        #expect(actions([fed, fed, fed, fed]).allSatisfy { $0.isEmpty })
    }

    /// A person has five minutes to reach a machine whose gauge or limit is wrong.
    @Test func aMachineThatHasJustStartedStaysOnForFiveMinutes() {
        let found = actions(used(2, 2, 2, 2, 2, 2, 2), from: 0)
        #expect(found.firstIndex(of: [.powerOff(percent: 2)]) == 5)
    }

    @Test func aMachineThatRunsOnIsAskedAgainAndSaysSo() {
        let found = actions(used(9, 9, 9) + Array(repeating: used(9)[0], count: 11))
        #expect(found[2] == [.powerOff(percent: 9)])
        #expect(found[3...11].allSatisfy { $0.isEmpty })
        #expect(found[12] == [.unanswered, .powerOff(percent: 9)])
    }

    @Test func powerThatComesBackEndsIt() {
        let fed = Battery(percent: 12, isDischarging: false)
        let found = actions(used(9, 9, 9) + [fed] + used(9, 9, 9))
        #expect(found[3] == [.onMains, .recovered])
        #expect(found[4] == [.onBattery])
        #expect(found[6] == [.powerOff(percent: 9)])
    }

    /// A gauge without a direction: only a growing charge shows that power comes in.
    @Test func aGaugeThatSaysChargeAloneIsBelievedWhileItDoesNotGrow() {
        func gauge(_ percents: Int...) -> [Battery?] {
            percents.map { Battery(percent: $0, isDischarging: nil) }
        }
        #expect(actions(gauge(9, 9, 8))[2] == [.powerOff(percent: 8)])
        #expect(actions(gauge(9, 10, 11, 12, 13)).allSatisfy { $0.isEmpty })
    }

    @Test(arguments: [(26, false), (25, true), (1, true)])
    func itIsLowFromItsLimitOn(_ percent: Int, _ isLow: Bool) {
        var machine = BatteryMachine()
        let battery = Battery(percent: percent, isDischarging: true)
        _ = machine.apply(battery, low: 25, powerOff: nil, at: .boot)
        #expect(machine.isLow == isLow)
    }

    @Test func itIsWellAgainFivePercentAboveItsLimit() {
        var machine = BatteryMachine()
        let found = [25, 30, 31, 26].map { percent -> Bool? in
            let battery = Battery(percent: percent, isDischarging: true)
            _ = machine.apply(battery, low: 25, powerOff: nil, at: .boot)
            return machine.isLow
        }
        #expect(found == [true, true, false, false])
        _ = machine.apply(nil, low: 25, powerOff: nil, at: .boot)
        #expect(machine.isLow == nil)
    }

    @Test func severalSuppliesSpeakTogether() {
        let empty = PowerSupply("a", .battery, percent: 3, flow: .discharging)
        let other = PowerSupply("b", .battery, percent: 70, flow: .idle)
        let mains = PowerSupply("mains", .mains, isOnline: true)
        #expect(Battery([]) == nil)
        #expect(Battery([mains]) == nil)
        #expect(Battery([empty, other]) == Battery(percent: 70, isDischarging: true))
        // A supply that is too weak: the battery empties all the same.
        #expect(Battery([empty, mains]) == Battery(percent: 3, isDischarging: true))
        let gauge = PowerSupply("gauge", .battery, percent: 3)
        #expect(Battery([gauge, mains]) == Battery(percent: 3, isDischarging: false))
        #expect(Battery([gauge]) == Battery(percent: 3, isDischarging: nil))
    }
}
