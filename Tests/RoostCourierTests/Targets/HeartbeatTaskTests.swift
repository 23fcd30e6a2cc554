import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

@Suite struct HeartbeatTaskTests {
    /// Counts the heartbeats that a watchdog service gets.
    private final class Watchdog: SimulatedServer {
        let alive = Mutex(0)
        let failed = Mutex(0)

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let isFailure = request.url.revealed.hasSuffix("/fail")
            if isFailure {
                failed.withLock { $0 += 1 }
            } else {
                alive.withLock { $0 += 1 }
            }
            return OutboundAnswer(200, text: "OK")
        }
    }

    @Test func endsWhenTheStationOrASamplerDoesAndSaysWhenItIsUnwell() throws {
        try simulate { clock in
            let life = try CourierLife(clock)
            let server = Watchdog()
            life.internet.add(server, at: "hc.example")
            let task = HeartbeatTask(
                HeartbeatTarget(url: "http://hc.example/u", period: .seconds(300)),
                asking: life.station,
                over: life.internet,
                clock: clock,
                heartbeat: Heartbeat(clock: clock, limit: .seconds(900)),
                id: "alive"
            )
            @Sendable func beats(in time: Duration) async throws -> Int {
                let before = server.alive.withLock { $0 }
                try await clock.sleep(for: time)
                return server.alive.withLock { $0 } - before
            }
            _ = try await clock.run(task.run) {
                #expect(try await beats(in: .minutes(60)) >= 11)
                life.station.set(progressAge: 500)
                try await clock.sleep(for: .minutes(10))
                #expect(try await beats(in: .minutes(60)) == 0)
                life.station.set(progressAge: 500, noData: "muted by you")
                try await clock.sleep(for: .minutes(10))
                #expect(try await beats(in: .minutes(60)) >= 11)
                life.station.set(progressAge: 1, reasons: ["card-full"])
                try await clock.sleep(for: .minutes(10))
                #expect(try await beats(in: .minutes(60)) == 0)
                #expect(server.failed.withLock { $0 } > 0)
                // The target's own failure, which ends with the heartbeat, does not stop it.
                life.station.set(progressAge: 1, reasons: ["outbox-fails:alive"])
                try await clock.sleep(for: .minutes(10))
                #expect(try await beats(in: .minutes(60)) >= 11)
                life.station.set(progressAge: 1)
                life.station.set(down: true)
                try await clock.sleep(for: .minutes(10))
                #expect(try await beats(in: .minutes(60)) == 0)
                #expect(await task.standing.trouble != nil)
            }
            withExtendedLifetime(life.station.folder) {}
        }
    }
}
