import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Target that stores samples in whole seconds, as some services do.
private final class KeepingTarget: ProvableTarget {
    let traits = SampleTargetTraits()
    private typealias Row = (device: String, quantity: String, time: WallTime, value: Double)

    private let rows = Mutex<[Row]>([])
    /// Called before each answer, to change the world while the target is asked.
    let whileAsked = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        rows.withLock { rows in
            for sample in batch.samples {
                for (quantity, outcome) in zip(sample.quantities, sample.outcomes) {
                    guard let value = outcome.value, let time = sample.time else { continue }
                    let second = time.nanoseconds / 1_000_000_000 * 1_000_000_000
                    let stored = WallTime(nanoseconds: second)
                    rows.append((sample.device, quantity.name, stored, value.doubleValue))
                }
            }
        }
        return .delivered
    }

    func holdings(
        of device: String,
        _ quantities: [String],
        in range: Range<WallTime>,
        over network: any CourierNetwork
    ) async throws -> [ValueSum]? {
        try await whileAsked.withLock { $0 }?()
        return rows.withLock { rows in
            quantities.map { name in
                let own = rows.filter {
                    $0.device == device && $0.quantity == name && range.contains($0.time)
                }
                return ValueSum(count: own.count, sum: own.reduce(0) { $0 + $1.value })
            }
        }
    }

    /// Loses the oldest row.
    func loseOne() { rows.withLock { _ = $0.removeFirst() } }
}

@Suite struct OutboxProverTests {
    /// 2023-11-14T22:13:20Z.
    private static let start: Int64 = 1_700_000_000_000_000_000

    private struct Life {
        let clock: SimulatedClock
        let ring: SimulatedRing
        let target = KeepingTarget()
        let task: OutboxTask

        init(_ clock: SimulatedClock, startsWithBacklog: Bool = true) {
            self.clock = clock
            ring = SimulatedRing(clock: clock, room: 100_000)
            ring.add(StreamID(1), device: "dust", [.pm25, .pm10])
            let boot = BootID(bytes: [UInt8](repeating: 1, count: 16))
            ring.start(boot)
            ring.anchor(boot, WallTime(nanoseconds: OutboxProverTests.start))
            task = OutboxTask(
                id: "kept",
                target,
                startsWithBacklog: startsWithBacklog,
                seed: 1,
                in: OutboxTask.World(
                    source: ring,
                    cursors: ring,
                    network: SimulatedInternet(clock: clock),
                    clock: clock
                ) { _, _ in },
                heartbeat: Heartbeat(clock: clock, limit: .seconds(300))
            )
        }

        func record(_ count: Int) async throws {
            for _ in 0..<count {
                let reading = Outcome.value(FixedPoint(123, decimals: 1))
                ring.record(StreamID(1), Tick(clock.now), [reading, reading])
                try await clock.sleep(for: .milliseconds(1_100))
            }
        }

        func prove() async throws -> [DayProof] {
            let now = WallTime(nanoseconds: OutboxProverTests.start + clock.now.nanoseconds)
            let from = WallTime(nanoseconds: OutboxProverTests.start)
            let proofs = try await OutboxProver(try await task.snapshot())
                .prove(from..<now, repairs: false)
            return try #require(proofs)
        }
    }

    @Test func theDayThatIsNotOverIsProvedWhileMoreIsDelivered() throws {
        try simulate { clock in
            let life = Life(clock)
            _ = try await clock.run(life.task.run) {
                try await life.record(600)
                life.target.whileAsked.withLock { $0 = { try await life.record(5) } }
                let proofs = try await life.prove()
                #expect(proofs.count == 1)
                let proof = try #require(proofs.first)
                // All but those of the last seconds, of two quantities.
                #expect((1_190...1_200).contains(proof.delivered))
                #expect(proof.isProved == true && proof.held == proof.delivered)
                let until = try #require(proof.until)
                let last = WallTime(nanoseconds: Self.start + 658_000_000_000)
                #expect(until >= last && until.nanoseconds % 1_000_000_000 == 0)
            }
        }
    }

    @Test func aDayThatIsOverIsProvedToItsEndAndALossShows() throws {
        try simulate { clock in
            let life = Life(clock)
            _ = try await clock.run(life.task.run) {
                try await life.record(20)
                try await clock.sleep(for: .seconds(86_400))
                try await life.record(20)
                try await clock.sleep(for: .seconds(60))
                var proofs = try await life.prove()
                #expect(proofs.map(\.delivered) == [40, 40])
                #expect(proofs.map(\.isProved) == [true, true])
                #expect(proofs[0].until == nil && proofs[1].until != nil)
                life.target.loseOne()
                proofs = try await life.prove()
                #expect(proofs.map(\.isProved) == [false, true])
                #expect(proofs[0].held == 39)
            }
        }
    }

    /// A device whose next value waits longer is compared up to its own end, others to the newest.
    @Test func aDeviceThatIsBehindIsComparedBeforeItsOwnNextValue() throws {
        try simulate { clock in
            let life = Life(clock)
            life.ring.add(StreamID(2), device: "air", [.co2])
            _ = try await clock.run(life.task.run) {
                for _ in 0..<40 {
                    life.ring.record(
                        StreamID(2),
                        Tick(clock.now),
                        [.value(FixedPoint(412, decimals: 0))]
                    )
                    try await life.record(1)
                }
                try await clock.sleep(for: .seconds(60))
                let snapshot = try await life.task.snapshot()
                let boot = BootID(bytes: [UInt8](repeating: 1, count: 16))
                var marks = snapshot.marks
                // Samples are 1.1 s apart: the tenth is at 9.9 s, and the next at 11 s.
                marks[StreamID(2)]?.settled = OutboxPosition(
                    boot: boot,
                    bootNumber: 1,
                    tick: Tick(tenths: 99)
                )
                let behind = OutboxSnapshot(
                    id: snapshot.id,
                    marks: marks,
                    totals: snapshot.totals,
                    refused: [],
                    target: snapshot.target,
                    source: snapshot.source,
                    network: snapshot.network
                )
                let start = WallTime(nanoseconds: Self.start)
                let now = WallTime(nanoseconds: Self.start + clock.now.nanoseconds)
                let proofs = try await OutboxProver(behind).prove(start..<now, repairs: false)
                let proof = try #require(proofs?.first)
                let end = WallTime(nanoseconds: Self.start + 11_000_000_000)
                #expect(proof.behind == ["air": end])
                #expect(proof.until.map { $0 > end } == true)
                #expect(proof.isProved == true)
                // Forty of each of the dust's two, and ten of the other's.
                #expect(proof.delivered == 90 && proof.held == 90)
            }
        }
    }

    /// An earlier target of the same name sent older values, and then it was away for a while.
    @Test func whatIsOlderThanTheTargetIsNotCompared() throws {
        try simulate { clock in
            let life = Life(clock, startsWithBacklog: false)
            try await life.record(100)
            _ = try await clock.run(life.task.run) {
                try await clock.sleep(for: .seconds(5))
                try await life.record(100)
                try await clock.sleep(for: .seconds(60))
                let proofs = try await life.prove()
                #expect(proofs.map(\.isProved) == [true])
                let delivered = try #require(proofs.first).delivered
                #expect((198...200).contains(delivered), "of two quantities")
                life.target.loseOne()
                life.target.loseOne()
                life.target.loseOne()
                #expect(try await life.prove().map(\.isProved) == [false])
            }
        }
    }
}
