import HardwareIO
import Profiles
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing

@Suite struct SensorBurstTests {
    private static let burst = SensorBurst(count: 3, delay: .seconds(2))

    private static func outcomes(_ values: ClosedRange<Int64>) -> [[Outcome]] {
        values.map { [.value(FixedPoint($0, decimals: 0))] }
    }

    private static func at(_ seconds: Int) -> MonotonicInstant {
        .boot.advanced(by: .seconds(seconds))
    }

    @Test func aWholeBurstHasTheTimeOfItsLastMeasurement() {
        var collector = BurstCollector(Self.burst, every: .seconds(10))
        #expect(collector.add(Self.outcomes(1...2), at: Self.at(100)).isEmpty)
        #expect(collector.end == Self.at(105))
        let whole = collector.add(Self.outcomes(3...3), at: Self.at(100))
        #expect(whole == [.init(measurements: Self.outcomes(1...3), last: Self.at(98))])
        #expect(collector.end == nil && collector.takeRest() == nil)
    }

    @Test func aPauseEndsABurst() {
        var collector = BurstCollector(Self.burst, every: .seconds(10))
        _ = collector.add(Self.outcomes(1...2), at: Self.at(100))
        let whole = collector.add(Self.outcomes(3...5), at: Self.at(130))
        #expect(
            whole == [
                .init(measurements: Self.outcomes(1...2), last: Self.at(98)),
                .init(measurements: Self.outcomes(3...5), last: Self.at(128)),
            ]
        )
        _ = collector.add(Self.outcomes(6...6), at: Self.at(160))
        let rest = collector.takeRest()
        #expect(rest == .init(measurements: Self.outcomes(6...6), last: Self.at(158)))
    }

    /// As after a standstill of the machine: each burst is a period older than the next.
    @Test func severalAtOnceAreAPeriodApart() {
        var collector = BurstCollector(Self.burst, every: .seconds(10))
        let whole = collector.add(Self.outcomes(1...7), at: Self.at(100))
        #expect(whole.map(\.last) == [Self.at(38), Self.at(68)])
        #expect(collector.takeRest()?.last == Self.at(98))
    }

    /// A burst that comes late is not taken for one that was made late.
    @Test func latenessHardlyMovesTheTimes() {
        var collector = BurstCollector(Self.burst, every: .seconds(10))
        let arrivals = [100, 130, 168, 190, 220]
        let last = arrivals.map { arrival in
            collector.add(Self.outcomes(1...3), at: Self.at(arrival)).map(\.last)
        }
        #expect(last[0] == [Self.at(98)] && last[1] == [Self.at(128)])
        #expect(last[2] == [Self.at(159)])
        #expect(last[3] == [Self.at(188)] && last[4] == [Self.at(218)])
        // After a long pause, the arrival dates the burst.
        #expect(collector.add(Self.outcomes(1...3), at: Self.at(400)).map(\.last) == [Self.at(398)])
    }

    /// A real session before a simulated part that sends four lines every 20 s, 3 s late.
    @Test func eachMeasurementOfASessionHasItsTime() throws {
        let settings = #"""
            {"fields": ["a", "b"], "prefix": "B", "intervalSeconds": 5, "burstCount": 4,
             "pushDelaySeconds": 3}
            """#
        var bench = try SessionBench(Self.kind(settings), mode: .live) { $0.warmUp = .zero }
        bench.run(until: Self.at(123))
        // The first burst comes at 23 s; its first line was measured as listening began, at 0 s.
        let expected = stride(from: 5, through: 120, by: 5).map { Self.at($0) }
        #expect(bench.samples.map { $0[0].instant } == expected)
        #expect(bench.missCount == 0)
        #expect(bench.kinds == ["sensor found"])
    }

    /// Half a burst is not lost when live mode ends.
    @Test func whatIsHeldIsHandedOverAtTheEnd() throws {
        let settings = #"""
            {"fields": ["a", "b"], "prefix": "B", "intervalSeconds": 5, "pushDelaySeconds": 2}
            """#
        var bench = try SessionBench(Self.kind(settings), mode: .live) { $0.warmUp = .zero }
        bench.run(until: Self.at(30))
        bench.handle(.stop)
        #expect(bench.samples.map { $0[0].instant } == [5, 10, 15, 20, 25].map { Self.at($0) })
    }

    private static func kind(_ settings: String) throws -> SensorKind {
        let line = SensorKind.line
        let profile = try LineDeviceDialectTests.profile(settings)
        return SensorKind(
            driver: line.driver,
            dialect: { _ throws(DialectError) in try line.dialect(profile) },
            simulator: { _, seed throws(DialectError) in
                try line.simulator(profile, seed)
            }
        )
    }

    @Test(arguments: [
        #"{"fields": ["a", "b"], "burstCount": 0}"#,
        #"{"fields": ["a", "b"], "burstCount": 61}"#,
        #"{"fields": ["a", "b"], "pushDelaySeconds": -1}"#,
        #"{"fields": ["a", "b"], "query": "?", "burstCount": 2}"#,
    ])
    func settingsThatMakeNoSenseAreRefused(settings: String) {
        #expect(throws: DialectError.self) {
            try LineDeviceDialect(LineDeviceDialectTests.profile(settings))
        }
    }
}
