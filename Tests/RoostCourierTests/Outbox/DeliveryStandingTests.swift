import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier

@Suite struct DeliveryStandingTests {
    /// A cursor that was lost at the start explains nothing that happens later.
    @Test(arguments: [true, false]) func aLostCursorIsNoReasonForOtherThings(isWaiting: Bool) {
        var standing = DeliveryStanding()
        (standing.cursorLost, standing.isWaiting) = ("the cursor is damaged", isWaiting)
        var report = OutboxReport(id: "influx", type: "influx1", state: .broken)
        standing.fill(&report, at: .boot)
        #expect(report.state == (isWaiting ? .waiting : .idle))
        #expect(report.why == nil && report.code == nil)
        #expect(report.cursorLost == "the cursor is damaged")
    }

    /// A store that cannot be read until it is repaired.
    private final class Broken: OutboxSampleSource {
        private let ring: SimulatedRing
        private let isBroken = Mutex(false)

        init(_ ring: SimulatedRing) { self.ring = ring }

        func set(broken: Bool) { isBroken.withLock { $0 = broken } }

        func streams() async throws -> [StreamID] {
            if isBroken.withLock({ $0 }) { throw StationDown("the history is not open") }
            return try await ring.streams()
        }

        func boots() async throws -> [BootID: Int] { try await ring.boots() }

        func count(
            of stream: StreamID,
            after place: OutboxPosition?
        ) async throws -> (count: Int, newest: OutboxPosition?) {
            try await ring.count(of: stream, after: place)
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

    /// A target with nothing to send rests for minutes, and does not call the store broken so long.
    @Test func aStoreThatCanBeReadAgainIsNotCalledBroken() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let source = Broken(life.ring)
            let task = life.task(OutboxLife.OnceTarget(.harmless), from: source)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(10))
                source.set(broken: true)
                await task.wake()
                try await clock.sleep(for: .seconds(12))
                let trouble = await task.standing.delivery.sourceTrouble
                #expect(trouble?.contains("not open") == true)
                source.set(broken: false)
                try await clock.sleep(for: .seconds(8))
                #expect(await task.standing.delivery.sourceTrouble == nil)
            }
        }
    }
}
