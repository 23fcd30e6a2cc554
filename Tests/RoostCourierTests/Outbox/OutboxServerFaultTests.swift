import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests servers that answer 500 to one sample of a batch, or to everything.
@Suite struct OutboxServerFaultTests {
    /// Answers 500 to each batch with a bad item.
    private final class Choker: SimulatedServer {
        private struct State {
            var bad: Set<String> = []
            var counts: [String: Int] = [:]
            /// Batches of one that were answered 500.
            var refusedAlone: [String: Int] = [:]
        }

        private let state = Mutex(State())

        var counts: [String: Int] { state.withLock { $0.counts } }
        var refusedAlone: [String: Int] { state.withLock { $0.refusedAlone } }

        func set(bad: Set<String>) { state.withLock { $0.bad = bad } }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let items = request.text.split(separator: "\n").map(String.init)
            return state.withLock { state in
                guard state.bad.isDisjoint(with: items) else {
                    if items.count == 1 { state.refusedAlone[items[0], default: 0] += 1 }
                    return OutboundAnswer(500, text: "cannot store \(items.count)")
                }
                for item in items { state.counts[item, default: 0] += 1 }
                return OutboundAnswer(200, text: "thanks")
            }
        }
    }

    private static let boot = BootID(bytes: [UInt8](repeating: 1, count: 16))

    private static func item(_ seconds: Int64) -> String { "\(boot)/\(seconds * 10)" }

    private static func life(_ clock: SimulatedClock) -> (OutboxLife, Choker) {
        let (life, server) = (OutboxLife(clock), Choker())
        life.internet.add(server, at: OutboxLife.host)
        return (life, server)
    }

    private static func target(
        _ repetition: SampleTargetTraits.Repetition = .atLeastOnce
    ) -> OutboxLife.OnceTarget {
        var target = OutboxLife.OnceTarget(repetition)
        target.traits.itemLimit = 500
        return target
    }

    /// The bad sample is the first, in the middle, or the last.
    @Test(arguments: [0, 2_777, 5_305])
    func oneReadingHoldsNoOthers(bad: Int64) throws {
        try simulate { clock in
            let (life, server) = Self.life(clock)
            try await life.record(5_306, each: .seconds(1))
            server.set(bad: [Self.item(bad)])
            let task = life.task(Self.target())
            try await life.run(task) {
                for _ in 0..<9 {
                    try await clock.sleep(for: .seconds(10))
                    life.record()
                }
                try await clock.sleep(for: .seconds(10))
                #expect(server.counts.count == 5_314, "of 5 314 that it takes, in 100 s")
                try await life.demandSum(task)
                // It waits in a lane of its own, longer after each try.
                try await clock.sleep(for: .seconds(3_600))
                let tries = server.refusedAlone[Self.item(bad)] ?? 0
                #expect((4...24).contains(tries), "\(tries) tries in an hour")
                let time = OutboxLife.start.nanoseconds + bad * 1_000_000_000
                let name = WallTime(nanoseconds: time).iso8601
                let standing = await task.standing
                #expect(standing.delivery.trouble == nil)
                let why = "it refuses a sample of dust at \(name) (status 500: cannot store 1)"
                #expect(standing.delivery.refusals.text?.hasPrefix(why) == true, "\(standing)")
                server.set(bad: [])
                try await clock.sleep(for: .seconds(900))
                #expect(server.counts.count == 5_315)
                try await life.demandSum(task)
            }
            let standing = await task.standing
            #expect(standing.totals.delivered == 5_315, "\(standing)")
            #expect(standing.totals.leftOut.isEmpty, "\(standing)")
            let refused = life.notices.all.filter { if case .refused = $0 { true } else { false } }
            #expect(refused.count == 1, "it is named once: \(refused)")
        }
    }

    /// A sample that comes once in a while does not wait for another one either.
    @Test func presentValuesGoOnBesideOne() throws {
        try simulate { clock in
            let (life, server) = Self.life(clock)
            let task = life.task(Self.target())
            try await life.run(task) {
                try await life.record(3, each: .seconds(60))
                server.set(bad: [Self.item(180)])
                for _ in 0..<10 {
                    life.record()
                    let item = "\(Self.boot)/\(Tick(clock.now).tenths)"
                    try await clock.sleep(for: .seconds(60))
                    guard item != Self.item(180) else { continue }
                    #expect(server.counts[item] == 1, "\(item)")
                }
                try await life.demandSum(task)
            }
        }
    }

    /// A tenth of all samples are bad: the others go on.
    @Test func manyHoldNoOthers() throws {
        try simulate { clock in
            let (life, server) = Self.life(clock)
            try await life.record(1_000, each: .seconds(1))
            server.set(bad: Set((0..<100).map { Self.item($0 * 10 + 3) }))
            let task = life.task(Self.target())
            try await life.run(task) {
                try await clock.sleep(for: .seconds(900))
                #expect(server.counts.count == 900)
                try await life.demandSum(task)
            }
        }
    }

    /// A server that is down costs few requests, and nothing is left out or named.
    @Test(arguments: [500, 502, 503])
    func aServerThatIsDownLosesNothing(status: Int) throws {
        try simulate { clock in
            let (life, server) = Self.life(clock)
            try await life.record(1_000, each: .seconds(1))
            let task = life.task(Self.target())
            let fault = NetworkFault.status(status, retryAfterSeconds: nil)
            life.internet.set(fault, at: OutboxLife.host)
            try await life.run(task) {
                for _ in 0..<60 {
                    life.record()
                    try await clock.sleep(for: .seconds(60))
                }
                #expect(life.internet.exchangeCount <= 24, "\(life.internet.exchangeCount)")
                #expect(await task.standing.totals.leftOut.isEmpty)
                life.internet.set(nil, at: OutboxLife.host)
                try await clock.sleep(for: .seconds(960))
                try await life.demandSum(task)
            }
            #expect(server.counts.count == 1_060)
            #expect(server.counts.values.allSatisfy { $0 == 1 })
            #expect(await task.standing.totals.delivered == 1_060)
            #expect(life.notices.all.allSatisfy { if case .refused = $0 { false } else { true } })
        }
    }

    /// A sample that waits in its own lane still does after a restart, unless it may go only once.
    @Test(arguments: [SampleTargetTraits.Repetition.atLeastOnce, .atMostOnce])
    func keepsTheOneThroughARestart(repetition: SampleTargetTraits.Repetition) throws {
        try simulate { clock in
            let (life, server) = Self.life(clock)
            try await life.record(100, each: .seconds(1))
            server.set(bad: [Self.item(50)])
            let target = Self.target(repetition)
            let first = life.task(target)
            try await life.run(first) {
                for _ in 0..<10 {
                    try await clock.sleep(for: .seconds(10))
                    life.record()
                }
                try await clock.sleep(for: .seconds(10))
                #expect(server.counts.count == 109)
            }
            server.set(bad: [])
            let second = life.task(target)
            try await life.run(second) {
                try await clock.sleep(for: .seconds(60))
                try await life.demandSum(second)
            }
            let isRepeated = repetition != .atMostOnce
            #expect(server.counts.count == (isRepeated ? 110 : 109))
            #expect(await second.standing.totals.leftOutCount == (isRepeated ? 0 : 1))
            #expect(server.counts.values.allSatisfy { $0 == 1 })
        }
    }
}
