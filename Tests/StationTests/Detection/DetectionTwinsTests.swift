import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

/// Honeywell's long frame has a Plantower's head, length and checksum; both fit the same adapters.
@Suite struct DetectionTwinsTests {
    /// Says the same frame each second for some seconds, and is the part after that.
    struct Beginning: SerialPeer {
        var part: any SerialPeer
        let frame: [UInt8]
        var left: Int
        var due: MonotonicInstant

        var nextActivity: MonotonicInstant? { left > 0 ? due : part.nextActivity }

        mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
            left > 0 ? [] : part.receive(bytes, at: now)
        }

        mutating func advance(to now: MonotonicInstant) -> [UInt8] {
            var sent: [UInt8] = []
            while left > 0, due <= now {
                sent += frame
                (left, due) = (left - 1, due.advanced(by: .seconds(1)))
            }
            let said = part.advance(to: now)
            return left > 0 ? sent : sent + said
        }
    }

    enum Twin: String, CaseIterable, Sendable {
        case honeywellShort, honeywellLong, honeywellLongInNoDust, honeywellQuiet
        case plantower, plantowerShort, plantowerLong, plantowerPassive, plantowerWarmingUp

        var profile: String {
            rawValue.hasPrefix("honeywell") ? "honeywell-hpma115" : "plantower-pms"
        }

        func part() -> any SerialPeer {
            let start = MonotonicInstant.boot.advanced(by: .seconds(1))
            let nothing = PlantowerFrame.bytes(Array(repeating: 0, count: 26))
            switch self {
            case .honeywellShort: return HPMA115Simulator(seed: 4)
            case .honeywellLong: return HPMA115Simulator(seed: 4, isLong: true)
            case .honeywellLongInNoDust:
                let part = HPMA115Simulator(seed: 4, isLong: true)
                return Beginning(part: part, frame: nothing, left: 6, due: start)
            case .honeywellQuiet:
                return Quiet(part: HPMA115Simulator(seed: 4, isLong: true))
            case .plantower: return PlantowerSimulator(seed: 4)
            case .plantowerShort: return PlantowerSimulator(.pms3003, seed: 4)
            case .plantowerLong: return PlantowerSimulator(.pms5003ST, seed: 4)
            case .plantowerPassive:
                var part = PlantowerSimulator(seed: 4)
                _ = part.receive(PlantowerCommand.passive.bytes, at: .boot)
                return part
            case .plantowerWarmingUp:
                let part = PlantowerSimulator(seed: 4)
                return Beginning(part: part, frame: nothing, left: 6, due: start)
            }
        }
    }

    /// Speaks only when it is asked.
    struct Quiet: SerialPeer {
        var part: any SerialPeer
        var nextActivity: MonotonicInstant? { nil }

        mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
            part.receive(bytes, at: now)
        }

        mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }
    }

    @Test(arguments: Twin.allCases)
    func eachIsAdoptedAsWhatItIs(_ twin: Twin) throws {
        let (found, heard) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let adapter = SimulatedAdapter(twin.rawValue, clock: clock) {
                SensorPart(twin.part(), poweredAt: $0)
            }
            return try await bench.run { bench in
                bench.usb.plug(adapter, into: 1)
                var heard = 0
                for _ in 0..<40 where bench.found.first?.state != "adopted" {
                    try await bench.sleep(.milliseconds(500))
                    if bench.found.first?.state == "probing" { heard = adapter.heardByteCount }
                }
                return (bench.found.first, heard)
            }
        }
        #expect(found?.state == "adopted")
        #expect(found?.profile == twin.profile)
        let talks = twin != .honeywellQuiet && twin != .plantowerPassive
        #expect(!talks || heard == 0, "what talks is not asked")
    }
}
