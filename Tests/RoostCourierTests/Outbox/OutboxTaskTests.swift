import Core
import SimulationKit
import Synchronization
import TestSupport
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Receiver that recognises items by their key, and fails at random.
private final class KeyedServer: SimulatedServer {
    let items = Mutex<[String: Int]>([:])
    let refused = Mutex<Set<String>>([])

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        let lines = String(decoding: request.body, as: UTF8.self).split(separator: "\n").map(
            String.init
        )
        let bad = refused.withLock { refused in lines.contains { refused.contains($0) } }
        if bad { return OutboundAnswer(400, text: "bad line") }
        items.withLock { items in for line in lines { items[line, default: 0] += 1 } }
        return OutboundAnswer(200, text: "stored \(lines.count)")
    }
}

/// Sends one line for each sample.
private struct LineTarget: SampleTarget {
    var traits = SampleTargetTraits()

    func leavesOut(_ sample: OutboxSample) -> LeftOut? {
        sample.outcomes.allSatisfy { $0.value == nil } ? .noValue : nil
    }

    func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        let lines = batch.samples.map { "\($0.stream.rawValue)/\($0.boot)/\($0.tick.tenths)" }
        let request = OutboundRequest(
            .post,
            "http://lines.example/",
            body: Array(lines.joined(separator: "\n").utf8)
        )
        do {
            let answer = try await network.exchange(request)
            if answer.text == "stored \(lines.count)" { return .delivered }
            return DeliveryClassifier.classify(answer)
        } catch let failure as NetworkFailure {
            return DeliveryClassifier.classify(failure)
        }
    }
}

@Suite struct OutboxTaskTests {
    /// A station with one target and random events.
    private struct Life {
        let clock: SimulatedClock
        let ring: SimulatedRing
        let internet: SimulatedInternet
        let server = KeyedServer()
        var target = LineTarget()
        let notices = Shared<[DeliveryNotice]>([])

        init(_ clock: SimulatedClock, room: Int = 100_000) {
            self.clock = clock
            ring = SimulatedRing(clock: clock, room: room)
            internet = SimulatedInternet(clock: clock)
            internet.add(server, at: "lines.example")
            ring.add(StreamID(1), device: "dust", [.pm25, .pm10])
            ring.add(StreamID(2), device: "air", [.co2])
            ring.start(Self.boot(1))
            ring.anchor(Self.boot(1), WallTime(nanoseconds: 1_700_000_000_000_000_000))
        }

        static func boot(_ number: UInt8) -> BootID {
            BootID(bytes: [UInt8](repeating: number, count: 16))
        }

        func task(seed: UInt64 = 1) -> OutboxTask {
            let notices = notices
            let world = OutboxTask.World(
                source: ring,
                cursors: ring,
                network: internet,
                clock: clock
            ) { _, notice in notices.withLock { $0.append(notice) } }
            let heartbeat = Heartbeat(clock: clock, limit: .seconds(300))
            return OutboxTask(
                id: "lines",
                target,
                startsWithBacklog: true,
                seed: seed,
                in: world,
                heartbeat: heartbeat
            )
        }

        /// Records one sample of each stream now.
        func record(_ value: Int64 = 123) {
            let tick = Tick(clock.now)
            let reading = Outcome.value(FixedPoint(value, decimals: 1))
            ring.record(StreamID(1), tick, [reading, reading])
            ring.record(StreamID(2), tick, [.noData(.unplugged)])
        }

        /// Runs a task while `body` runs.
        func run(_ task: OutboxTask, _ body: @escaping @Sendable () async throws -> Void)
            async throws
        {
            _ = try await clock.run(task.run, unless: body)
        }

        func demandSum(_ task: OutboxTask) async throws {
            try await task.see()
            let standing = await task.standing
            let sum = standing.totals.delivered + standing.totals.leftOutCount + standing.waiting
            #expect(sum == ring.recorded, "delivered + left out + waiting = recorded")
        }
    }

