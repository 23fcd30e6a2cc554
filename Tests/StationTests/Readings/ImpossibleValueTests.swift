import ControlProtocol
import Core
import Testing

@testable import Alerts
@testable import Devices
@testable import SimulationKit
@testable import Station

/// An SDS011 whose supply sags: frames with right sums, and one in ten that it cannot measure.
@Suite struct ImpossibleValueTests {
    private static let frames: [(pm25: UInt16, pm10: UInt16)] = [
        (26, 31), (23, 27), (23, 55), (26, 38), (24, 33), (33, 51), (28, 74), (43_691, 8_896),
        (31, 54), (35, 62),
    ]

    private static let air = SDS011Air.series(
        frames.map { SDS011Measurement(pm25Tenths: $0.pm25, pm10Tenths: $0.pm10) },
        step: .seconds(1)
    )

    private static let text = #"""
        {"name": "test", "mode": "live",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "lights": {},
         "alerts": {"use": [], "rules": [
            {"id": "one", "channel": "*/pm25", "when": {"value": {"atLeast": 100}}},
            {"id": "ten", "channel": "*/pm10", "when": {"value": {"atLeast": 100}}},
            {"id": "mean", "channel": "*/pm25",
             "when": {"mean": {"overSeconds": 300, "atLeast": 2}}}]}}
        """#

    private struct Found {
        var levels: Set<String?> = []
        var reports: [ChannelReport] = []
        var causes: [LampReport?] = []
        var readings: [Reading] = []
        var lamps: [[Bool]] = []
        var raised: [AlertEvent.Raised] = []
    }

    @Test func itCountsNowhereAndEachSaysHowMany() throws {
        let found = try simulate { clock in
            let test = try TestStation(clock, Self.text, air: Self.air)
            var found = try await test.run { test in
                var found = Found()
                try await test.sleep(.minutes(1))
                for _ in 0..<600 {
                    try await test.sleep(.seconds(1))
                    let status = test.station.status
                    found.reports += status.channels.filter { $0.channel == "dust/pm25" }
                    found.levels.insert(status.lamp)
                    found.causes.append(status.lampCause)
                }
                return found
            }
            found.readings = test.readings()
            found.lamps = test.platform.gpio.history.map(\.values)
            found.raised = test.events.compactMap { event in
                if case .alert(.raised(let raised)) = event.kind { raised } else { nil }
            }
            return found
        }
        // Raw readings keep it, with its flags.
        let bad = found.readings.filter(\.outcome.isLeftOut)
        #expect(bad.count >= 60)
        #expect(bad.allSatisfy { $0.outcome.value == 4369.1 })
        // 3.3 and 3.5 are moderate, 2.3 is not, by the margin; nothing is poor, and never dark.
        #expect(found.levels.isSubset(of: ["good", "moderate"]))
        #expect(found.reports.allSatisfy { $0.level != "poor" })
        let values = found.reports.compactMap { $0.latest?.value }
        #expect(values.max() == 3.5 && values.min() == 2.3)
        let omitted = found.reports.compactMap(\.latest?.omitted)
        #expect(Set(omitted) == [4369.1])
        #expect(
            found.reports.allSatisfy {
                $0.latest?.omitted == nil || $0.latest?.noData == "outOfRange"
            }
        )
        #expect(found.reports.allSatisfy { !$0.isStale })
        #expect(try #require(found.reports.last?.omittedCount) >= 60)
        // PM2.5 and PM10 of each such frame.
        #expect(try #require(found.causes.last??.omittedCount) >= 120)
        #expect(found.raised.map(\.key.rule) == ["mean"])
        let raised = try #require(found.raised.first)
        let value = try #require(raised.value)
        #expect((2.3...3.5).contains(value.doubleValue) && raised.omitted > 20)
    }
}
