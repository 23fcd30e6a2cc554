import ControlProtocol
import Core
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station

/// Lamp, status and live stream have one level, by the mean of a quarter of an hour.
@Suite struct AirLevelsTests {
    private static func text(_ levels: String) -> String {
        #"""
        {"name": "test", "mode": "live", "levels": "\#(levels)",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "lights": {}}
        """#
    }

    private struct Look {
        let second: Int
        let lamp: String?
        let cause: LampReport?
        let channels: [ChannelReport]
    }

    /// Looks each second.
    private static func looks(
        _ levels: String,
        _ air: @escaping @Sendable (Int) -> UInt16
    ) throws -> [Look] {
        try simulate { clock in
            let air = SDS011Air.function { now in
                let second = Int(now.nanoseconds / 1_000_000_000)
                // Air that never moves is that of a stuck sensor.
                let tenths = air(second) + UInt16(second % 7)
                return SDS011Measurement(pm25Tenths: tenths, pm10Tenths: tenths)
            }
            let test = try TestStation(clock, text(levels), air: air)
            return try await test.run { test in
                var looks: [Look] = []
                for second in 0..<3_000 {
                    let status = test.station.status
                    looks.append(
                        Look(
                            second: second,
                            lamp: status.lamp,
                            cause: status.lampCause,
                            channels: status.channels.filter { $0.channel.contains("/pm") }
                        )
                    )
                    try await test.sleep(.seconds(1))
                }
                return looks
            }
        }
    }

    @Test(arguments: ["eaqi", "pm25 15 50"])
    func smokeTurnsNeitherLampNorPage(levels: String) throws {
        let looks = try Self.looks(levels) { (1_000..<1_030).contains($0) ? 2_000 : 50 }
        #expect(Set(looks.map(\.lamp)).isSubset(of: [nil, "unknown", "good"]))
        let channels = looks.flatMap(\.channels).filter { $0.channel == "dust/pm25" }
        #expect(Set(channels.map(\.level)) == [nil, "good"])
        #expect(channels.contains { ($0.latest?.value ?? 0) > 150 })
        #expect(channels.allSatisfy { ($0.levelMean ?? 0) < 15 && $0.levelMeanSeconds == 900 })
        let first = try #require(looks.first { $0.lamp == "good" })
        #expect((180..<240).contains(first.second))
    }

    @Test func aLastingRiseTurnsBothAtOnce() throws {
        let looks = try Self.looks("eaqi") { $0 < 1_000 ? 50 : 3_000 }
        #expect(looks.last?.lamp == "poor")
        for look in looks {
            let levels = look.channels.compactMap(\.level)
            #expect(look.cause?.level == Self.worst(levels), "at \(look.second) s")
            if let level = look.cause?.level { #expect(look.lamp == level) }
            let decisive = look.channels.filter { $0.level == look.cause?.level }.map(\.channel)
            guard let cause = look.cause else { continue }
            #expect(cause.meanSeconds == 900)
            if cause.level != nil { #expect(cause.because.sorted() == decisive.sorted()) }
        }
    }

    @Test func theClassroomsLimitsJudgeEachSample() throws {
        let looks = try Self.looks("sample-levels") { (1_000..<1_030).contains($0) ? 2_000 : 10 }
        #expect(looks.contains { $0.lamp == "poor" })
        #expect(looks.flatMap(\.channels).allSatisfy { $0.levelMeanSeconds == nil })
    }

    private static func worst(_ levels: [String]) -> String? {
        ["poor", "moderate", "good"].first { levels.contains($0) }
    }
}
