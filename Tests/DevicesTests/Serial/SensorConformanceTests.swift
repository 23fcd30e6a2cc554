import HardwareIO
import TestSupport
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime
@testable import SimulationKit

/// Faults that every driver in the catalog must survive, with the part at rest afterwards.
@Suite struct SensorConformanceTests {
    static let drivers = DeviceCatalog.kinds.map(\.driver)
    static let modes: [SensorMode] = [.dutyCycle(BenchProfile.cycle), .live]
    static let faults: [SensorFault?] = [nil] + SensorFault.allCases

    private func kind(_ driver: String) throws -> SensorKind {
        try #require(DeviceCatalog.kind(driver))
    }

    private func part(_ kind: SensorKind, _ faults: [SensorFaultWindow]) throws -> SensorPart {
        SensorPart(try kind.simulator(BenchProfile.make(of: kind), 1), faults: faults)
    }

    /// Moments of the first 70 s; in the small form each falls to one of the faults.
    private func moments(every step: Int, _ number: Int) -> [Int] {
        let all = Array(stride(from: 0, through: 70_000, by: step))
        return Exhaustive.dealt(all, to: number, of: Self.faults.count)
    }

    @Test func everyDriverHasOneName() {
        #expect(Set(Self.drivers).count == Self.drivers.count)
    }

