import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests receivers that refuse old samples.
@Suite struct OutboxAgeTests {
    /// Refuses a batch with a bad sample, without mentioning age.
    private final class Fussy: SimulatedServer {
        private let likes: @Sendable (_ tenths: Int64) -> Bool
        private let kept = Mutex<Set<Int64>>([])

        init(_ likes: @escaping @Sendable (_ tenths: Int64) -> Bool) { self.likes = likes }

        var items: Set<Int64> { kept.withLock { $0 } }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let tenths = request.text.split(separator: "\n").compactMap { Int64($0) }
            guard tenths.allSatisfy(likes) else { return OutboundAnswer(422, text: "no") }
            kept.withLock { $0.formUnion(tenths) }
            return OutboundAnswer(200, text: "stored \(tenths.count)")
        }
    }

    /// Sends the tick of each sample as a line.
    private struct TickTarget: SampleTarget {
        var traits = SampleTargetTraits()

        func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

        func deliver(
            _ batch: SampleBatch,
            over network: any CourierNetwork
        ) async throws -> DeliveryOutcome {
            let lines = batch.samples.map { "\($0.tick.tenths)" }.joined(separator: "\n")
            let url = MaskedText("http://\(OutboxLife.host)/")
            let request = OutboundRequest(.post, url, body: Array(lines.utf8))
            return try await network.outcome(of: request) { answer in
                answer.isSuccess ? .delivered : DeliveryClassifier.classify(answer)
            }
        }
    }

    private static let twoHours: Duration = .seconds(7_200)

    /// A day of backlog at a database that keeps two hours.
    @Test(arguments: [InfluxServer.Version.one, .two])
    func leavesOutWhatADatabaseDoesNotKeep(version: InfluxServer.Version) throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = InfluxServer(.one, keeps: Self.twoHours) { life.now }
            let second = InfluxServer(.two, keeps: Self.twoHours) { life.now }
            life.internet.add(version == .one ? server : second, at: OutboxLife.host)
            try await life.record(2_880, each: .seconds(30))
            var target = OutboxLife.influx()
            if version == .two {
                target = InfluxTarget(
                    url: MaskedText("http://\(OutboxLife.host)"),
                    .two(organisation: "o", bucket: "air", token: Secret("t")),
                    LineProtocol(tags: [:])
                )
                target.traits.itemLimit = 200
            }
            let task = life.task(target)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(10))
                life.record()
                let tick = Tick(clock.now).instant.nanoseconds
                let newest = (OutboxLife.start.nanoseconds + tick) / 1_000_000
                try await clock.sleep(for: .seconds(3))
                let stored = version == .one ? server.stored : second.stored
                #expect(stored.keys.contains { $0.hasSuffix(" \(newest)") }, "the present value")
                try await clock.sleep(for: .seconds(47))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(
                standing.waiting == 0 && standing.delivery.held == nil
                    && standing.delivery.trouble == nil
            )
            #expect((238...241).contains(standing.totals.delivered), "\(standing.totals)")
            let delivered = standing.totals.delivered
            #expect(standing.totals.leftOut == [.notKept: 2_881 - delivered])
            // A sample that was looked at may have grown too old since.
            let stored = (version == .one ? server : second).stored.count
            #expect((delivered...delivered + 1).contains(stored))
            let said = life.notices.all.filter {
                if case .refused(.old, _, _) = $0 { true } else { false }
            }
            #expect(said.count == 1, "\(life.notices.all)")
            #expect(life.internet.exchangeCount <= 40)
        }
    }

    /// The present boot began, by its dates, before the samples of an earlier one end.
    @Test func findsTheEdgeWhereBootsOverlapInTime() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = InfluxServer(.one, keeps: Self.twoHours) { life.now }
            life.internet.add(server, at: OutboxLife.host)
            try await life.record(2_880, each: .seconds(30))
            life.boot(2)
            let task = life.task(OutboxLife.influx())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(60))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.waiting == 0 && standing.delivery.held == nil, "\(standing)")
            #expect((237...241).contains(standing.totals.delivered), "\(standing)")
        }
    }

    /// The edge is found by time where the receiver does not speak of age.
    @Test func findsTheEdgeOfRefusalsThatAreAlike() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let edge: Int64 = 540_017
            let server = Fussy { $0 > edge }
            life.internet.add(server, at: OutboxLife.host)
            try await life.record(2_880, each: .seconds(30))
            var target = TickTarget()
            target.traits.itemLimit = 200
            let task = life.task(target)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(60))
                try await life.demandSum(task)
            }
            let totals = await task.standing.totals
            #expect(totals.delivered == server.items.count)
            #expect(totals.delivered == 2_880 - 1_801)
            #expect((totals.leftOut[.refused] ?? 0) <= 8, "\(totals)")
            #expect(totals.leftOut[.notKept] ?? 0 >= 1_793)
            #expect(life.internet.exchangeCount <= 120, "\(life.internet.exchangeCount)")
        }
    }

    /// Bad samples among good ones must not be taken for old ones.
    @Test(arguments: UInt64(1)...8)
    func leavesOutNoGoodSampleAmongBadOnes(seed: UInt64) throws {
        try simulate(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            let life = OutboxLife(clock)
            var bad: Set<Int64> = []
            for index in 0..<600 where index < 3 || Int.random(in: 0..<4, using: &random) == 0 {
                bad.insert(Int64(index) * 300)
            }
            let disliked = bad
            let server = Fussy { !disliked.contains($0) }
            life.internet.add(server, at: OutboxLife.host)
            try await life.record(600, each: .seconds(30))
            var target = TickTarget()
            target.traits.itemLimit = 50
            let task = life.task(target)
            try await life.run(task) {
                try await clock.sleep(for: .seconds(7_200))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.totals.delivered == 600 - bad.count, "\(standing)")
            #expect(standing.waiting == 0)
        }
    }

    /// New values arrive while samples of the backlog are refused one by one.
    @Test func aRefusedPastHoldsNoNewValue() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = Fussy { $0 >= 6_000 && $0 % 3 != 0 || $0 >= 12_000 }
            life.internet.add(server, at: OutboxLife.host)
            for index in 0..<1_200 {
                if index % 2 == 0 { life.record() }
                try await clock.sleep(for: .milliseconds(1_100))
            }
            let task = life.task(TickTarget())
            try await life.run(task) {
                // The first refusal parts the lanes.
                try await clock.sleep(for: .seconds(2))
                for _ in 0..<60 {
                    life.record()
                    let tick = Tick(clock.now).tenths
                    try await clock.sleep(for: .seconds(5))
                    #expect(server.items.contains(tick), "5 s after it was recorded")
                }
                try await life.demandSum(task)
            }
            #expect(await task.standing.delivery.held == nil)
        }
    }

    /// A clock that is wrong by a day, here or there, costs no sample.
    @Test func leavesNothingOutWhereEvenTheNewestIsTooOld() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let ahead = Mutex<Int64>(86_400_000_000_000)
            let server = InfluxServer(.one, keeps: Self.twoHours) {
                WallTime(nanoseconds: life.now.nanoseconds + ahead.withLock { $0 })
            }
            life.internet.add(server, at: OutboxLife.host)
            try await life.record(400, each: .seconds(10))
            let task = life.task(OutboxLife.influx())
            try await life.run(task) {
                try await life.record(300, each: .seconds(10))
                #expect(await task.standing.delivery.held?.code == "older-than-kept")
                #expect(await task.standing.totals.leftOut == [:])
                ahead.withLock { $0 = 0 }
                await task.wake()
                try await clock.sleep(for: .seconds(60))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.delivery.held == nil && standing.waiting == 0)
            #expect(standing.totals.delivered == 700, "\(standing)")
        }
    }

    /// A receiver that was away for a day keeps less than what waits when it is back.
    @Test func goesOnAfterADayWithoutTheDatabase() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = InfluxServer(.one, keeps: Self.twoHours) { life.now }
            life.internet.add(server, at: OutboxLife.host)
            let task = life.task(OutboxLife.influx(100))
            try await life.run(task) {
                try await life.record(20, each: .seconds(30))
                life.internet.set(.refused, at: OutboxLife.host)
                try await life.record(2_880, each: .seconds(30))
                life.internet.set(nil, at: OutboxLife.host)
                await task.wake()
                try await life.record(4, each: .seconds(30))
                try await clock.sleep(for: .seconds(5))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.waiting == 0 && standing.delivery.held == nil, "\(standing)")
            #expect((255...266).contains(standing.totals.delivered), "\(standing)")
            #expect(standing.totals.leftOut.keys.sorted { "\($0)" < "\($1)" } == [.notKept])
        }
    }

    // MARK: Answers

    @Test(arguments: [
        (400, #"{"error":"partial write: points beyond retention policy dropped=2"}"#, "partly"),
        (
            422,
            #"{"code":"unprocessable entity","message":"failure writing points to database: "#
                + #"partial write: dropped 2 points outside retention policy of duration 1h0m0s - "#
                + #"oldest point roost at 1 dropped because it violates a Retention Policy Lower "#
                + #"Bound at 2, newest point roost at 1 dropped=2"}"#,
            "partly"
        ),
        (
            422,
            #"{"message":"partial write: dropped 2 points outside retention policy - newest point "#
                + #"dropped because it violates a Write Window Upper Bound dropped=2"}"#,
            "refused"
        ),
        (400, #"{"error":"partial write: points beyond retention policy dropped=9"}"#, "refused"),
        (
            400,
            #"{"error":"partial write: field type conflict: input field \"pm25\" on measurement "#
                + #"\"roost\" is type float, already exists as type string dropped=2"}"#,
            // The next batch goes without the field.
            "later"
        ),
        (
            400,
            #"{"error":"partial write of line protocol occurred","data":[{"original_line":"x","#
                + #""line_number":1,"error_message":"no"},{"original_line":"y","line_number":3,"#
                + #""error_message":"no"}]}"#,
            "partly"
        ),
        (
            400,
            #"{"error":"partial write of line protocol occurred","data":[{"original_line":"x","#
                + #""line_number":7,"error_message":"no"}]}"#,
            "refused"
        ),
        (
            400,
            #"{"error":"partial write of line protocol occurred","data":[{"line_number":1},"#
                + #"{"line_number":2},{"line_number":3,"error_message":"no"}]}"#,
            "refused"
        ),
    ])
    func readsAPartialWrite(status: Int, body: String, name: String) throws {
        let canned = Canned(OutboundAnswer(status, text: body))
        let batch = TargetFixture.batch(
            TargetFixture.dust(2),
            TargetFixture.dust(0),
            TargetFixture.dust(1)
        )
        let outcome = try TargetFixture.inNetwork([OutboxLife.host: canned]) { network in
            try await OutboxLife.influx().deliver(batch, over: network)
        }
        #expect(outcome.name == name, "\(outcome)")
        guard case .partly(let refused, let reason) = outcome else { return }
        let isAge = reason.code == "older-than-kept"
        #expect(refused == (isAge ? [1, 2] : [0, 2]))
        #expect(isAge == reason.words.hasPrefix("older than the target keeps"))
    }

    private final class Canned: SimulatedServer {
        private let canned: OutboundAnswer

        init(_ answer: OutboundAnswer) { canned = answer }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer { canned }
    }
}
