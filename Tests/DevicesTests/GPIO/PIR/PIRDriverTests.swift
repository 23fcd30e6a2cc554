import HardwareIO
import Synchronization
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

/// Runs a child beside `body`, cancels it when that ends, and returns how the child ended.
func ending(
    _ child: any Child,
    after body: @escaping @Sendable () async throws -> Void
) async throws -> (any Error)? {
    try await withThrowingTaskGroup(of: (any Error)?.self) { group in
        group.addTask {
            do {
                try await child.run()
                return nil
            } catch {
                return error
            }
        }
        try await body()
        group.cancelAll()
        return try await group.next() ?? nil
    }
}

@Suite struct PIRDriverTests {
    private struct Bench: Sendable {
        let clock: SimulatedClock
        let gpio: SimulatedGPIO
        let sink = RecordingSink()
        let heartbeat: Heartbeat
        let driver: PIRDriver

        init(
            _ clock: SimulatedClock,
            queueRule: SimulatedGPIO.QueueRule = .dropsOldest,
            _ change: (inout PIRSettings) -> Void = { _ in }
        ) {
            self.clock = clock
            let gpio = SimulatedGPIO(queueRule: queueRule, clock: clock)
            self.gpio = gpio
            heartbeat = Heartbeat(clock: clock, limit: .seconds(60))
            var settings = PIRSettings(line: .name("GPIO17"))
            change(&settings)
            driver = PIRDriver(
                name: "hall",
                settings: settings,
                environment: DriverEnvironment(
                    clock: clock,
                    sink: sink,
                    heartbeat: heartbeat
                ),
                open: { try gpio.requestLines($0) }
            )
        }

        func pulse(from: Double, to: Double) async throws {
            try await clock.sleep(until: .at(from))
            gpio.drive("GPIO17", true)
            try await clock.sleep(until: .at(to))
            gpio.drive("GPIO17", false)
        }

        /// `kind` and seconds since boot.
        var log: [String] { sink.events.map { "\($0.kind.name) \($0.instant)" } }
    }

