import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests receivers that refuse samples among other failures.
@Suite struct OutboxRefusalTests {
    /// Refuses a batch with a bad sample, after scripted answers.
    private final class Receiver: Sendable {
        private let likes: @Sendable (_ tenths: Int64) -> Bool
        private let script: Mutex<[DeliveryOutcome]>
        private let kept = Mutex<Set<Int64>>([])

        init(
            _ script: [DeliveryOutcome] = [],
            likes: @escaping @Sendable (_ tenths: Int64) -> Bool
        ) {
            self.likes = likes
            self.script = Mutex(script)
        }

        var items: Set<Int64> { kept.withLock { $0 } }

        func classify(_ batch: SampleBatch) -> DeliveryOutcome {
            let next = script.withLock { script -> DeliveryOutcome? in
                script.isEmpty ? nil : script.removeFirst()
            }
            if let next { return next }
            let ticks = batch.samples.map(\.tick.tenths)
            guard ticks.allSatisfy(likes) else {
                return .refused(DeliveryReason("status-422", "no"))
            }
            kept.withLock { $0.formUnion(ticks) }
            return .delivered
        }
    }

    private struct ReceiverTarget: SampleTarget {
        let receiver: Receiver
        var traits = SampleTargetTraits()

        init(_ receiver: Receiver) { self.receiver = receiver }

        func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

        func deliver(
            _ batch: SampleBatch,
            over network: any CourierNetwork
        ) async throws -> DeliveryOutcome {
            receiver.classify(batch)
        }
    }

    /// A server of the own network that restarts is tried within 10 s; others within 15 min.
    @Test func aServerAtHandIsTriedAgainWithinTenSeconds() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = OutboxLife.Counter()
            life.internet.add(server, at: OutboxLife.host)
            life.internet.set(.near, at: OutboxLife.host)
            let task = life.task(OutboxLife.OnceTarget(.harmless))
            try await life.run(task) {
                life.record()
                try await clock.sleep(for: .seconds(3_600))
                #expect(life.internet.exchangeCount >= 360)
                life.internet.set(nil, at: OutboxLife.host)
                try await clock.sleep(for: .seconds(13))
                #expect(server.count == 1)
            }
        }
    }

    /// A batch that timed out and is refused when it goes once more is halved as any other.
    @Test func halvesABatchThatIsRefusedAfterItTimedOut() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await life.record(100, each: .seconds(1))
            let receiver = Receiver([.unknown(DeliveryReason("silent", "no answer"))]) {
                $0 != 200
            }
            var target = ReceiverTarget(receiver)
            target.traits.itemLimit = 50
            let task = life.task(target)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(10))
                for _ in 0..<20 {
                    life.record()
                    let tick = Tick(clock.now).tenths
                    try await clock.sleep(for: .seconds(5))
                    #expect(receiver.items.contains(tick), "5 s after it was recorded")
                }
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.waiting == 0, "\(standing)")
            #expect(standing.totals.leftOut == [.refused: 1], "\(standing)")
            #expect(standing.totals.delivered == 119)
        }
    }

    /// A batch accepted in part must not show as a success.
    @Test func saysThatAPartWasRefusedUntilAWholeBatchIsTaken() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await life.record(5, each: .seconds(1))
            let reason = DeliveryReason("status-400", "line 1")
            let receiver = Receiver([.partly(refused: [0], reason)]) { _ in true }
            let task = life.task(ReceiverTarget(receiver))
            try await life.run(task) {
                try await clock.sleep(for: .seconds(5))
                #expect(await task.standing.delivery.trouble == reason)
                #expect(await task.standing.totals.delivered == 4)
                life.record()
                try await clock.sleep(for: .seconds(5))
                #expect(await task.standing.delivery.trouble == nil)
                try await life.demandSum(task)
            }
        }
    }

    /// Answers as InfluxDB 3 that takes no line.
    private struct LineRefuser: SimulatedServer {
        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let count = request.text.split(separator: "\n").count
            let lines = (1...max(count, 1)).map { number in
                #"{"original_line":"x","line_number":\#(number),"error_message":"no"}"#
            }
            let data = lines.prefix(100).joined(separator: ",")
            let words = "partial write of line protocol occurred"
            return OutboundAnswer(400, text: #"{"error":"\#(words)","data":[\#(data)]}"#)
        }
    }

    @Test func holdsADatabaseThatRefusesEveryLine() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            life.internet.add(LineRefuser(), at: OutboxLife.host)
            try await life.record(80, each: .seconds(1))
            let task = life.task(OutboxLife.influx())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(300))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.delivery.held?.code == "status-400", "\(standing)")
            #expect(standing.totals.delivered == 0)
            #expect(standing.totals.leftOut == [.refused: 10], "\(standing)")
        }
    }

    /// New values go on where the backlog is refused and may be sent only once.
    @Test func aRefusedPastHoldsNoNewValueAfterFailures() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await life.record(100, each: .seconds(1))
            let away = DeliveryOutcome.later(DeliveryReason("refused", "away"))
            let receiver = Receiver([away, away, away]) { $0 >= 1_000 }
            var target = ReceiverTarget(receiver)
            target.traits.repetition = .atMostOnce
            let task = life.task(target)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(60))
                for _ in 0..<30 {
                    life.record()
                    let tick = Tick(clock.now).tenths
                    try await clock.sleep(for: .seconds(10))
                    #expect(receiver.items.contains(tick), "10 s after it was recorded")
                }
                try await life.demandSum(task)
            }
        }
    }

    /// The search for the edge of age ends at two bad stretches without one: the past is held.
    @Test func aHeldPastHoldsNoNewValue() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await life.record(1_200, each: .seconds(1))
            let bad = [Int64(1_000)...1_300, 1_600...1_900]
            let receiver = Receiver { tick in !bad.contains { $0.contains(tick) } }
            let task = life.task(ReceiverTarget(receiver))
            try await life.run(task) {
                try await clock.sleep(for: .seconds(2))
                for _ in 0..<150 {
                    life.record()
                    let tick = Tick(clock.now).tenths
                    try await clock.sleep(for: .seconds(5))
                    #expect(receiver.items.contains(tick), "5 s after it was recorded")
                    try await clock.sleep(for: .seconds(55))
                }
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.delivery.held?.code == "status-422", "\(standing)")
            // Ten in a row, then one at each try of the past.
            #expect((10...30).contains(standing.totals.leftOut[.refused] ?? 0), "\(standing)")
            #expect(life.notices.all.filter { $0 == .resumed }.isEmpty)
        }
    }

    /// A receiver that refuses everything costs few samples, also of the new ones.
    @Test func holdsNewValuesWhereTheyAreRefusedToo() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            try await life.record(1_200, each: .seconds(1))
            let task = life.task(ReceiverTarget(Receiver { _ in false }))
            try await life.run(task) {
                try await clock.sleep(for: .seconds(600))
                try await life.record(60, each: .seconds(60))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.delivery.held != nil, "\(standing)")
            #expect(standing.totals.leftOutCount <= 16, "\(standing)")
        }
    }
}
