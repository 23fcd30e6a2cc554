import Core
import SimulationKit

/// The world's clock as one boot of the machine sees it: from zero, with a wall clock of its own.
final class BootClock: NodeClock {
    /// The same clock from the beginning of the life.
    let world: SimulatedClock
    private let bootedAt: MonotonicInstant
    private let wall: @Sendable (MonotonicInstant) -> WallReading?

    /// - Parameters:
    ///   - world: Counts from the beginning of the life.
    ///   - wall: The machine's wall clock and its source; nil while its clock was never set.
    init(
        _ world: SimulatedClock,
        bootedAt: MonotonicInstant,
        wall: @escaping @Sendable (MonotonicInstant) -> WallReading?
    ) {
        (self.world, self.bootedAt, self.wall) = (world, bootedAt, wall)
    }

    var now: MonotonicInstant { inBoot(world.now) }
    var wallReading: WallReading? { wall(world.now) }
    var wallTime: WallTime? {
        wallReading.flatMap { $0.trust == .synchronised ? $0.wall : nil }
    }

    func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool {
        try await world.wait(for: signal, until: deadline.map(inWorld), tolerance: tolerance)
    }

    func inBoot(_ instant: MonotonicInstant) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: instant.nanoseconds - bootedAt.nanoseconds)
    }

    func inWorld(_ instant: MonotonicInstant) -> MonotonicInstant {
        instant.advanced(by: .nanoseconds(bootedAt.nanoseconds))
    }
}
