import CGPIOD
import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

extension GPIOTests {
    /// Edges through the real libgpiod; part of the serialized suite, as the stand-in is one.
    @Suite struct Edges {
        private let kernel = GPIOStandIn()
        private let loop: EventLoop
        /// A second ago on `CLOCK_MONOTONIC`.
        private let start: UInt64

        init() throws {
            loop = try EventLoop()
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            start = UInt64(now.tv_sec - 1) * 1_000_000_000 + UInt64(now.tv_nsec)
        }

        @Test func tellsEdgesInOrderOfTimeWithTheKernelsStamp() throws {
            let lines = try request("GPIO17", "GPIO4")
            kernel.drive(17, true, at: start)
            kernel.drive(4, true, at: start + 1_000_000)
            kernel.drive(17, false, at: start + 2_000_000)
            let edges = try waitForEdges(of: lines)
            #expect(edges.map(\.line) == [0, 1, 0])
            #expect(edges.map(\.isRising) == [true, true, false])
            #expect(edges.map(\.sequence) == [1, 1, 2])
            let first = try #require(edges.first?.instant)
            // Moved to CLOCK_BOOTTIME, so a second ago there too, however long it slept.
            let age = first.duration(to: loop.clock.now)
            #expect(age >= .milliseconds(999) && age < .seconds(60))
            #expect(
                edges.map { first.duration(to: $0.instant) / .milliseconds(1) }
                    .map { $0.rounded() } == [0, 1, 2]
            )
            lines.release()
        }

        @Test(arguments: [LineRequest.EdgeDetection.rising, .falling])
        func tellsOnlyTheEdgesAskedFor(detection: LineRequest.EdgeDetection) throws {
            let lines = try request("GPIO17", edges: detection)
            for step in 0..<4 {
                kernel.drive(17, step.isMultiple(of: 2), at: start + UInt64(step))
            }
            let edges = try waitForEdges(of: lines)
            #expect(edges.map(\.isRising) == [detection == .rising, detection == .rising])
            lines.release()
        }

        @Test func tellsLogicalEdgesOfAnActiveLowLine() throws {
            let lines = try request("GPIO17", isActiveLow: true)
            #expect(try lines.values() == [true])
            kernel.drive(17, true, at: start)
            #expect(try waitForEdges(of: lines).map(\.isRising) == [false])
            #expect(try lines.values() == [false])
            lines.release()
        }

        @Test(arguments: [
            (LineRequest.Bias.asIs, UInt64(0)), (.pullUp, 0x100), (.pullDown, 0x200),
            (.disabled, 0x400),
        ])
        func asksForTheBias(bias: LineRequest.Bias, flag: UInt64) throws {
            let lines = try request("GPIO17", bias: bias)
            // <linux/gpio.h>: GPIO_V2_LINE_FLAG_BIAS_PULL_UP, _PULL_DOWN, _DISABLED.
            #expect(kernel.flags(17) & 0x700 == flag)
            lines.release()
        }

        @Test func showsHowManyEdgesAStormCost() throws {
            let lines = try request("GPIO17")
            for step in 0..<40 {
                kernel.drive(17, step.isMultiple(of: 2), at: start + UInt64(step))
            }
            let edges = try waitForEdges(of: lines)
            #expect(edges.count == 16 && kernel.droppedEdges == 24)
            // 2.x keeps the newest edges and counts the lost ones; 1.6 keeps the oldest and cannot.
            let first: UInt32 = roost_gpio_has_debounce() ? 25 : 1
            #expect(edges.map(\.sequence) == Array(first..<first + 16))
            lines.release()
        }

        @Test func readsOnWhereMoreWaitsThanOneReadTakes() throws {
            let names = (4...15).map { "GPIO\($0)" }
            let lines = try request(names)
            for step in 0..<12 {
                for line in Int32(4)...15 {
                    let instant = start + UInt64(step) * 100 + UInt64(line)
                    kernel.drive(line, step.isMultiple(of: 2), at: instant)
                }
            }
            var edges: [EdgeEvent] = []
            while edges.count < 144 {
                let more = try waitForEdges(of: lines)
                #expect(more == more.sorted { $0.instant < $1.instant })
                edges += more
            }
            #expect(edges.count == 144 && kernel.droppedEdges == 0)
            for index in names.indices {
                #expect(edges.filter { $0.line == index }.map(\.sequence) == Array(1...12))
            }
            lines.release()
        }