    @Test(arguments: drivers, modes)
    func throwsWhenThePortIsGoneAtTheStart(driver: String, mode: SensorMode) throws {
        #expect(throws: SerialError.disconnected(path: "/dev/ttyUSB0")) {
            try simulate { clock in
                let bench = try SensorBench(kind(driver), clock: clock, mode: mode)
                bench.line.unplug()
                try await bench.run(for: .seconds(100))
            }
        }
    }

    @Test(arguments: drivers, modes)
    func throwsWhenUnpluggedInMidFrame(driver: String, mode: SensorMode) throws {
        for byteCount in [1, 7, 9, 15, 33, 55] {
            #expect(throws: SerialError.disconnected(path: "/dev/ttyUSB0")) {
                try simulate { clock in
                    let bench = try SensorBench(kind(driver), clock: clock, mode: mode)
                    bench.line.unplug(afterBytes: byteCount)
                    try await bench.run(for: .hours(10))
                }
            }
        }
    }

    @Test(arguments: drivers, modes)
    func throwsWhenUnpluggedWhileItWaits(driver: String, mode: SensorMode) throws {
        for second in [3, 19, 27, 29, 100, 301] {
            #expect(throws: SerialError.disconnected(path: "/dev/ttyUSB0")) {
                try simulate { clock in
                    let bench = try SensorBench(kind(driver), clock: clock, mode: mode)
                    bench.line.unplug(at: .boot.advanced(by: .seconds(second)))
                    try await bench.run(for: .seconds(1_000))
                }
            }
        }
    }

    @Test(arguments: drivers, modes)
    func isAtRestWheneverItIsCancelled(driver: String, mode: SensorMode) throws {
        let kind = try kind(driver)
        // Prime steps reach every wait of the first 70 s, remedies included.
        for (number, fault) in Self.faults.enumerated() {
            for milliseconds in moments(every: 1_571, number) {
                let (isLeftAtRest, isQuiet) = try simulate { clock in
                    let part = try part(kind, fault.map { [SensorFaultWindow($0)] } ?? [])
                    let bench = try SensorBench(kind, clock: clock, mode: mode, part: part)
                    try await bench.runAndCancel(after: .milliseconds(milliseconds))
                    return (bench.isLeftAtRest, bench.isQuiet)
                }
                let words = "\(fault?.rawValue ?? "well"), cancelled after \(milliseconds) ms"
                #expect(isLeftAtRest, "\(words)")
                #expect(isQuiet || fault == .deaf, "\(words)")
            }
        }
    }

    @Test(arguments: drivers, modes)
    func stopsInOrderWithinItsGraceWheneverItIsAsked(driver: String, mode: SensorMode) throws {
        let kind = try kind(driver)
        for (number, fault) in Self.faults.enumerated() {
            for milliseconds in moments(every: 2_741, number) {
                let (isLeftAtRest, took) = try simulate { clock in
                    let part = try part(kind, fault.map { [SensorFaultWindow($0)] } ?? [])
                    let bench = try SensorBench(kind, clock: clock, mode: mode, part: part)
                    try await bench.run(for: .milliseconds(milliseconds))
                    let asked = MonotonicInstant.boot.advanced(by: .milliseconds(milliseconds))
                    return (bench.isLeftAtRest, asked.duration(to: clock.now))
                }
                let words = "\(fault?.rawValue ?? "well"), stopped after \(milliseconds) ms"
                #expect(isLeftAtRest, "\(words)")
                // Attachments give a driver 8 s.
                #expect(took <= .seconds(7), "\(words)")
            }
        }
    }

    @Test(arguments: drivers, SensorFault.allCases)
    func leavesNoPeriodUnaccountedAndRecovers(driver: String, fault: SensorFault) throws {
        let kind = try kind(driver)
        let (samples, isLeftAtRest) = try simulate { clock in
            let window = SensorFaultWindow(
                fault,
                from: .boot.advanced(by: .minutes(10)),
                to: .boot.advanced(by: .minutes(40))
            )
            let bench = try SensorBench(kind, clock: clock, part: part(kind, [window]))
            try await bench.run(for: .seconds(3_599))
            return (bench.sink.samples, bench.isLeftAtRest)
        }
        #expect(samples.count == 12)
        #expect(samples.prefix(2).allSatisfy { $0.contains { $0.outcome.value != nil } })
        #expect(samples.last?.contains { $0.outcome.value != nil } == true)
        #expect(isLeftAtRest)
    }

    @Test(arguments: drivers, SensorFault.allCases)
    func accountsForAllTimeLive(driver: String, fault: SensorFault) throws {
        let kind = try kind(driver)
        let (samples, interval) = try simulate { clock in
            let window = SensorFaultWindow(
                fault,
                from: .boot.advanced(by: .seconds(100)),
                to: .boot.advanced(by: .seconds(700))
            )
            let bench = try SensorBench(kind, clock: clock, mode: .live, part: part(kind, [window]))
            try await bench.run(for: .seconds(1_300))
            return (bench.sink.samples, bench.interval)
        }
        let gaps = zip(samples, samples.dropFirst()).map {
            $0[0].instant.duration(to: $1[0].instant)
        }
        #expect(gaps.allSatisfy { $0 < interval * 2.6 }, "\(gaps.max() ?? .zero)")
        #expect(samples.last?.contains { $0.outcome.value != nil } == true)
    }

    @Test(arguments: drivers, modes)
    func promisesItsNextHeartbeatAndKeepsThePromise(driver: String, mode: SensorMode) throws {
        let kind = try kind(driver)
        let latest = try simulate { clock in
            let silence = SensorFaultWindow(
                .silence,
                from: .boot.advanced(by: .seconds(310)),
                to: .boot.advanced(by: .seconds(1_810))
            )
            let bench = try SensorBench(kind, clock: clock, mode: mode, part: part(kind, [silence]))
            async let run: Void = bench.run(for: .hours(1))
            var latest = Duration.seconds(-1_000)
            for _ in 0..<3_500 {
                try await clock.sleep(for: .seconds(1))
                latest = max(latest, bench.heartbeat.snapshot.deadline.duration(to: clock.now))
            }
            try await run
            return latest
        }
        #expect(latest < .zero)
    }
}

extension SensorBench {
    /// Whether nothing will come of itself from a part that can rest.
    fileprivate var isQuiet: Bool {
        guard !dialect.commands(for: .rest).isEmpty else { return true }
        return line.withPeer { part, _ in part.peer.nextActivity == nil }
    }

    fileprivate var interval: Duration {
        switch dialect.rhythm {
        case .streams(let every): max(every, .seconds(1))
        case .answers(let least): max(least, .seconds(1))
        }
    }
}
