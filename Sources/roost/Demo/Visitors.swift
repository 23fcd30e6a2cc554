import Core
import SimulationKit
import Synchronization

/// People who walk past the demo's motion sensor.
final class Visitors: Sendable {
    static let line = "GPIO17"
    private let gpio = Mutex<SimulatedGPIO?>(nil)

    func watch(_ gpio: SimulatedGPIO) { self.gpio.withLock { $0 = gpio } }

    /// Simulates a person who passes every 4 to 9 s, for 1 to 3 s each, until cancelled.
    func come(seed: UInt64, on clock: any NodeClock) async throws {
        guard let gpio = gpio.withLock({ $0 }) else { return }
        var generator = SplitMix64(seed: seed)
        while !Task.isCancelled {
            let rest = Int.random(in: 4_000...9_000, using: &generator)
            try await clock.sleep(for: .milliseconds(rest))
            gpio.drive(Self.line, true)
            let stay = Int.random(in: 1_000...3_000, using: &generator)
            try await clock.sleep(for: .milliseconds(stay))
            gpio.drive(Self.line, false)
        }
    }
}
