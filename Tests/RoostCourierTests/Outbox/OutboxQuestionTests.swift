import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests the effect of questions on a task that does something else.
@Suite struct OutboxQuestionTests {
    /// Answers a second late, so that questions overlap.
    private static func slow(_ life: OutboxLife) -> HinderedSource {
        HinderedSource(ring: life.ring) { answer in
            guard answer != .streams else { return }
            try await life.clock.sleep(for: .seconds(1), tolerance: .zero)
        }
    }

    @Test func callsNothingExpiredThatAQuestionCountedMeanwhile() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            life.internet.add(OutboxLife.Counter(), at: OutboxLife.host)
            life.internet.set(.refused, at: OutboxLife.host)
            let task = life.task(OutboxLife.OnceTarget(.harmless), from: Self.slow(life))
            try await life.run(task) {
                for _ in 0..<4_000 {
                    life.record()
                    try await clock.sleep(for: .milliseconds(700))
                    try await task.see()
                }
            }
            #expect(await task.standing.totals.leftOut[.expired] == nil)
        }
    }

    @Test func aQuestionPutsNoOldCursorOverNewMarks() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let server = OutboxLife.Counter()
            life.internet.add(server, at: OutboxLife.host)
            try await life.record(10, each: .seconds(1))
            let first = life.task(OutboxLife.OnceTarget(.harmless))
            try await life.run(first) { try await clock.sleep(for: .seconds(10)) }
            try await life.record(10, each: .seconds(1))
            let task = life.task(OutboxLife.OnceTarget(.harmless), from: Self.slow(life))
            let question = Mutex<Bool>(false)
            try await life.run(task) {
                try await clock.sleep(for: .milliseconds(500))
                _ = try await task.snapshot()
                question.withLock { $0 = true }
                try await clock.sleep(for: .seconds(30))
                try await life.demandSum(task)
            }
            #expect(question.withLock { $0 })
            #expect(server.most == 1 && server.count == 20)
        }
    }

    @Test func aRetryAtASilentServerEnds() throws {
        try simulate { clock in
            let life = OutboxLife(clock)
            let refuses = Mutex(true)
            let server = Moody { refuses.withLock { $0 } }
            life.internet.add(server, at: OutboxLife.host)
            try await life.record(9, each: .seconds(1))
            let task = life.task(OutboxLife.OnceTarget(.atLeastOnce))
            try await life.run(task) {
                try await clock.sleep(for: .seconds(60))
                #expect(await task.standing.totals.leftOut[.refused] == 9)
                life.internet.set(.silent, at: OutboxLife.host)
                let begun = clock.now
                let (taken, left, why) = try await task.retry()
                #expect(taken == 0 && left == 9 && why != nil)
                #expect(begun.duration(to: clock.now) <= .seconds(60))
                life.internet.set(nil, at: OutboxLife.host)
                refuses.withLock { $0 = false }
                let again = try await task.retry()
                #expect(again.taken == 9 && again.left == 0 && again.why == nil)
            }
        }
    }

    private final class Moody: SimulatedServer {
        private let refuses: @Sendable () -> Bool

        init(_ refuses: @escaping @Sendable () -> Bool) { self.refuses = refuses }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            refuses() ? OutboundAnswer(400, text: "no") : OutboundAnswer(200, text: "thanks")
        }
    }
}
