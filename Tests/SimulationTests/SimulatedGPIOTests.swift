import Core
import HardwareIO
import Testing

@testable import SimulationKit

@Suite struct SimulatedGPIOTests {
    private static func input(
        _ lines: [String],
        edges: LineRequest.EdgeDetection = .both,
        chip: String? = nil,
        isActiveLow: Bool = false
    ) -> LineRequest {
        LineRequest(
            chipLabel: chip,
            lines: lines.map { .name($0) },
            direction: .input(edges: edges, bias: .asIs, debounce: .zero),
            isActiveLow: isActiveLow,
            consumer: "test"
        )
    }

    private static func output(_ lines: [String], _ values: [Bool]) -> LineRequest {
        LineRequest(
            chipLabel: nil,
            lines: lines.map { .name($0) },
            direction: .output(initially: values),
            consumer: "test"
        )
    }

    @Test func edgesCarryTheirInstantAndNumber() throws {
        let edges = try simulate { clock in
            let gpio = SimulatedGPIO(clock: clock)
            let lines = try gpio.requestLines(Self.input(["GPIO4", "GPIO17"]))
            try await clock.sleep(for: .seconds(3))
            gpio.drive("GPIO17", true, at: .boot.advanced(by: .seconds(1)))
            gpio.drive("GPIO17", true)
            gpio.drive("GPIO17", false)
            gpio.drive("GPIO4", true)
            return try await lines.edges(until: nil, tolerance: .zero) ?? []
        }
        let second = Int64(1_000_000_000)
        #expect(edges.map(\.line) == [1, 1, 0])
        #expect(edges.map(\.isRising) == [true, false, true])
        #expect(edges.map(\.instant.nanoseconds) == [second, 3 * second, 3 * second])
        #expect(edges.map(\.sequence) == [1, 2, 1])
    }

    @Test func aWaitEndsWithAnEdgeOrItsDeadline() throws {
        let (first, second, end) = try simulate { clock in
            let gpio = SimulatedGPIO(clock: clock)
            let lines = try gpio.requestLines(Self.input(["GPIO17"], edges: .rising))
            async let edges = lines.edges(
                until: clock.now.advanced(by: .seconds(60)),
                tolerance: .zero
            )
            try await clock.sleep(for: .seconds(5))
            gpio.drive("GPIO17", true)
            let first = try await edges
            gpio.drive("GPIO17", false)
            let deadline = clock.now.advanced(by: .seconds(60))
            let second = try await lines.edges(until: deadline, tolerance: .seconds(2))
            return (first, second, clock.now)
        }
        #expect(first?.count == 1)
        #expect(second == nil)
        #expect(end == .boot.advanced(by: .seconds(67)))
    }

    @Test(arguments: [
        (SimulatedGPIO.QueueRule.dropsOldest, Array(5...20) as [UInt32]),
        (.dropsNewest, Array(1...16)),
    ])
    func aFullQueueLosesEdgesAndTheNumbersShowIt(
        rule: SimulatedGPIO.QueueRule,
        expected: [UInt32]
    ) throws {
        let (edges, lost) = try simulate { clock in
            let gpio = SimulatedGPIO(queueRule: rule, clock: clock)
            let lines = try gpio.requestLines(Self.input(["GPIO17"]))
            for index in 0..<20 { gpio.drive("GPIO17", index % 2 == 0) }
            let edges = try await lines.edges(until: nil, tolerance: .zero) ?? []
            return (edges, gpio.count(of: .overrun))
        }
        #expect(edges.map(\.sequence) == expected)
        #expect(lost == 4)
    }

    @Test func outputsAreRememberedAndReadBack() throws {
        let gpio = SimulatedGPIO(clock: SimulatedClock())
        let lines = try gpio.requestLines(Self.output(["GPIO9", "GPIO10"], [false, true]))
        try lines.set([true, false])
        #expect(try lines.values() == [true, false])
        #expect(gpio.level(of: "GPIO9"))
        #expect(gpio.history.map(\.values) == [[false, true], [true, false]])
        #expect(gpio.setCount == 1)
    }

