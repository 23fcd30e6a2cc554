import Core
import Runtime

/// Keeps a broker's state of the station up to date, beside the outbox that sends its samples.
///
/// It says whether the station answers, announces devices that come and go, and answers a Home
/// Assistant that has restarted.
actor MQTTDiscovery: Child {
    private static let promise: Duration = .seconds(180)

    private let target: MQTTTarget
    private let network: any CourierNetwork
    private let facts: any StationViewSource
    private let clock: any NodeClock
    private let heartbeat: Heartbeat
    /// Called when the broker is connected again.
    private let connected: @Sendable () async -> Void

    init(
        _ target: MQTTTarget,
        over network: any CourierNetwork,
        asking facts: any StationViewSource,
        clock: any NodeClock,
        heartbeat: Heartbeat,
        connected: @escaping @Sendable () async -> Void = {}
    ) {
        (self.target, self.network, self.facts) = (target, network, facts)
        (self.clock, self.heartbeat, self.connected) = (clock, heartbeat, connected)
    }

    /// Runs until cancelled; says `offline` on its way out.
    func run() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.listen() }
                group.addTask { try await self.tend() }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            await target.retire()
            throw error
        }
        await target.retire()
    }

    private func listen() async throws {
        while !Task.isCancelled { try await target.listen() }
    }

    private func tend() async throws {
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: Self.promise)
            if try await target.show(try await facts.view(), over: network) { await connected() }
            _ = try await clock.wait(
                for: target.needsTending,
                until: await target.nextTending(),
                tolerance: .seconds(1)
            )
        }
    }
}