    @Test func deliversEachSampleAndCountsTheRest() throws {
        try simulate { clock in
            let life = Life(clock)
            let task = life.task()
            try await life.run(task) {
                for _ in 0..<100 {
                    life.record()
                    try await clock.sleep(for: .seconds(300))
                }
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.waiting == 0)
            #expect(standing.totals.delivered == 100)
            #expect(standing.totals.leftOut == [.noValue: 100])
            #expect(life.server.items.withLock { $0.values.allSatisfy { $0 == 1 } })
        }
    }

    @Test func sendsNewSamplesAheadOfABacklog() throws {
        try simulate { clock in
            var life = Life(clock)
            life.target.traits.itemLimit = 50
            life.target.traits.pace = .seconds(2)
            for _ in 0..<5_000 {
                life.record()
                try await clock.sleep(for: .seconds(1))
            }
            let task = life.task()
            let tested = life
            try await life.run(task) {
                try await clock.sleep(for: .seconds(5))
                for _ in 0..<60 {
                    tested.record()
                    let item = "1/\(Life.boot(1))/\(Tick(clock.now).tenths)"
                    try await clock.sleep(for: .seconds(10))
                    #expect(tested.server.items.withLock { $0[item] } == 1)
                    try await tested.demandSum(task)
                }
                try await clock.sleep(for: .seconds(600))
            }
            #expect(await task.standing.waiting == 0)
            #expect(life.server.items.withLock { $0.count } == 5_060)
            #expect(life.server.items.withLock { $0.values.allSatisfy { $0 == 1 } })
            let drained = life.notices.withLock { notices in
                notices.contains { if case .drained = $0 { true } else { false } }
            }
            #expect(drained)
        }
    }

    /// A sample each second must not keep a backlog from its turn.
    @Test func drainsABacklogBesideASampleEachSecond() throws {
        try simulate { clock in
            let life = Life(clock)
            for _ in 0..<Exhaustive.backlog {
                life.record()
                try await clock.sleep(for: .seconds(1))
            }
            let task = life.task()
            try await life.run(task) {
                for _ in 0..<20 {
                    life.record()
                    try await clock.sleep(for: .seconds(1))
                }
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.waiting <= 2)
            #expect(standing.totals.delivered >= Exhaustive.backlog + 19)
        }
    }

    @Test func whatNeverGoesTwiceIsLeftOutWhenNoAnswerSaysWhetherItArrived() throws {
        try simulate { clock in
            var life = Life(clock)
            life.target.traits.repetition = .atMostOnce
            let (task, tested) = (life.task(), life)
            life.internet.set(.answerLost, at: "lines.example")
            try await life.run(task) {
                for _ in 0..<20 {
                    tested.record()
                    try await clock.sleep(for: .seconds(300))
                }
                tested.internet.set(nil, at: "lines.example")
                tested.record()
                try await clock.sleep(for: .seconds(3_600))
                try await tested.demandSum(task)
            }
            #expect(life.server.items.withLock { $0.values.allSatisfy { $0 == 1 } })
            let totals = await task.standing.totals
            #expect(totals.leftOut[.unknown] ?? 0 > 0)
            #expect(totals.delivered + (totals.leftOut[.unknown] ?? 0) == 21)
        }
    }

    @Test func asksNotBeforeTheTimeThatAReceiverNamed() throws {
        try simulate { clock in
            let life = Life(clock)
            let task = life.task()
            let fault = NetworkFault.status(503, retryAfterSeconds: 1_800)
            life.internet.set(fault, at: "lines.example")
            try await life.run(task) {
                for _ in 0..<170 {
                    life.record()
                    try await clock.sleep(for: .seconds(10))
                }
            }
            #expect(life.internet.exchangeCount == 1)
        }
    }

    @Test func leavesOutOneBadSampleOfManyWithFewRequests() throws {
        try simulate { clock in
            let life = Life(clock)
            for _ in 0..<2_000 {
                life.record()
                try await clock.sleep(for: .seconds(1))
            }
            let bad = "1/\(Life.boot(1))/\(Tick(clock.now).tenths - 7_770)"
            life.server.refused.withLock { _ = $0.insert(bad) }
            let task = life.task()
            try await life.run(task) { try await clock.sleep(for: .seconds(600)) }
            let standing = await task.standing
            #expect(standing.totals.leftOut[.refused] == 1)
            #expect(standing.totals.delivered == 1_999)
            #expect(life.internet.exchangeCount <= 26)
        }
    }

