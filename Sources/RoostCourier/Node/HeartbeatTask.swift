import ControlProtocol
import Core
import Runtime

/// Sends heartbeats while the station is alive: an alarm elsewhere sounds when they stop.
actor HeartbeatTask: DeliveryTask {
    /// Attempts within one period.
    private static let tries = 3
    /// Time that a heartbeat may be late: a period is at most a day, a request 10 s.
    private static let grace: Duration = .seconds(120)

    /// Code of a heartbeat that is not sent because the station is not well.
    static let notWell = "not-well"

    private let target: HeartbeatTarget
    private let link: any QuestionClient
    private let network: any CourierNetwork
    private let clock: any NodeClock
    private let loop: DeliveryLoop
    private let id: String
    private var answeredAt: MonotonicInstant?
    private(set) var standing = DeliveryStanding()
    private let wakeUp = Signal()

    /// - Parameters:
    ///   - id: The target's, from the configuration.
    init(
        _ target: HeartbeatTarget,
        asking link: any QuestionClient,
        over network: any CourierNetwork,
        clock: any NodeClock,
        heartbeat: Heartbeat,
        id: String
    ) {
        (self.target, self.link, self.network) = (target, link, network)
        (self.clock, self.id) = (clock, id)
        let promise = target.period + Self.grace
        loop = DeliveryLoop(heartbeat: heartbeat, clock: clock, promise: promise)
        standing.nextTry = clock.now
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { standing.sourceTrouble = $0 }
    }

    private func turn() async throws -> MonotonicInstant? {
        let due = clock.now
        try await say()
        let next = due.advanced(by: target.period)
        standing.nextTry = next
        return next
    }

    private func rest(until next: MonotonicInstant) async throws {
        _ = try await clock.wait(for: wakeUp, until: next, tolerance: target.period / 20)
    }

    /// A heartbeat goes over every connection: it is small, and cannot wait.
    nonisolated var canWait: Bool { false }

    /// Sends a heartbeat now.
    func wake(within time: Duration = .zero) { wakeUp.raise() }

    func fill(_ report: inout OutboxReport) {
        standing.fill(&report, at: clock.now)
    }

    private func say() async throws {
        let decision = target.decide(try await health())
        guard let request = target.request(decision) else {
            if case .silent(let why) = decision {
                let reason = DeliveryReason(Self.notWell, "nothing is sent: \(why)")
                standing.set(reason, isHeld: standing.held != nil)
            }
            return
        }
        for attempt in 1...Self.tries {
            switch try await network.outcome(of: request, HeartbeatTarget.classify) {
            case .delivered, .partly:
                standing.lastDelivery = clock.now
                standing.set(nil, isHeld: false)
                return
            case .hold(let reason), .refused(let reason):
                standing.set(reason, isHeld: true)
                return
            case .later(let reason, _), .unknown(let reason), .foreign(let reason):
                standing.set(reason, isHeld: false)
            }
            guard attempt < Self.tries else { return }
            try await clock.sleep(for: target.period / 10, tolerance: .seconds(2))
        }
    }

    private func health() async throws -> HeartbeatTarget.Health {
        do {
            let status = try await link.ask(GetStatus())
            answeredAt = clock.now
            return HeartbeatTarget.Health(
                answerAge: .zero,
                // Its own failure ends with the next heartbeat, which must not wait for that.
                reasons: (status.health?.reasons ?? []).filter { $0 != "outbox-fails:\(id)" },
                samplers: Self.samplers(status)
            )
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let age = answeredAt.map { $0.duration(to: clock.now) }
            return HeartbeatTarget.Health(answerAge: age, reasons: [], samplers: [])
        }
    }

    /// Returns the devices that should measure: those with an interval that are not muted.
    private static func samplers(_ status: StatusReport) -> [HeartbeatTarget.Health.Sampler] {
        let ages = status.progress ?? []
        var intervals: [String: Double] = [:]
        for channel in status.channels {
            guard let seconds = channel.intervalSeconds,
                channel.latest?.noData?.hasPrefix("muted") != true,
                channel.latest?.noData != "unplugged"
            else { continue }
            let device = String(channel.channel.prefix { $0 != "/" })
            intervals[device] = max(intervals[device] ?? 0, seconds)
        }
        return intervals.sorted { $0.key < $1.key }.map { device, seconds in
            let age = ages.first { $0.device == device }?.progressAgeSeconds
            return .init(
                device: device,
                interval: .seconds(seconds),
                progressAge: .seconds(age ?? status.uptimeSeconds)
            )
        }
    }
}
