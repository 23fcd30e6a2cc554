import Core
import SimulationKit

@testable import CourierSimulation
@testable import RoostCourier

/// A ring whose answers come late or not at all.
struct HinderedSource: OutboxSampleSource {
    enum Answer { case streams, boots, count }

    let ring: SimulatedRing
    /// Called between an answer's reading and its return; an error takes the answer's place.
    let hinder: @Sendable (Answer) async throws -> Void

    func streams() async throws -> [StreamID] {
        let found = try await ring.streams()
        try await hinder(.streams)
        return found
    }

    func boots() async throws -> [BootID: Int] {
        let found = try await ring.boots()
        try await hinder(.boots)
        return found
    }

    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> (count: Int, newest: OutboxPosition?) {
        let found = try await ring.count(of: stream, after: place)
        try await hinder(.count)
        return found
    }

    func page(
        of stream: StreamID,
        after place: OutboxPosition?,
        limit: Int
    ) async throws -> OutboxPage? {
        try await ring.page(of: stream, after: place, limit: limit)
    }

    func change(
        since count: UInt64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> UInt64 {
        try await ring.change(since: count, until: deadline, tolerance: tolerance)
    }
}
