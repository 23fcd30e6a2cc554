import HardwareIO
import Synchronization
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

/// A clock that counts how often a task went to wait.
private final class CountingClock: NodeClock {
    let base: SimulatedClock
    private let count = Mutex(0)

    init(_ base: SimulatedClock) { self.base = base }

    var waitCount: Int { count.withLock { $0 } }
    var now: MonotonicInstant { base.now }
    var wallTime: WallTime? { base.wallTime }

    func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        count.withLock { $0 += 1 }
        return try await base.wait(for: signal, until: deadline, tolerance: tolerance)
    }
}

@Suite struct TrafficLightDriverTests {
    private struct Bench: Sendable {
        let clock: SimulatedClock
        let gpio: SimulatedGPIO
        let sink = RecordingSink()
        let heartbeat: Heartbeat
        let light: TrafficLight

        init(
            _ clock: SimulatedClock,
            onChange: (@Sendable (LampState) -> Void)? = nil
        ) {
            self.clock = clock
            gpio = SimulatedGPIO(clock: clock)
            heartbeat = Heartbeat(clock: clock, limit: .seconds(60))
            light = TrafficLight(at: clock.now, onChange: onChange)
        }

        func driver(on other: (any NodeClock)? = nil) -> TrafficLightDriver {
            TrafficLightDriver(
                light: light,
                settings: TrafficLightSettings(),
                environment: DriverEnvironment(
                    clock: other ?? clock,
                    sink: sink,
                    heartbeat: heartbeat
                ),
                open: { [gpio] in try gpio.requestLines($0) }
            )
        }

        func offer(_ level: AirLevel?, validFor validity: Duration = .seconds(660)) {
            light.offer(level, at: clock.now, validFor: validity)
        }

        /// Red, yellow, green as they are now: `..G`.
        var lamps: String {
            let names = [("GPIO9", "R"), ("GPIO10", "Y"), ("GPIO11", "G")]
            return names.map { gpio.level(of: $0.0) ? $0.1 : "." }.joined()
        }

        var log: [String] {
            sink.events.map { "\($0.instant) \($0["was"] ?? "?") \($0["lamp"] ?? "?")" }
        }
    }

    @Test func theLampIsLitBeforeOfferReturns() throws {
        let (seen, changes) = try simulate { clock in
            let told = Mutex<[LampState]>([])
            let bench = Bench(clock) { state in told.withLock { $0.append(state) } }
            let seen = Mutex<[String]>([])
            _ = try await ending(bench.driver()) {
                try await clock.sleep(for: .seconds(10))
                for level in [AirLevel.good, .moderate, .poor, .poor, nil] {
                    bench.offer(level)
                    seen.withLock { $0.append(bench.lamps) }
                }
                bench.light.reportFault(at: clock.now)
                seen.withLock { $0.append(bench.lamps) }
            }
            return (seen.withLock { $0 }, told.withLock { $0 })
        }
        #expect(seen == ["..G", ".Y.", "R..", "R..", ".Y.", "R.."])
        #expect(changes == [.good, .moderate, .poor, .unknown, .fault])
    }

