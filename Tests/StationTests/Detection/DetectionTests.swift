import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

@Suite struct DetectionTests {
    @Test func aSensorThatIsPluggedInReadsWithoutAnyConfiguration() throws {
        let (found, values) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                try await bench.sleep(.seconds(10))
                bench.usb.plug(sensor, into: 1)
                try await bench.sleep(.minutes(1))
                return (bench.found, bench.values(of: "sds011"))
            }
        }
        #expect(found.map(\.state) == ["adopted"])
        #expect(found.map(\.identity) == ["nova-sds011:A160"])
        #expect(found.map(\.name) == ["sds011"])
        #expect(!values.isEmpty)
    }

    /// The first answers of a cold MH-Z19B, as a public report has them: the first with a wrong
    /// sum.
    private struct ColdStart: SerialPeer {
        static let answers: [[UInt8]] = [
            [0xFF, 0x86, 0x04, 0xBF, 0x3D, 0x40, 0x42, 0xCF, 0x7C],
            [0xFF, 0x86, 0x04, 0xBF, 0x3D, 0x40, 0x42, 0xCF, 0x29],
            [0xFF, 0x86, 0x04, 0xBF, 0x3D, 0x40, 0x42, 0xCF, 0x29],
            [0xFF, 0x86, 0x01, 0x9A, 0x3D, 0x40, 0x42, 0xCF, 0x51],
        ]
        /// How often the damaged answer comes.
        let damagedCount: Int
        var count = 0
        var nextActivity: MonotonicInstant? { nil }

        mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }

        mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
            // Another part's questions are not its own.
            guard bytes.starts(with: [0xFF, 0x01, 0x86]) else { return [] }
            count += 1
            guard count > damagedCount else { return Self.answers[0] }
            return Self.answers[min(count - damagedCount, Self.answers.count - 1)]
        }
    }

    @Test(arguments: [1, 2])
    func aPartWhoseFirstAnswerIsDamagedIsFound(damagedCount: Int) throws {
        let found = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = SimulatedAdapter("co2", clock: clock) { _ in
                ColdStart(damagedCount: damagedCount)
            }
            return try await bench.run { bench in
                try await bench.sleep(.seconds(10))
                bench.usb.plug(part, into: 1)
                try await bench.sleep(.minutes(1))
                return bench.found
            }
        }
        #expect(found.map(\.state) == ["adopted"])
        #expect(found.map(\.name) == ["mhz19b"])
    }

    /// The whole kind: each part that is asked, its first answer damaged.
    private struct DamagedFirst: SerialPeer {
        var part: any SerialPeer
        var isDamaged = false
        var nextActivity: MonotonicInstant? { part.nextActivity }

        mutating func advance(to now: MonotonicInstant) -> [UInt8] { damage(part.advance(to: now)) }

        mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
            damage(part.receive(bytes, at: now))
        }

        private mutating func damage(_ said: [UInt8]) -> [UInt8] {
            guard !isDamaged, said.count > 2 else { return said }
            isDamaged = true
            var said = said
            said[said.count - 2] ^= 0x10
            return said
        }
    }

    @Test(arguments: ["winsen-mhz19b", "sensirion-sps30", "honeywell-hpma115", "nova-sds011"])
    func eachPartThatIsAskedMayDamageItsFirstAnswer(id: String) throws {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        let kind = try #require(profile.driver.flatMap(DeviceCatalog.kind))
        let peer = try kind.simulator(profile, 1)
        let match = try #require(profile.matches.first)
        let found = try simulate { clock in
            let bench = try DetectionBench(clock)
            let part = SimulatedAdapter(
                "part",
                usb: (match.vendorID, match.productID),
                baud: profile.probe?.bauds.first ?? 9_600,
                clock: clock
            ) { SensorPart(DamagedFirst(part: peer), poweredAt: $0) }
            return try await bench.run { bench in
                try await bench.sleep(.seconds(10))
                bench.usb.plug(part, into: 1)
                try await bench.sleep(.minutes(1))
                return bench.found
            }
        }
        #expect(found.map(\.state) == ["adopted"])
    }
}