    @Test func activeLowTurnsLevelsAndEdgesOver() throws {
        let edges = try simulate { clock in
            let gpio = SimulatedGPIO(clock: clock)
            let lines = try gpio.requestLines(Self.input(["GPIO17"], isActiveLow: true))
            #expect(try lines.values() == [true])
            gpio.drive("GPIO17", true)
            return try await lines.edges(until: nil, tolerance: .zero) ?? []
        }
        #expect(edges.map(\.isRising) == [false])
    }

    @Test func aLineIsHeldByOneAndNamesItsHolder() throws {
        let gpio = SimulatedGPIO(clock: SimulatedClock())
        let request = Self.input(["GPIO9"])
        gpio.hold("GPIO9", by: "spi0 CS1", hint: "SPI0 is on")
        #expect(
            throws: GPIOError.busy(
                line: "GPIO9",
                chip: "pinctrl-bcm2711",
                holder: "spi0 CS1",
                hint: "SPI0 is on"
            )
        ) { try gpio.requestLines(request) }
        gpio.hold("GPIO9", by: nil)
        let lines = try gpio.requestLines(request)
        #expect(throws: GPIOError.self) { try gpio.requestLines(Self.input(["GPIO4", "GPIO9"])) }
        #expect(gpio.holder(of: "GPIO4") == nil)
        lines.release()
        lines.release()
        #expect(gpio.holder(of: "GPIO9") == nil)
        #expect(gpio.count(of: .busy) == 2)
        #expect(throws: GPIOError.disconnected(chip: "released")) { try lines.values() }
    }

    @Test func whatIsNotThereIsNamed() throws {
        let gpio = SimulatedGPIO(clock: SimulatedClock())
        #expect(
            throws: GPIOError.noChip(label: "pinctrl-rp1", present: ["pinctrl-bcm2711"])
        ) { try gpio.requestLines(Self.input(["GPIO17"], chip: "pinctrl-rp1")) }
        #expect(throws: GPIOError.noLine(line: "GPIO99", chip: "pinctrl-bcm2711")) {
            try gpio.requestLines(Self.input(["GPIO17", "GPIO99"]))
        }
        gpio.setPermitted(false)
        #expect(
            throws: GPIOError.noPermission(
                path: "/dev/gpiochip0",
                owner: "root",
                group: "gpio",
                mode: "0660"
            )
        ) { try gpio.requestLines(Self.input(["GPIO17"])) }
    }

    @Test func aChipThatGoesEndsTheWait() throws {
        let (again, count) = try simulate { clock in
            let gpio = SimulatedGPIO(clock: clock)
            let lines = try gpio.requestLines(Self.input(["GPIO17"]))
            async let edges = lines.edges(until: nil, tolerance: .zero)
            try await clock.sleep(for: .seconds(5))
            gpio.disconnect(chip: "pinctrl-bcm2711")
            let outcome: GPIOError?
            do {
                _ = try await edges
                outcome = nil
            } catch {
                outcome = error as? GPIOError
            }
            #expect(outcome == .disconnected(chip: "pinctrl-bcm2711"))
            #expect(throws: GPIOError.self) { try gpio.requestLines(Self.input(["GPIO17"])) }
            gpio.reconnect(chip: "pinctrl-bcm2711")
            let again = try gpio.requestLines(Self.input(["GPIO17"]))
            lines.release()  // The old request takes nothing from the new one.
            defer { again.release() }
            return (gpio.holder(of: "GPIO17"), gpio.count(of: .disconnected))
        }
        #expect(again == "test")
        #expect(count == 1)
    }

    @Test func aStuckLineIgnoresItsDriver() throws {
        let gpio = SimulatedGPIO(clock: SimulatedClock())
        gpio.stick("GPIO17", at: true)
        gpio.drive("GPIO17", false)
        #expect(gpio.level(of: "GPIO17"))
        #expect(gpio.count(of: .stuck) == 1)
        gpio.stick("GPIO17", at: nil)
        gpio.drive("GPIO17", false)
        #expect(!gpio.level(of: "GPIO17"))
    }
}