    @Test func everyChangeIsOneEvent() throws {
        let (log, severities) = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver()) {
                for level in [AirLevel.good, .good, .poor] {
                    try await clock.sleep(for: .seconds(300))
                    bench.offer(level)
                }
                try await clock.sleep(for: .seconds(1_000))
            }
            return (bench.log, bench.sink.events.map(\.severity))
        }
        // 660 s of validity and a quarter of it as tolerance after the last.
        #expect(
            log == ["300.000 unknown good", "900.000 good poor", "1725.000 poor unknown"]
        )
        #expect(severities == [.info, .info, .notice])
    }

    @Test func aStaleLevelIsUnknownWithinItsBound() throws {
        let (before, after) = try simulate { clock in
            let bench = Bench(clock)
            let seen = Mutex<[LampState]>([])
            let look = { @Sendable in
                let state = bench.light.status(at: clock.now).state
                seen.withLock { $0.append(state) }
            }
            _ = try await ending(bench.driver()) {
                bench.offer(.good, validFor: .seconds(100))
                try await clock.sleep(until: .at(99.9))
                look()
                try await clock.sleep(until: .at(125.001))
                look()
                #expect(bench.lamps != "..G")
            }
            let states = seen.withLock { $0 }
            return (states[0], states[1])
        }
        #expect(before == .good)
        #expect(after == .unknown)
    }

    @Test func anOldLevelIsUnknownEvenWithoutADriver() {
        let clock = SimulatedClock()
        let light = TrafficLight(at: clock.now)
        light.offer(.good, at: clock.now, validFor: .seconds(10))
        #expect(light.status(at: .at(9)).state == .good)
        #expect(light.status(at: .at(10)).state == .unknown)
        #expect(!light.status(at: .at(10)).isHeld)
    }

    @Test func everythingIsOffAndFreeAfterwards() throws {
        let (lamps, last, holder, error) = try simulate { clock in
            let bench = Bench(clock)
            let error = try await ending(bench.driver()) {
                try await clock.sleep(for: .seconds(1))
                bench.offer(.poor)
                #expect(bench.gpio.holder(of: "GPIO9") == "roost lights")
            }
            let last = bench.gpio.history.last?.values
            return (bench.lamps, last, bench.gpio.holder(of: "GPIO9"), error)
        }
        #expect(lamps == "...")
        #expect(last == [false, false, false])
        #expect(holder == nil)
        #expect(error is CancellationError)
    }

    @Test func aRestartedDriverShowsWhatIsKnown() throws {
        let (between, after, log) = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver()) {
                try await clock.sleep(for: .seconds(1))
                bench.offer(.moderate, validFor: .seconds(100))
            }
            let between = bench.lamps
            let after = Mutex("")
            _ = try await ending(bench.driver()) {
                try await clock.sleep(for: .seconds(1))
                after.withLock { $0 = bench.lamps }
            }
            try await clock.sleep(for: .seconds(200))
            let late = bench.driver()
            _ = try await ending(late) { try await clock.sleep(for: .milliseconds(1)) }
            return (between, after.withLock { $0 }, bench.log)
        }
        #expect(between == "...")
        #expect(after == ".Y.")
        #expect(log == ["1.000 unknown moderate", "202.000 moderate unknown"])
    }

    @Test func aLampThatCannotBeSetEndsTheDriverAndNotTheOffer() throws {
        let (error, status) = try simulate { clock in
            let bench = Bench(clock)
            let error = try await ending(bench.driver()) {
                try await clock.sleep(for: .seconds(1))
                bench.gpio.disconnect(chip: "pinctrl-bcm2711")
                bench.offer(.good)
                try await clock.sleep(for: .seconds(1))
            }
            return (error as? GPIOError, bench.light.status(at: clock.now))
        }
        #expect(error == .disconnected(chip: "pinctrl-bcm2711"))
        #expect(status.state == .good && !status.isHeld && status.lamp == .dark)
    }

    @Test func busyPinsAreNamed() throws {
        let error = try simulate { clock in
            let bench = Bench(clock)
            bench.gpio.hold("GPIO10", by: "spi0", hint: "SPI0 uses GPIO 9, 10 and 11")
            return try await ending(bench.driver()) { try await clock.sleep(for: .seconds(1)) }
                as? GPIOError
        }
        #expect(error.map { "\($0)" }?.contains("SPI0 uses GPIO 9, 10 and 11") == true)
    }

    @Test func aSteadyLampCostsAFewWakeUpsAnHour() throws {
        let (wakeUps, sets, late) = try simulate { clock in
            let bench = Bench(clock)
            let late = Mutex(0)
            bench.offer(.good)
            _ = try await ending(bench.driver()) {
                for _ in 0..<288 {
                    bench.offer(.good)
                    try await clock.sleep(for: .seconds(300))
                    let isLate = bench.heartbeat.snapshot.deadline < clock.now
                    if isLate { late.withLock { $0 += 1 } }
                }
            }
            return (clock.wakeUps - 288, bench.gpio.setCount, late.withLock { $0 })
        }
        #expect(wakeUps <= 24 * 6)
        #expect(sets == 2)  // Green, and off.
        #expect(late == 0)
    }

    @Test func aSampleThatChangesNothingWakesNobody() throws {
        let (before, after) = try simulate { clock in
            let bench = Bench(clock)
            let counting = CountingClock(clock)
            let before = Mutex(0)
            _ = try await ending(bench.driver(on: counting)) {
                try await clock.sleep(for: .seconds(1))
                bench.offer(.good)
                try await clock.sleep(for: .seconds(60))
                before.withLock { $0 = counting.waitCount }
                for _ in 0..<100 {
                    bench.offer(.good)
                    try await clock.sleep(for: .seconds(1))
                }
            }
            return (before.withLock { $0 }, counting.waitCount)
        }
        #expect(before >= 2)
        #expect(after == before)
    }

    /// At start, in a flash, in the dark, with a steady lamp.
    @Test(arguments: [0, 0.2, 5, 30.2, 65])
    func whereverItIsCancelledEverythingIsOff(seconds: Double) throws {
        let (lamps, holder) = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver()) {
                try await clock.sleep(until: .at(min(seconds, 60)))
                if seconds > 60 { bench.offer(.poor) }
                try await clock.sleep(until: .at(seconds))
            }
            return (bench.lamps, bench.gpio.holder(of: "GPIO11"))
        }
        #expect(lamps == "...")
        #expect(holder == nil)
    }

    @Test func anUnknownLampCostsFourWakeUpsAMinuteAtMost() throws {
        let (wakeUps, lit) = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver()) { try await clock.sleep(for: .hours(1)) }
            return (clock.wakeUps - 1, bench.gpio.history.filter { $0.values[1] }.count)
        }
        #expect(wakeUps <= 240)
        #expect((100...121).contains(lit))
    }

    /// Random offers on a running driver: never two lamps, never a wrong lamp.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func neverTwoLampsAndNeverAWrongOne(seed: UInt64) throws {
        let (history, offers) = try simulate(seed: seed) { clock in
            let bench = Bench(clock)
            let offers = Mutex<[(MonotonicInstant, AirLevel?)]>([])
            _ = try await ending(bench.driver()) {
                var random = SplitMix64(seed: seed)
                for _ in 0..<500 {
                    let pause = Int.random(in: 1...20_000, using: &random)
                    try await clock.sleep(for: .milliseconds(pause))
                    let level = ([nil] + AirLevel.allCases).randomElement(using: &random) ?? nil
                    offers.withLock { $0.append((clock.now, level)) }
                    bench.offer(level, validFor: .seconds(8))
                }
            }
            return (bench.gpio.history, offers.withLock { $0 })
        }
        #expect(history.count > 500)
        for change in history {
            #expect(change.values.filter { $0 }.count <= 1)
            let offer = offers.last { $0.0 <= change.instant }
            if change.values[2] {
                #expect(offer?.1 == .good)
                let age = offer.map { $0.0.duration(to: change.instant) } ?? .zero
                #expect(age < .seconds(8))
            }
            if change.values[0] { #expect(offer?.1 == .poor) }
        }
    }
}
