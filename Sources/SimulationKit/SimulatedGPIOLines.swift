import Core
import HardwareIO

/// The lines of one request to a `SimulatedGPIO`.
final class SimulatedGPIOLines: GPIOLines {
    private let gpio: SimulatedGPIO
    private let id: Int
    private let chip: String
    private let signal: Signal
    private let clock: any NodeClock

    init(gpio: SimulatedGPIO, id: Int, chip: String, signal: Signal, clock: any NodeClock) {
        self.gpio = gpio
        self.id = id
        self.chip = chip
        self.signal = signal
        self.clock = clock
    }

    deinit { gpio.release(id) }

    func values() throws(GPIOError) -> [Bool] { try gpio.values(id) }

    func set(_ values: [Bool]) throws(GPIOError) { try gpio.set(id, values) }

    func edges(
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> [EdgeEvent]? {
        while !Task.isCancelled {
            let edges = try gpio.takeEdges(id)
            if !edges.isEmpty { return edges }
            if let deadline, deadline <= clock.now { return nil }
            _ = try await clock.wait(for: signal, until: deadline, tolerance: tolerance)
        }
        throw CancellationError()
    }

    func release() {
        gpio.release(id)
        signal.raise()
    }
}