    @Test func countsExactlyWhatTheRingWroteOver() throws {
        try simulate { clock in
            let life = Life(clock, room: 500)
            life.internet.set(.refused, at: "lines.example")
            let task = life.task()
            try await life.run(task) {
                for _ in 0..<2_000 {
                    life.record()
                    try await clock.sleep(for: .seconds(60))
                }
                life.internet.set(nil, at: "lines.example")
                try await clock.sleep(for: .seconds(3_600))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.waiting == 0)
            let fates = standing.totals.leftOut
            #expect(standing.totals.delivered == 500)
            #expect(fates[.expired] == 3_000)
            #expect(fates[.noValue] == 500)
        }
    }

    @Test func leavesOutWhatIsOlderThanTheTargetTakes() throws {
        try simulate { clock in
            var life = Life(clock)
            life.target.traits.ageLimit = .seconds(600)
            for _ in 0..<20 {
                life.record()
                try await clock.sleep(for: .seconds(60))
            }
            let (tested, task) = (life, life.task())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(60))
                try await tested.demandSum(task)
            }
            let totals = await task.standing.totals
            #expect(totals.delivered == 10)
            #expect(totals.leftOut == [.tooOld: 20, .noValue: 10])
        }
    }

    @Test func waitsForATrustedClockAndLeavesOutWhatIsNeverDated() throws {
        try simulate { clock in
            let life = Life(clock)
            life.ring.start(Life.boot(2))
            let task = life.task()
            try await life.run(task) {
                for _ in 0..<10 {
                    life.record()
                    try await clock.sleep(for: .seconds(60))
                }
                #expect(await task.standing.waitsForClock)
                #expect(life.server.items.withLock { $0.isEmpty })
                life.ring.start(Life.boot(3))
                life.ring.anchor(Life.boot(3), WallTime(nanoseconds: 1_700_000_000_000_000_000))
                life.record()
                try await clock.sleep(for: .seconds(600))
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.totals.leftOut[.timeUnknown] == 20)
            #expect(standing.totals.delivered == 1)
        }
    }

    @Test(arguments: 1...Exhaustive.outboxLives)
    func accountsForEverySampleThroughFaultsAndRestarts(seed: UInt64) throws {
        try simulate(seed: seed) { clock in
            var random = SplitMix64(seed: seed)
            var life = Life(clock, room: 1_200)
            life.target.traits.itemLimit = Int.random(in: 20...400, using: &random)
            life.target.traits.liveInterval = .seconds(Int.random(in: 0...120, using: &random))
            life.target.traits.refusesByAge = Bool.random(using: &random)
            let faults: [NetworkFault?] = [
                nil, nil, nil, .nameServerSilent, .refused, .unreachable, .silent, .answerLost,
                .wrongCertificate, .captivePortal, .status(503, retryAfterSeconds: 90),
                .status(429, retryAfterSeconds: nil), .status(401, retryAfterSeconds: nil),
                .slow(.seconds(40)),
            ]
            let interval = [1, 30, 300].randomElement(using: &random) ?? 60
            for turn in 0..<8 {
                let task = life.task(seed: seed &+ UInt64(turn))
                let plan = (0..<40).map { _ in faults.randomElement(using: &random) ?? nil }
                let tested = life
                try await life.run(task) {
                    for fault in plan {
                        tested.internet.set(fault, at: "lines.example")
                        for _ in 0..<5 {
                            tested.record()
                            try await clock.sleep(for: .seconds(interval))
                        }
                        try await tested.demandSum(task)
                    }
                }
            }
            life.internet.set(nil, at: "lines.example")
            let last = life.task(seed: seed)
            try await life.run(last) { try await clock.sleep(for: .seconds(90_000)) }
            try await life.demandSum(last)
            let standing = await last.standing
            #expect(standing.waiting == 0)
            let stored = life.server.items.withLock { Set($0.keys) }
            let lacking = life.ring.items.filter { $0.hasPrefix("1/") }.subtracting(stored)
            #expect(lacking.isEmpty)
        }
    }
}

/// A value that tasks of one simulation share.
private final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        value.withLock(body)
    }
}
