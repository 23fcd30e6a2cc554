import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

@Suite struct LEDDriverTests {
    private struct Bench: Sendable {
        let gpio: SimulatedGPIO
        let light: LEDLight
        let driver: LEDDriver

        init(_ clock: SimulatedClock) {
            let gpio = SimulatedGPIO(clock: clock)
            self.gpio = gpio
            light = LEDLight(at: clock.now)
            driver = LEDDriver(
                name: "alive",
                light: light,
                settings: LEDSettings(line: .name("GPIO22")),
                environment: DriverEnvironment(
                    clock: clock,
                    sink: RecordingSink(),
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(60))
                ),
                open: { try gpio.requestLines($0) }
            )
        }

        var isLit: Bool { gpio.level(of: "GPIO22") }
    }

    @Test func showsWhatItIsToldAndEndsDarkWithItsLineFree() throws {
        let (levels, isLit, holder) = try simulate { clock in
            let bench = Bench(clock)
            bench.light.show(.on, at: clock.now)
            let levels = Levels()
            _ = try await ending(bench.driver) {
                try await clock.sleep(until: .at(5))
                levels.add(bench.isLit)
                bench.light.show(.off, at: clock.now)
                try await clock.sleep(until: .at(6))
                levels.add(bench.isLit)
                bench.light.show(.blinking, at: clock.now)
                try await clock.sleep(until: .at(6.25))
                levels.add(bench.isLit)
                try await clock.sleep(until: .at(6.75))
                levels.add(bench.isLit)
                bench.light.show(.on, at: clock.now)
                try await clock.sleep(until: .at(8))
                levels.add(bench.isLit)
            }
            return (levels.all, bench.isLit, bench.gpio.holder(of: "GPIO22"))
        }
        #expect(levels == [true, false, true, false, true])
        #expect(!isLit && holder == nil)
    }

    @Test func isDarkWhenItsChipWentAway() throws {
        let error = try simulate { clock in
            let bench = Bench(clock)
            return try await ending(bench.driver) {
                try await clock.sleep(until: .at(5))
                bench.gpio.disconnect(chip: "pinctrl-bcm2711")
                bench.light.show(.on, at: clock.now)
                try await clock.sleep(until: .at(60))
            } as? GPIOError
        }
        #expect(error == .disconnected(chip: "pinctrl-bcm2711"))
    }

    @Test func aSteadyLampWakesOnceAnHour() throws {
        let wakeUps = try simulate { clock in
            let bench = Bench(clock)
            bench.light.show(.on, at: clock.now)
            _ = try await ending(bench.driver) { try await clock.sleep(for: .days(1)) }
            return clock.wakeUps
        }
        #expect(wakeUps <= 26)
    }

    private final class Levels: @unchecked Sendable {
        // One simulation is one thread.
        private(set) var all: [Bool] = []
        func add(_ level: Bool) { all.append(level) }
    }
}
