import ControlProtocol
import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests the effect of a loss of power on a target's cursor.
@Suite struct OutboxDurabilityTests {
    /// Power cuts at any moment, blocks written at any moment: nothing is sent twice.
    @Test(arguments: UInt64(1)...20)
    func sendsNothingTwiceAfterPowerCuts(seed: UInt64) throws {
        try simulate(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let life = OutboxLife(clock)
            let server = OutboxLife.Counter()
            life.internet.add(server, at: OutboxLife.host)
            // A backlog that is on the card.
            try await life.record(Int.random(in: 0...100, using: &random), each: .seconds(1))
            life.ring.sync()
            for boot in UInt8(2)...12 {
                let task = life.task(OutboxLife.OnceTarget())
                let steps = (0..<30).map { _ -> (Int, Int) in
                    let pause = Int.random(in: 200...2_500, using: &random)
                    return (pause, Int.random(in: 0..<9, using: &random))
                }
                try await life.run(task) {
                    for (milliseconds, what) in steps {
                        try await clock.sleep(for: .milliseconds(milliseconds))
                        life.record()
                        switch what {
                        case 0: life.ring.sync()
                        case 1: life.internet.set(.slow(.seconds(3)), at: OutboxLife.host)
                        case 2: life.internet.set(.answerLost, at: OutboxLife.host)
                        default: life.internet.set(nil, at: OutboxLife.host)
                        }
                    }
                }
                life.ring.cutPower()
                life.boot(boot)
            }
            #expect(server.most == 1)
            #expect(server.count > 100)
        }
    }

    /// Keeping samples before they are sent costs at most one write for each request.
    @Test func writesOnceForEachRequest() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = OutboxLife.Counter()
            life.internet.add(server, at: OutboxLife.host)
            let task = life.task(OutboxLife.OnceTarget(liveInterval: .seconds(60)))
            try await clock.sleep(for: .seconds(1))
            try await life.run(task) {
                for _ in 0..<6 {
                    try await life.record(600, each: .seconds(1))
                    life.ring.sync()
                }
            }
            #expect(server.count >= 3_500 && server.most == 1, "\(server.count)")
            // Six blocks, and one for each minute.
            #expect(life.ring.writeCount <= 68, "\(life.ring.writeCount)")
        }
    }

    /// Nothing is sent while the station cannot keep the cursor.
    @Test func sendsNothingThatTheCardCannotKeep() throws {
        try simulate { clock in
            let life = try CourierLife(
                clock,
                targets: """
                    {"id":"influx","type":"webhook","url":"http://\(CourierLife.host)/",
                     "atMostOnce":true}
                    """
            )
            life.internet.add(OutboxLife.Counter(), at: CourierLife.host)
            life.station.set(refusesCursors: true)
            let node = life.node()
            try await life.run(node) {
                for _ in 0..<20 {
                    life.station.record()
                    try await clock.sleep(for: .seconds(30))
                }
                let report = try #require(await node.report.targets.first)
                #expect(report.requestCount == 0)
                #expect(report.code == "not-kept", "\(report)")
                life.station.set(refusesCursors: false)
                try await clock.sleep(for: .seconds(1_800))
                try await life.demandSum(node)
                #expect(try await life.samples(node).waiting == 0)
            }
        }
    }

    /// Counts each sample that reaches it.
    private final class Arrivals: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        var most: Int { counts.withLock { $0.values.max() ?? 0 } }
        var count: Int { counts.withLock { $0.count } }

        func add(_ batch: SampleBatch) {
            for sample in batch.samples {
                let item = "\(sample.stream.rawValue)/\(sample.tick.tenths)"
                counts.withLock { $0[item, default: 0] += 1 }
            }
        }
    }

    private struct ArrivalTarget: SampleTarget {
        let arrivals: Arrivals
        var traits = SampleTargetTraits()

        init(_ arrivals: Arrivals) {
            self.arrivals = arrivals
            (traits.repetition, traits.itemLimit) = (.atMostOnce, 20)
        }

        func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

        func deliver(
            _ batch: SampleBatch,
            over network: any CourierNetwork
        ) async throws -> DeliveryOutcome {
            arrivals.add(batch)
            return .delivered
        }
    }

    /// The cursor has no room for the ranges of so many streams.
    @Test func sendsNothingTwiceWhereRangesOfAllStreamsDoNotFit() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let streams = (UInt16(1)...60).map { StreamID($0) }
            for stream in streams.dropFirst() {
                life.ring.add(stream, device: "dust-\(stream.rawValue)", [.pm25])
            }
            // Places take more bytes later in a boot.
            try await clock.sleep(for: .seconds(10_800))
            let record: @Sendable () -> Void = {
                for stream in streams {
                    let value = Outcome.value(FixedPoint(123, decimals: 1))
                    life.ring.record(stream, Tick(clock.now), [value])
                }
            }
            for _ in 0..<30 {
                record()
                try await clock.sleep(for: .seconds(1))
            }
            let (arrivals, rounds) = (Arrivals(), 12)
            for _ in 0..<rounds {
                let task = life.task(ArrivalTarget(arrivals))
                try await life.run(task) {
                    record()
                    try await clock.sleep(for: .seconds(20))
                }
            }
            let last = life.task(ArrivalTarget(arrivals))
            try await life.run(last) {
                try await clock.sleep(for: .seconds(2_000))
                try await life.demandSum(last)
            }
            #expect(await last.standing.waiting == 0)
            #expect(arrivals.most == 1)
            // Each restart may make one batch count as sent.
            #expect(arrivals.count >= life.ring.recorded - rounds * 20, "\(arrivals.count)")
        }
    }
}
