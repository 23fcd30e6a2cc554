import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

@Suite struct SDS011DriverTests {
    @Test func samplesOncePerPeriodAndSpendsTheLaserHoursComputed() throws {
        let (samples, laserTime, events) = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            try await bench.run(for: .seconds(86_399))
            return (bench.sink.samples, bench.laserTime, bench.sink.eventKinds)
        }
        #expect(samples.count == 288)
        #expect(samples.allSatisfy { $0.count == 2 && $0.allSatisfy { $0.outcome.value != nil } })
        #expect(laserTime == .seconds(288 * 25))
        #expect(events == ["sensor found"])
    }

    @Test func streamsOneSampleASecondLive() throws {
        let (samples, events) = try simulate { clock in
            let bench = SDS011Bench(clock: clock, mode: .live)
            try await bench.run(for: .seconds(60))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 60)
        #expect(samples.dropFirst(3).allSatisfy { $0[0].outcome.value != nil })
        #expect(events == ["sensor found"])
    }

    @Test func wakesTheProcessorOnceASampleLive() throws {
        let wakeUps = try simulate { clock in
            let bench = SDS011Bench(clock: clock, mode: .live)
            try await bench.run(for: .seconds(600))
            return clock.wakeUps
        }
        #expect(wakeUps <= 602)
    }

    @Test func staysUnderTwoWakeUpsAMinuteOnADutyCycle() throws {
        let wakeUps = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            try await bench.run(for: .hours(1))
            return clock.wakeUps
        }
        #expect(wakeUps <= 12 * 7 + 1)
    }

    @Test func keepsItsDutyOverALineThatTakesItsTime() throws {
        let (samples, laserTime) = try simulate { clock in
            let bench = SDS011Bench(clock: clock, baud: 9_600)
            try await bench.run(for: .seconds(86_399))
            return (bench.sink.samples, bench.laserTime)
        }
        #expect(samples.count == 288)
        #expect(samples.allSatisfy { $0[0].outcome.value != nil })
        #expect(laserTime >= .seconds(288 * 25) && laserTime < .seconds(288 * 25.1))
    }

    @Test func spendsNoMoreLaserOnAMutePartThanOnAGoodOne() throws {
        let (samples, laserTime, events) = try simulate { clock in
            let mute = SDS011Simulator(faults: [SDS011FaultWindow(.silence)])
            let bench = SDS011Bench(clock: clock, simulator: mute)
            try await bench.run(for: .seconds(86_399))
            return (bench.sink.samples, bench.laserTime, bench.sink.events)
        }
        #expect(samples.count == 288)
        #expect(samples.allSatisfy { $0[0].outcome == .noData(.replyTimeout) })
        #expect(laserTime < .seconds(288 * 25 / 2))
        #expect(events.count == 4)
    }

    @Test func withholdsEventsOfAPartThatFlaps() throws {
        let kinds = try simulate { clock in
            let air = SDS011Air.function { instant in
                let isCeiling = instant.nanoseconds / 1_000_000_000 % 2 == 0
                return isCeiling ? .ceiling : SDS011Measurement(pm25Tenths: 1, pm10Tenths: 2)
            }
            let bench = SDS011Bench(
                clock: clock,
                simulator: SDS011Simulator(air: air),
                mode: .live
            )
            try await bench.run(for: .seconds(3_599))
            return bench.sink.eventKinds
        }
        #expect(kinds.count == 121)
        #expect(kinds.last == "events withheld")
    }

    @Test func acceptsTheMedianOfTheWindow() throws {
        let outcomes = try simulate { clock in
            let air = SDS011Air.function { instant in
                let second = UInt16(instant.nanoseconds / 1_000_000_000 % 300)
                let isOutlier = second == 22
                return SDS011Measurement(
                    pm25Tenths: isOutlier ? 5_000 : second,
                    pm10Tenths: isOutlier ? 1 : second * 2
                )
            }
            let bench = SDS011Bench(clock: clock, simulator: SDS011Simulator(air: air))
            try await bench.run(for: .seconds(60))
            return bench.sink.samples.map { $0.map(\.outcome) }
        }
        #expect(outcomes == [[.value(2.4), .value(4.6)]])
    }

    @Test func believesAPartWhoseFramesMoveThoughEachMedianIsTheSame() throws {
        let (samples, kinds) = try simulate { clock in
            // Each window of five seconds holds the same five values.
            let air = SDS011Air.function { instant in
                let phase = UInt16(instant.nanoseconds / 1_000_000_000 % 5)
                return SDS011Measurement(pm25Tenths: 100 + phase, pm10Tenths: 200 + phase)
            }
            let bench = SDS011Bench(clock: clock, simulator: SDS011Simulator(air: air))
            try await bench.run(for: .seconds(20 * 300 - 1))
            return (bench.sink.samples, bench.sink.eventKinds)
        }
        #expect(samples.count == 20)
        #expect(samples.allSatisfy { $0[0].outcome == .value(10.2) })
        #expect(kinds == ["sensor found"])
    }

    @Test func givesTheSameDayTwiceForTheSameSeed() throws {
        func day() throws -> ([Reading], [Event]) {
            try simulate(seed: 7) { clock in
                let faults = SDS011Fault.allCases.enumerated().map { index, fault in
                    SDS011FaultWindow(
                        fault,
                        from: .boot.advanced(by: .minutes(60 * index + 30)),
                        to: .boot.advanced(by: .minutes(60 * index + 50))
                    )
                }
                let bench = SDS011Bench(
                    clock: clock,
                    simulator: SDS011Simulator(air: .drifting(seed: clock.seed), faults: faults)
                )
                try await bench.run(for: .days(1))
                return (bench.sink.readings, bench.sink.events)
            }
        }
        let (first, second) = (try day(), try day())
        #expect(first.0 == second.0)
        #expect(first.1 == second.1)
        #expect(first.1.count > 10)
    }

    @Test func restoresTheSettingsThatOtherSoftwareLeft() throws {
        let (memory, samples) = try simulate { clock in
            let memory = SDS011Simulator.Memory(reportMode: .active, workingPeriod: 5)
            let bench = SDS011Bench(clock: clock, simulator: SDS011Simulator(memory: memory))
            try await bench.run(for: .seconds(299))
            return (bench.line.withPeer { peer, _ in peer.memory }, bench.sink.samples)
        }
        #expect(memory == .init(reportMode: .query, workingPeriod: 0))
        #expect(samples.count == 1)
    }

    @Test func tellsWhatItKnows() throws {
        let report = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            async let run: Void = bench.run(for: .seconds(100))
            try await clock.sleep(for: .seconds(50))
            let report = await bench.driver.report
            try await run
            return report
        }
        #expect(report.state == "asleep")
        #expect(report.lastMeasurementAt == .boot.advanced(by: .seconds(25)))
        // Nothing about a remedy, doubts or missing acknowledgements.
        #expect(
            report.facts == [
                Fact("id", "A160"), Fact("firmware", "18-11-16"), Fact("awakeSeconds", 25),
                Fact("measurementCount", 5), Fact("rejectedCount", 0),
            ]
        )
    }

    @Test func changesItsModeWhileItSleeps() throws {
        let (samples, isAsleep) = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            async let run: Void = bench.run(for: .seconds(700))
            try await clock.sleep(for: .seconds(100))
            bench.driver.setMode(.live)
            try await clock.sleep(for: .seconds(100))
            bench.driver.setMode(.dutyCycle(.sds011))
            try await run
            return (bench.sink.samples, bench.isAsleep)
        }
        let live = samples.filter { sample in
            (100.0...201).contains(MonotonicInstant.boot.duration(to: sample[0].instant).inSeconds)
        }
        #expect((98...101).contains(live.count))
        // Woken for it, so warming up at first.
        #expect(live.prefix(14).allSatisfy { $0[0].outcome == .noData(.warmingUp) })
        #expect(live.dropFirst(15).allSatisfy { $0[0].outcome.value != nil })
        #expect(samples.count - live.count == 3)
        #expect(isAsleep)
    }

    @Test func promisesItsNextHeartbeatAndKeepsThePromise() throws {
        let latest = try simulate { clock in
            let bench = SDS011Bench(
                clock: clock,
                simulator: SDS011Simulator(faults: [
                    SDS011FaultWindow(
                        .silence,
                        from: .boot.advanced(by: .seconds(310)),
                        to: .boot.advanced(by: .seconds(1_810))
                    )
                ])
            )
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

    @Test func aFanThatRunsWithoutAReasonIsEndedWithinTwoMinutesAndNamed() throws {
        let (laser, kinds, isAsleep) = try simulate { clock in
            let bench = SDS011Bench(clock: clock)
            async let run: Void = bench.run(for: .seconds(299))
            try await clock.sleep(for: .seconds(32))
            // Its supply flickers while it sleeps, and it starts anew, working.
            bench.line.withPeer { peer, now in peer.powerCycle(at: now) }
            try await clock.sleep(for: .seconds(120))
            let isAsleep = bench.isAsleep
            try await run
            return (bench.laserTime, bench.sink.eventKinds, isAsleep)
        }
        #expect(isAsleep)
        #expect(laser > .seconds(30 + 85) && laser < .seconds(30 + 120))
        #expect(kinds == ["sensor found", "fan on without a reason"])
    }

    @Test(arguments: [false, true])
    func theAccountOfTheLaserIsWhatThePartSays(isLive: Bool) throws {
        let (account, laser, times) = try simulate { clock in
            let log = LaserLog()
            let bench = SDS011Bench(
                clock: clock,
                mode: isLive ? .live : .dutyCycle(.sds011),
                laser: log
            )
            try await bench.run(for: .minutes(59))
            let times = log.times
            return (
                times.reduce(Duration.zero) { $0 + $1.time },
                bench.laserTime,
                times
            )
        }
        #expect(account == laser)
        #expect(Set(times.map(\.part)) == ["A160"])
        #expect(Set(times.map(\.life)) == [.hours(8_000)])
        // Not all at the end: a power cut would cost it.
        #expect(times.count >= 6)
    }

    @Test func skipsAndAccountsForPeriodsSleptThrough() throws {
        let samples = try simulate { clock in
            // A remedy that takes 20 min: the port opens late.
            let mute = SDS011Simulator(faults: [SDS011FaultWindow(.silence)])
            let bench = SDS011Bench(clock: clock, simulator: mute) { $0.delayReopen(clock) }
            try await bench.run(for: .seconds(1_499))
            return bench.sink.samples
        }
        #expect(samples.count == 5)
        #expect(samples.allSatisfy { $0[0].outcome == .noData(.replyTimeout) })
    }
}

extension SensorDependencies {
    /// Makes the port open late.
    mutating func delayReopen(_ clock: SimulatedClock, by delay: Duration = .minutes(20)) {
        let reopen = reopen
        self.reopen = {
            try await clock.sleep(for: delay)
            guard let reopen else { throw CancellationError() }
            return try await reopen()
        }
    }
}