        @Test func debouncesWithTheKernelOrWithoutIt() throws {
            let lines = try request("GPIO17", debounce: .milliseconds(50))
            guard !roost_gpio_has_debounce() else {
                #expect(kernel.debounceMicroseconds(17) == 50_000)
                return lines.release()
            }
            for step in 0..<3 {
                kernel.drive(17, step != 1, at: start + UInt64(step) * 1_000_000)
            }
            let edges = try waitForEdges(of: lines)
            #expect(edges.map(\.isRising) == [true] && edges.map(\.sequence) == [1])
            lines.release()
        }

        @Test func waitsUntilAnEdgeHasSettled() throws {
            let lines = try request("GPIO17", debounce: .milliseconds(1))
            let before = loop.clock.now
            // 0 is now, so with 1.6 the edge counts a millisecond from now.
            kernel.drive(17, true, at: 0)
            let edges = try waitForEdges(of: lines)
            #expect(edges.map(\.isRising) == [true] && edges.map(\.sequence) == [1])
            let waited = before.duration(to: loop.clock.now)
            #expect(waited >= .milliseconds(1) || roost_gpio_has_debounce())
            lines.release()
        }

        @Test func givesUpAtTheDeadline() throws {
            let lines = try request("GPIO17")
            let edges = try loop.run { try await lines.edges(until: .boot, tolerance: .zero) }
            #expect(edges == nil)
            lines.release()
        }

        @Test func saysThatTheChipWentAwayUnderAWaitingTask() throws {
            let (lines, kernel) = (try request("GPIO17"), kernel)
            let error = try outcome(of: lines) { kernel.unplug(chip: 0) }
            #expect(error as? GPIOError == .disconnected(chip: "pinctrl-bcm2711"))
            lines.release()
        }

        @Test func wakesTheWaitingTaskWhenReleased() throws {
            let lines = try request("GPIO17")
            let error = try outcome(of: lines) { lines.release() }
            #expect(error as? GPIOError == .disconnected(chip: "pinctrl-bcm2711"))
            #expect(!kernel.isUsed(17))
        }

        @Test func stopsWaitingWhenCancelled() throws {
            let lines = try request("GPIO17")
            let isCancelled = try loop.run {
                await withTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        do {
                            _ = try await lines.edges(until: nil, tolerance: .zero)
                            return false
                        } catch { return error is CancellationError }
                    }
                    group.cancelAll()
                    return await group.next() ?? false
                }
            }
            #expect(isCancelled)
            lines.release()
        }

        /// Returns the error that ends a wait for edges under way while `body` runs.
        private func outcome(
            of lines: any GPIOLines,
            during body: @escaping @Sendable () -> Void
        ) throws -> (any Error)? {
            try loop.run {
                await withTaskGroup(of: (any Error)?.self) { group in
                    group.addTask {
                        do {
                            _ = try await lines.edges(until: nil, tolerance: .zero)
                            return nil
                        } catch { return error }
                    }
                    // The loop runs tasks in order: the other one waits before this one goes on.
                    await Task.yield()
                    body()
                    return await group.next() ?? nil
                }
            }
        }

        private func waitForEdges(of lines: any GPIOLines) throws -> [EdgeEvent] {
            try #require(
                try loop.run { try await lines.edges(until: nil, tolerance: .zero) }
            )
        }

        private func request(
            _ names: String...,
            edges: LineRequest.EdgeDetection = .both,
            bias: LineRequest.Bias = .asIs,
            debounce: Duration = .zero,
            isActiveLow: Bool = false
        ) throws -> any GPIOLines {
            try LinuxGPIO.requestLines(
                LineRequest(
                    chipLabel: "pinctrl-bcm2711",
                    lines: names.map { .name($0) },
                    direction: .input(edges: edges, bias: bias, debounce: debounce),
                    isActiveLow: isActiveLow,
                    consumer: "roost-test"
                ),
                on: loop
            )
        }

        private func request(_ names: [String]) throws -> any GPIOLines {
            try LinuxGPIO.requestLines(
                LineRequest(
                    chipLabel: nil,
                    lines: names.map { .name($0) },
                    direction: .input(edges: .both, bias: .asIs, debounce: .zero),
                    consumer: "roost-test"
                ),
                on: loop
            )
        }
    }
}
