import HardwareIO
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

@Suite struct ButtonDriverTests {
    private struct Bench: Sendable {
        let clock: SimulatedClock
        let gpio: SimulatedGPIO
        let sink = RecordingSink()
        let driver: ButtonDriver

        init(_ clock: SimulatedClock) {
            self.clock = clock
            let gpio = SimulatedGPIO(clock: clock)
            self.gpio = gpio
            gpio.drive("GPIO27", true)
            driver = ButtonDriver(
                name: "bell",
                settings: ButtonSettings(line: .name("GPIO27")),
                environment: DriverEnvironment(
                    clock: clock,
                    sink: sink,
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(60))
                ),
                open: { try gpio.requestLines($0) }
            )
        }

        /// Pulls the line to ground between two instants.
        func press(from: Double, to: Double) async throws {
            try await clock.sleep(until: .at(from))
            gpio.drive("GPIO27", false)
            try await clock.sleep(until: .at(to))
            gpio.drive("GPIO27", true)
        }

        var log: [String] { sink.events.map { "\($0.kind.name) \($0.instant)" } }
    }

    @Test func tellsPressesWithTheKernelsInstants() throws {
        let (log, details, status, holder) = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver) {
                try await bench.press(from: 20, to: 20.25)
                try await bench.press(from: 40, to: 42)
                try await clock.sleep(until: .at(100))
            }
            let details = bench.sink.events.filter { $0.kind.name == "released" }.map {
                [$0["seconds"], $0["long"]]
            }
            return (bench.log, details, bench.driver.status, bench.gpio.holder(of: "GPIO27"))
        }
        #expect(
            log == [
                "pressed \(MonotonicInstant.at(20))", "released \(MonotonicInstant.at(20.25))",
                "pressed \(MonotonicInstant.at(40))", "long press \(MonotonicInstant.at(41))",
                "released \(MonotonicInstant.at(42))",
            ]
        )
        let duration = MonotonicInstant.at(0.25).description
        #expect(details.first == [duration, "no"] && details.last?[1] == "yes")
        #expect(status.pressCount == 2 && !status.isPressed)
        #expect(holder == nil, "the line is free after it was stopped")
    }

    @Test func anIdleButtonWakesOnceAnHour() throws {
        let wakeUps = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver) { try await clock.sleep(for: .days(1)) }
            return clock.wakeUps
        }
        #expect(wakeUps <= 26)
    }

    @Test func aLooseWireIsLetGoAndTakenAgain() throws {
        let log = try simulate { clock in
            let bench = Bench(clock)
            _ = try await ending(bench.driver) {
                try await clock.sleep(until: .at(10))
                for _ in 0..<40 {
                    bench.gpio.drive("GPIO27", false)
                    try await clock.sleep(for: .milliseconds(60))
                    bench.gpio.drive("GPIO27", true)
                    try await clock.sleep(for: .milliseconds(60))
                }
                #expect(bench.gpio.holder(of: "GPIO27") == nil)
                try await clock.sleep(for: .minutes(7))
                #expect(bench.gpio.holder(of: "GPIO27") != nil)
            }
            #expect(bench.gpio.holder(of: "GPIO27") == nil)
            return bench.sink.events.map(\.kind.name)
        }
        #expect(log.filter { $0 == "line muted" }.count == 1)
        #expect(log.last == "recovered")
        #expect(log.filter { $0 == "pressed" }.count == ButtonSettings.stormPresses)
    }

    @Test func failsWhenTheChipGoesAway() throws {
        let (error, holder) = try simulate { clock in
            let bench = Bench(clock)
            let error = try await ending(bench.driver) {
                try await clock.sleep(until: .at(5))
                bench.gpio.disconnect(chip: "pinctrl-bcm2711")
                try await clock.sleep(until: .at(6))
            }
            return (error as? GPIOError, bench.gpio.holder(of: "GPIO27"))
        }
        #expect(error == .disconnected(chip: "pinctrl-bcm2711") && holder == nil)
    }
}