    @Test func tellsMotionWithTheKernelsInstants() throws {
        let (events, status, holder) = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver) {
                try await bench.pulse(from: 20, to: 25)
                try await bench.pulse(from: 100, to: 103)
                try await bench.pulse(from: 106, to: 109)
                try await clock.sleep(until: .at(200))
            }
            return (bench.sink.events, bench.driver.status, bench.gpio.holder(of: "GPIO17"))
        }
        #expect(events.map(\.kind.name) == ["motion", "motion ended"])
        #expect(events.map(\.instant) == [.at(100), .at(109)])
        #expect(events.allSatisfy { $0.source == "hall" })
        #expect(events[1]["seconds"] == "9.000")
        #expect(events[1]["pulses"] == "2")
        #expect(status.motionCount == 1 && !status.isMoving)
        #expect(holder == nil)
    }

    @Test func statusShowsMotionWhileItGoesOn() throws {
        let (during, log, moving) = try simulate { clock in
            let bench = Bench(clock)
            let during = Mutex<PIRStatus?>(nil)
            let error = try await ending(bench.driver) {
                try await clock.sleep(until: .at(100))
                bench.gpio.drive("GPIO17", true)
                try await clock.sleep(until: .at(101))
                during.withLock { $0 = bench.driver.status }
            }
            #expect(error is CancellationError)
            return (during.withLock { $0 }, bench.log, bench.driver.status.isMoving)
        }
        #expect(during?.isMoving == true)
        #expect(during?.lastMotion?.start == .at(100))
        #expect(log == ["motion 100.000", "motion ended 101.000"])
        #expect(!moving)
    }

    @Test func aLostChipEndsTheDriver() throws {
        let (error, log) = try simulate { clock in
            let bench = Bench(clock)
            let error = try await ending(bench.driver) {
                try await clock.sleep(until: .at(100))
                bench.gpio.drive("GPIO17", true)
                try await clock.sleep(until: .at(105))
                bench.gpio.disconnect(chip: "pinctrl-bcm2711")
                try await clock.sleep(until: .at(110))
            }
            return (error as? GPIOError, bench.log)
        }
        #expect(error == .disconnected(chip: "pinctrl-bcm2711"))
        #expect(log == ["motion 100.000", "motion ended 105.000"])
    }

    @Test func aBusyLineEndsTheDriverAndNamesTheHolder() throws {
        let error = try simulate { clock in
            let bench = Bench(clock)
            bench.gpio.hold("GPIO17", by: "gpio-keys")
            return try await ending(bench.driver) { try await clock.sleep(for: .seconds(1)) }
                as? GPIOError
        }
        #expect(error.map { "\($0)" }?.contains("in use by gpio-keys") == true)
    }

    @Test func aStormIsLetGoAndCostsNothing() throws {
        let (log, held, wakeUps, edges, status) = try simulate { clock in
            let bench = Bench(clock)
            let held = Mutex<String?>("nobody asked")
            let wakeUps = Mutex(0)
            _ = try await ending(bench.driver) {
                try await clock.sleep(until: .at(100))
                try await bench.gpio.storm("GPIO17", edgesPerSecond: 50, for: .seconds(2))
                held.withLock { $0 = bench.gpio.holder(of: "GPIO17") }
                let before = clock.wakeUps
                try await clock.sleep(until: .at(399))
                wakeUps.withLock { $0 = clock.wakeUps - before }
                try await clock.sleep(until: .at(3_000))
                try await bench.pulse(from: 3_000, to: 3_002)
                try await clock.sleep(until: .at(3_100))
            }
            let status = bench.driver.status
            return (
                bench.log, held.withLock { $0 }, wakeUps.withLock { $0 }, status.edgeCount, status
            )
        }
        #expect(log.count == 4)
        #expect(log[0].hasPrefix("line muted 100.2"))
        #expect(log[1].hasPrefix("recovered"))
        #expect(log[2...] == ["motion 3000.000", "motion ended 3002.000"])
        #expect(held == nil)
        #expect(wakeUps == 1)  // The test's own.
        #expect(edges == 13)
        #expect(status.muteCount == 1 && status.faults.isEmpty)
    }

    @Test(arguments: [SimulatedGPIO.QueueRule.dropsOldest, .dropsNewest])
    func afterAnOverrunTheLevelIsAskedFor(rule: SimulatedGPIO.QueueRule) throws {
        let (status, log) = try simulate { clock in
            let bench = Bench(clock, queueRule: rule) { $0.stormEdges = 1_000 }
            _ = try await ending(bench.driver) {
                try await clock.sleep(until: .at(100))
                // 17 edges in one turn, so that no task reads in between; the last one is rising.
                for index in 0..<17 { bench.gpio.drive("GPIO17", index % 2 == 0) }
                try await bench.pulse(from: 110, to: 110)
                try await clock.sleep(until: .at(200))
            }
            return (bench.driver.status, bench.log)
        }
        #expect(status.overrunCount == 1)
        #expect(status.edgeCount == 17)
        #expect(log == ["motion 100.000", "motion ended 110.000"])
    }

    @Test func aStuckLineIsToldOnceADay() throws {
        let (log, wakeUps) = try simulate { clock in
            let bench = Bench(clock)
            let wakeUps = Mutex(0)
            _ = try await ending(bench.driver) {
                try await clock.sleep(until: .at(100))
                bench.gpio.stick("GPIO17", at: true)
                try await clock.sleep(until: .at(86_400))
                wakeUps.withLock { $0 = clock.wakeUps }
                bench.gpio.stick("GPIO17", at: nil)
                bench.gpio.drive("GPIO17", false)
                try await clock.sleep(until: .at(86_500))
            }
            return (bench.log, wakeUps.withLock { $0 })
        }
        #expect(
            log == [
                "motion 100.000", "motion ended 2100.000", "stuck high 2100.000",
                "recovered 86400.000",
            ]
        )
        #expect(wakeUps < 30)
    }

    @Test func anIdleSensorWakesOnceAnHourAndKeepsItsPromises() throws {
        let (wakeUps, late) = try simulate { clock in
            let bench = Bench(clock)
            let late = Mutex(0)
            _ = try await ending(bench.driver) {
                for hour in 1...24 {
                    try await clock.sleep(until: .at(Double(hour) * 3_600))
                    let isLate = bench.heartbeat.snapshot.deadline < clock.now
                    if isLate { late.withLock { $0 += 1 } }
                }
            }
            return (clock.wakeUps - 24, late.withLock { $0 })
        }
        #expect(wakeUps <= 24)
        #expect(late == 0)
    }

    /// Before the pulse counts, in motion, lingering, blocked, muted, and on probation.
    @Test(arguments: [0.5, 100.05, 101, 104, 108, 205, 600, 1_200])
    func whereverItIsCancelledTheLineIsFreeAndEveryMotionHasAnEnd(seconds: Double) throws {
        let (error, holder, kinds) = try simulate { clock in
            let bench = Bench(clock)
            let error = try await ending(bench.driver) {
                async let pulses: Void = {
                    try await bench.pulse(from: 100, to: 103)
                    try await clock.sleep(until: .at(200))
                    try await bench.gpio.storm("GPIO17", edgesPerSecond: 50, for: .seconds(1))
                }()
                try await clock.sleep(until: .at(seconds))
                if seconds > 210 { try await pulses }
            }
            return (error, bench.gpio.holder(of: "GPIO17"), bench.sink.eventKinds)
        }
        #expect(error is CancellationError)
        #expect(holder == nil)
        #expect(kinds.filter { $0 == "motion" }.count == (seconds > 100.3 ? 1 : 0))
        #expect(
            kinds.filter { $0 == "motion ended" }.count == kinds.filter { $0 == "motion" }.count
        )
    }

    @Test func anIdlePIRAndASteadyLampWakeOnceAnHourBesidesTheSamples() throws {
        let wakeUps = try simulate { clock in
            let bench = Bench(clock)
            let light = TrafficLight(at: clock.now)
            let lights = TrafficLightDriver(
                light: light,
                settings: TrafficLightSettings(),
                environment: DriverEnvironment(
                    clock: clock,
                    sink: bench.sink,
                    heartbeat: bench.heartbeat
                ),
                open: { [gpio = bench.gpio] in try gpio.requestLines($0) }
            )
            let own = 2 * 288
            _ = try await ending(bench.driver) {
                _ = try await ending(lights) {
                    // As an SDS011 in `normal` mode: awake 30 s before each sample.
                    for index in 0..<288 {
                        try await clock.sleep(until: .at(Double(index) * 300 + 270))
                        try await clock.sleep(for: .seconds(30))
                        light.offer(.good, at: clock.now, validFor: .seconds(480))
                    }
                }
            }
            return clock.wakeUps - own
        }
        #expect(wakeUps <= 24, "\(wakeUps) in a day")
    }
}
