import Configuration
import ControlProtocol
import Core
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct BatteryMonitorTests {
    private static func text(_ battery: String) -> String {
        #"{"name": "test", "devices": [], "detect": false\#(battery)}"#
    }

    private static let limit = #", "battery": {"powerOffPercent": 15}"#

    private static func supplies(_ percent: Int, isUsed: Bool = true) -> MachineVitals {
        let flow: PowerSupply.Flow = isUsed ? .discharging : .charging
        var vitals = MachineVitals(
            supplies: [
                PowerSupply("battery", .battery, percent: percent, flow: flow),
                PowerSupply("mains", .mains, isOnline: !isUsed),
            ]
        )
        vitals.canPowerOff = true
        return vitals
    }

    private static func kinds(_ test: TestStation) -> [String] {
        test.events.map(\.kind.name).filter { $0.contains("battery") || $0.contains("mains") }
            + test.events.map(\.kind.name).filter { $0 == "power-off asked for" }
    }

    /// The station has no sensor whose samples would have the battery read.
    @Test func anEmptyBatteryShutsTheMachineDownInOrder() throws {
        let (count, kinds, report) = try simulate { clock in
            let test = try TestStation(clock, Self.text(Self.limit))
            test.platform.vitals = Self.supplies(60)
            return try await test.run { test in
                try await test.sleep(.minutes(10))
                #expect(test.platform.powerOffCount == 0)
                test.platform.vitals = Self.supplies(12)
                try await test.sleep(.minutes(5))
                let status = test.station.status
                return (test.platform.powerOffCount, Self.kinds(test), status)
            }
        }
        #expect(count == 1)
        #expect(kinds == ["on battery", "power-off asked for"])
        #expect(report.power?.percent == 12)
        #expect(report.power?.isOnBattery == true && report.power?.isLow == true)
        #expect(report.power?.powerOffPercent == 15)
        #expect(report.power?.supplies.map(\.name) == ["battery", "mains"])
        #expect(report.faults.isEmpty)
    }

    @Test func aLowBatteryIsAnAlert() throws {
        let keys = try simulate { clock in
            let test = try TestStation(clock, Self.text(""))
            test.platform.vitals = Self.supplies(20)
            try await test.run { try await $0.sleep(.minutes(10)) }
            #expect(test.platform.powerOffCount == 0)
            return test.events.compactMap { event -> String? in
                if case .alert(.raised(let raised)) = event.kind { "\(raised.key)" } else { nil }
            }
        }
        #expect(keys == ["power:battery"])
    }

    @Test func aMachineWithoutABatteryIsReadOnce() throws {
        let count = try simulate { clock in
            let test = try TestStation(clock, Self.text(""))
            return try await test.run { test in
                try await test.sleep(.hours(3))
                #expect(test.station.status.power == nil && test.station.status.faults.isEmpty)
                return test.platform.vitalsCount
            }
        }
        #expect(count == 1)
    }

    /// A limit that would do nothing is said long before the battery is empty.
    @Test(arguments: ["no battery", "does not say its charge", "is not enabled"])
    func aLimitThatWouldDoNothingIsAFault(_ why: String) throws {
        let (before, after) = try simulate { clock in
            let test = try TestStation(clock, Self.text(Self.limit))
            switch why {
            case "no battery": break
            case "is not enabled":
                test.platform.vitals = Self.supplies(80)
                test.platform.vitals.canPowerOff = false
            default:
                test.platform.vitals = MachineVitals(supplies: [PowerSupply("hat", .battery)])
            }
            return try await test.run { test in
                try await test.sleep(.minutes(3))
                let before = test.station.status.faults
                test.platform.vitals = Self.supplies(80)
                try await test.sleep(.minutes(12))
                return (before, test.station.status.faults)
            }
        }
        #expect(before.map(\.id) == ["battery-unusable"])
        let sentence = try #require(before.first?.sentence)
        #expect(sentence.contains(why))
        #expect(after.isEmpty)
    }

    /// It cannot be asked, or it was asked and runs on: both are said until power is back.
    @Test(arguments: [true, false])
    func aMachineThatRunsOnIsAFault(_ isRefused: Bool) throws {
        let (before, after) = try simulate { clock in
            let test = try TestStation(clock, Self.text(Self.limit))
            test.platform.vitals = Self.supplies(9)
            if isRefused { test.platform.refusePowerOff(with: PowerOffError("/run/roost: full")) }
            return try await test.run { test in
                try await test.sleep(.minutes(isRefused ? 8 : 20))
                let before = test.station.status.faults
                test.platform.vitals = Self.supplies(9, isUsed: false)
                try await test.sleep(.minutes(3))
                return (before, test.station.status.faults)
            }
        }
        #expect(before.map(\.id) == ["power-off-fails"])
        let sentence = try #require(before.first?.sentence)
        #expect(sentence.contains("/run/roost: full") == isRefused)
        #expect(after.isEmpty)
    }

    @Test func aReloadChangesTheLimit() throws {
        let count = try simulate { clock in
            let test = try TestStation(clock, Self.text(""))
            test.platform.vitals = Self.supplies(12)
            return try await test.run { test in
                try await test.sleep(.minutes(10))
                #expect(test.platform.powerOffCount == 0)
                let next = Self.text(Self.limit)
                test.station.reload(try StationConfiguration.read(Array(next.utf8), file: "test"))
                try await test.sleep(.minutes(5))
                return test.platform.powerOffCount
            }
        }
        #expect(count == 1)
    }
}
