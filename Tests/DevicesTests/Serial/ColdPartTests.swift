import HardwareIO
import Synchronization
import Testing

@testable import Core
@testable import Devices
@testable import Fuzzing
@testable import Runtime
@testable import SimulationKit

/// A part that has just got power is not warm, whatever it reports.
@Suite struct ColdPartTests {
    /// Answers command 86 as a part that has just been given power: 1215 ppm twice, then 410.
    private struct ColdMHZ19B: SerialPeer {
        static let replies: [[UInt8]] = [
            [0xFF, 0x86, 0x04, 0xBF, 0x3D, 0x40, 0x42, 0xCF, 0x29],
            [0xFF, 0x86, 0x01, 0x9A, 0x3D, 0x40, 0x42, 0xCF, 0x51],
        ]
        var count = 0
        var nextActivity: MonotonicInstant? { nil }

        mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
            defer { count += 1 }
            guard now < .boot.advanced(by: .seconds(180)) else {
                return [0xFF, 0x86, 0x02, 0x60, 0x47, 0x00, 0x00, 0x00, 0xD1]
            }
            return Self.replies[count < 2 ? 0 : 1]
        }

        mutating func advance(to now: MonotonicInstant) -> [UInt8] { [] }
    }

    private static let everyMinute = SensorMode.dutyCycle(
        DutyCycle(period: .minutes(1), warmUp: .zero, window: .seconds(5), tolerance: .seconds(2))
    )

    @Test(arguments: [everyMinute, .live])
    func aColdMHZ19BHasNoValueForThreeMinutes(mode: SensorMode) throws {
        let (samples, lateness) = try simulate { clock in
            let part = SensorPart(ColdMHZ19B())
            let bench = try SensorBench(.mhz19b, clock: clock, mode: mode, part: part) { setup in
                setup.poweredAt = .boot
                (setup.warmUp, setup.preheat) = (.zero, .seconds(180))
            }
            async let run: Void = bench.run(for: .seconds(299))
            var lateness = Duration.zero
            for _ in 0..<298 {
                try await clock.sleep(for: .seconds(1))
                lateness = max(lateness, bench.heartbeat.snapshot.deadline.duration(to: clock.now))
            }
            try await run
            return (bench.sink.samples.flatMap(\.self), lateness)
        }
        let cold = samples.filter { $0.instant < .boot.advanced(by: .seconds(180)) }
        #expect(cold.count >= 3)
        #expect(cold.allSatisfy { $0.outcome == .noData(.warmingUp) })
        let warm = samples.filter { $0.outcome.value != nil }
        #expect(!warm.isEmpty && warm.allSatisfy { $0.outcome == .value(608) })
        #expect(lateness == .zero)
    }

    /// A part that streams from power-on, plugged in 10 s before `live` begins.
    @Test(arguments: DeviceCatalog.kinds.map(\.driver).filter { $0 != "bgeigie-nano" })
    func aPartThatStreamsIsColdUntilItsPreheatIsOver(driver: String) throws {
        let kind = try #require(DeviceCatalog.kind(driver))
        let seconds = try simulate { clock in
            let bench = try SensorBench(kind, clock: clock, mode: .live) { setup in
                setup.poweredAt = .boot
                (setup.warmUp, setup.preheat) = (.seconds(20), .seconds(60))
            }
            try await bench.run(for: .seconds(100))
            let first = bench.sink.samples.joined().first { $0.outcome.value != nil }
            return try #require(first).instant.nanoseconds / 1_000_000_000
        }
        #expect((59...66).contains(seconds))
    }

    /// A restart of the program does not cool the part: its power is older than the preheat.
    @Test func aPartThatRunsForLongIsWarmAtOnce() throws {
        let seconds = try simulate { clock in
            try await clock.sleep(for: .seconds(600))
            let bench = try SensorBench(.sds011, clock: clock, mode: .live) { setup in
                setup.poweredAt = .boot
                (setup.warmUp, setup.preheat) = (.seconds(20), .seconds(20))
            }
            try await bench.run(for: .seconds(30))
            let first = bench.sink.samples.joined().first { $0.outcome.value != nil }
            return try #require(first).instant.nanoseconds / 1_000_000_000
        }
        #expect((600...603).contains(seconds))
    }

    /// Silence for half an hour may have been a cut of its power.
    @Test func aPartThatComesBackFromALongSilenceIsCold() throws {
        let back = MonotonicInstant.boot.advanced(by: .minutes(40))
        let early = try simulate { clock in
            let silence = SensorFaultWindow(
                .silence,
                from: .boot.advanced(by: .minutes(10)),
                to: back
            )
            let part = SensorPart(MHZ19BSimulator(), faults: [silence])
            let bench = try SensorBench(.mhz19b, clock: clock, mode: .live, part: part) { setup in
                setup.poweredAt = .boot
                (setup.warmUp, setup.preheat) = (.zero, .seconds(180))
            }
            try await bench.run(for: .minutes(60))
            return bench.sink.samples.joined().filter { reading in
                reading.instant >= back && reading.outcome.value != nil
            }
        }
        let first = try #require(early.first).instant
        #expect(back.advanced(by: .seconds(180)) <= first)
        #expect(first < back.advanced(by: .minutes(9)))
    }

    /// A port that is opened again may have another adapter behind it, which has just got power.
    @Test func aReopenedPortWithANewAdapterIsCold() throws {
        let (reopened, first, kinds) = try simulate { clock in
            let silence = SensorFaultWindow(.silence, from: .boot.advanced(by: .minutes(10)))
            let part = SensorPart(MHZ19BSimulator(), faults: [silence])
            let line = Mutex<SimulatedSerialPort<SensorPart>?>(nil)
            let reopenedAt = Mutex<MonotonicInstant?>(nil)
            let bench = try SensorBench(.mhz19b, clock: clock, mode: .live, part: part) { setup in
                setup.poweredAt = .boot
                (setup.warmUp, setup.preheat) = (.zero, .seconds(180))
                let reopen = setup.reopen
                setup.reopen = {
                    guard let reopen else { throw CancellationError() }
                    reopenedAt.withLock { $0 = $0 ?? clock.now }
                    line.withLock { $0 }?.withPeer { part, _ in part.clearFaults() }
                    return SensorDependencies.Line(try await reopen().port, poweredAt: clock.now)
                }
            }
            line.withLock { $0 = bench.line }
            try await bench.run(for: .minutes(20))
            let reopened = try #require(reopenedAt.withLock { $0 })
            let first = bench.sink.samples.joined().first {
                $0.instant >= reopened && $0.outcome.value != nil
            }
            return (reopened, try #require(first).instant, bench.sink.eventKinds)
        }
        // It was not away for so long that it is taken for cold by itself.
        #expect(!kinds.contains("sensor not answering"))
        #expect((.seconds(180) ... .seconds(190)).contains(reopened.duration(to: first)))
    }
}
