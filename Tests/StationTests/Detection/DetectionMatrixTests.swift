import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

/// Every shipped profile of a serial sensor, and every stranger, behind every kind of adapter.
@Suite struct DetectionMatrixTests {
    struct Bridge: Sendable, CustomTestStringConvertible {
        let vendorID: String
        let productID: String
        var testDescription: String { "\(vendorID):\(productID)" }
    }

    struct Outcome: Sendable {
        let state: String
        let profile: String?
        let heard: Int
        let open: Int
    }

    static let profiles = ProfileCatalog.shipped.profiles
        .filter { $0.kind == .usbSerial && !$0.matches.isEmpty }
    /// All that a shipped profile names, and one that none does.
    static let bridges: [Bridge] = {
        let all = profiles.flatMap(\.matches).map { [$0.vendorID, $0.productID] }
        return (Set(all).sorted { $0.joined() < $1.joined() } + [["2341", "0043"]])
            .map { Bridge(vendorID: $0[0], productID: $0[1]) }
    }()

    private static func outcome(
        _ make: @escaping @Sendable (SimulatedClock) throws -> SimulatedAdapter
    ) throws -> Outcome {
        try simulate { clock in
            let bench = try DetectionBench(clock)
            let adapter = try make(clock)
            let (state, profile) = try await bench.run { bench in
                try await bench.sleep(.seconds(2))
                bench.usb.plug(adapter, into: 3)
                try await bench.sleep(.seconds(20))
                let found = bench.found.first
                return (found?.state ?? "", found?.profile)
            }
            return Outcome(
                state: state,
                profile: profile,
                heard: adapter.heardByteCount,
                open: adapter.openCount
            )
        }
    }

    @Test(arguments: profiles.map(\.id), bridges)
    func exactlyTheRightProfileAdopts(_ id: String, _ bridge: Bridge) throws {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        let outcome = try Self.outcome {
            try .part(of: id, usb: (bridge.vendorID, bridge.productID), on: $0)
        }
        let isNamed = profile.matches.contains {
            $0.vendorID == bridge.vendorID && $0.productID == bridge.productID
        }
        #expect(outcome.state == (isNamed ? "adopted" : "unknown"))
        #expect(outcome.profile == (isNamed ? id : nil))
        #expect(outcome.open == 0)
        if bridge.vendorID == "2341" { #expect(outcome.heard == 0) }
    }

    @Test(arguments: Stranger.allCases, bridges)
    func strangersAreListedAndThoseThatTalkAreNeverWrittenTo(
        _ stranger: Stranger,
        _ bridge: Bridge
    ) throws {
        let outcome = try Self.outcome { clock in
            SimulatedAdapter(
                stranger.rawValue,
                usb: (bridge.vendorID, bridge.productID),
                clock: clock
            ) { SensorPart(stranger.peer(), poweredAt: $0) }
        }
        #expect(outcome.state == "unknown")
        #expect(outcome.open == 0)
        if stranger.talks || bridge.vendorID == "2341" { #expect(outcome.heard == 0) }
        // It answered the first question, and that was no proof.
        if stranger == .printer { #expect(outcome.heard <= 19) }
    }

    @Test func aSilentStrangerIsAskedOnceAndNotAgainUntilItIsPluggedInAnew() throws {
        let heard = try simulate { clock in
            let bench = try DetectionBench(clock)
            let adapter = SimulatedAdapter("silent", clock: clock) {
                SensorPart(Stranger.silent.peer(), poweredAt: $0)
            }
            return try await bench.run { bench in
                var heard: [Int] = []
                bench.usb.plug(adapter, into: 1)
                try await bench.sleep(.minutes(1))
                heard.append(adapter.heardByteCount)
                try await bench.sleep(.hours(2))
                heard.append(adapter.heardByteCount)
                bench.usb.unplug(1)
                bench.usb.plug(adapter, into: 1)
                try await bench.sleep(.minutes(1))
                heard.append(adapter.heardByteCount)
                return heard
            }
        }
        #expect(heard[0] > 0 && heard[0] < 100)
        #expect(heard[1] == heard[0])
        #expect(heard[2] == 2 * heard[0])
    }
}
