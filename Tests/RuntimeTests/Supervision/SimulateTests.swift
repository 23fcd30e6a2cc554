import Core
import Testing

@testable import SimulationKit

@Suite struct SimulateTests {
    @Test func aDayOfSleepsTakesNoTime() throws {
        let count = try simulate { clock in
            var count = 0
            while clock.now < .boot.advanced(by: .days(1)) {
                try await clock.sleep(for: .seconds(1))
                count += 1
            }
            return count
        }
        #expect(count == 86_400)
    }

    @Test func aDeadlockIsNamed() throws {
        #expect(throws: SimulationError.stalled(at: .boot)) {
            try simulate { clock in
                _ = try await clock.wait(for: Signal(), until: nil, tolerance: .zero)
            }
        }
    }
}
