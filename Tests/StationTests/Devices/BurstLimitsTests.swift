import Configuration
import ControlProtocol
import Core
import HardwareIO
import Logging
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

/// A part that hands over several measurements at a time is judged by when they arrive.
@Suite struct BurstLimitsTests {
    struct Outcome: Sendable {
        let faults: [String]
        let alerts: [String]
        let staleCount: Int
        let values: Int
        let intervals: Set<Double?>
    }

    /// `count` lines at a time, one for each 30 s, three seconds late.
    private static func outcome(
        mode: String,
        count: Int = 4,
        isSilentAfter: Duration? = nil,
        _ duration: Duration
    ) throws -> Outcome {
        let profile = try profile(
            #"{"fields": ["a"], "prefix": "B", "intervalSeconds": 30, "pushDelaySeconds": 3, "#
                + #""burstCount": \#(count)}"#
        )
        let text = """
            {"name": "test", "mode": "\(mode)", "alerts": {"use": ["station"]},
             "devices": [{"name": "far", "type": "test-line", "port": "/dev/ttyUSB0"}]}
            """
        let configuration = try StationConfiguration.read(
            Array(text.utf8),
            file: "test",
            profiles: ProfileCatalog.shipped.profiles + [profile]
        )
        return try simulate { clock in
            let platform = SimulatedPlatform(clock: clock)
            var faults: [SensorFaultWindow] = []
            if let isSilentAfter {
                faults = [SensorFaultWindow(.silence, from: clock.now.advanced(by: isSilentAfter))]
            }
            let peer = try SensorKind.line.simulator(profile, 1)
            let part = SensorPart(peer, poweredAt: clock.now, faults: faults)
            let port = "/dev/ttyUSB0"
            platform.plug(SimulatedSerialPort(part, clock: clock, path: port), at: port)
            let station = Station(
                configuration,
                in: StationDependencies(
                    platform: platform,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                    seed: clock.seed,
                    endProcess: { Issue.record("the process ends: \($0)") }
                )
            )
            return try await Self.watch(station, on: clock, for: duration)
        }
    }

    private static func watch(
        _ station: Station,
        on clock: SimulatedClock,
        for duration: Duration
    ) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await station.run() }
            var (faults, staleCount) = (Set<String>(), 0)
            var intervals: Set<Double?> = []
            // The first burst has come by then.
            try await clock.sleep(for: .minutes(12))
            for _ in 0..<Int(duration / .seconds(10)) {
                try await clock.sleep(for: .seconds(10))
                let status = station.status
                faults.formUnion(status.faults.map(\.id))
                intervals.formUnion(status.channels.map(\.intervalSeconds))
                staleCount += status.channels.count(where: \.isStale)
            }
            let events = station.context.recorder.events(since: .boot)
            let values = station.context.recorder.readings(since: .boot)
                .count { $0.outcome.value != nil }
            station.requestStop()
            try await group.next()
            return Outcome(
                faults: faults.sorted(),
                alerts: events.filter { $0.source == "alerts" }.compactMap { $0["key"] },
                staleCount: staleCount,
                values: values,
                intervals: intervals
            )
        }
    }

    private static func profile(_ settings: String) throws -> Profile {
        Profile(
            id: "test-line",
            kind: .usbSerial,
            text: (name: "Test", description: "A line.", origin: "test"),
            driver: (
                name: "line", settings: try JSONParser.parse(Array(settings.utf8)), duty: nil
            ),
            measures: (
                channels: [
                    ChannelProfile(
                        Quantity(name: "a", unit: "1", decimals: 1),
                        range: 0...100,
                        description: "",
                        shown: "line"
                    )
                ],
                graph: nil, board: nil
            )
        )
    }

    @Test(arguments: ["live", "normal"])
    func aPartThatSendsBurstsIsNeitherSilentNorStale(mode: String) throws {
        let outcome = try Self.outcome(mode: mode, .minutes(30))
        #expect(outcome.faults == [] && outcome.alerts == [])
        #expect(outcome.staleCount == 0)
        // Heartbeat, Home Assistant and an update on trial judge by this, too.
        #expect(outcome.intervals == [mode == "live" ? 120 : 300])
        #expect(outcome.values >= (mode == "live" ? 60 : 6))
    }

    /// Its driver promises a sign of life by the end of the burst, and is not started anew before.
    @Test func aBurstMayLastLongerThanAPeriod() throws {
        let outcome = try Self.outcome(mode: "normal", count: 12, .minutes(30))
        #expect(outcome.faults == [] && outcome.alerts == [])
        #expect(outcome.staleCount == 0)
        #expect(outcome.intervals == [363])
        #expect(outcome.values >= 4)
    }

    /// A part whose profile promises bursts, and which then stops sending, counts as silent.
    @Test(arguments: ["live", "normal"])
    func aPartWhoseBurstsEndIsSilent(mode: String) throws {
        let outcome = try Self.outcome(mode: mode, isSilentAfter: .minutes(13), .minutes(30))
        #expect(outcome.faults == ["sensor-silent:far"])
        #expect(outcome.alerts == ["silent:far"])
    }
}
