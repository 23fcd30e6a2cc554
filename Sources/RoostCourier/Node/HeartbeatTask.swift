import ControlProtocol
import Core
import Runtime

/// Sends heartbeats while the station is alive: an alarm elsewhere sounds when they stop.
package actor HeartbeatTask: Child {
    /// Attempts within one period.
    private static let tries = 3
    /// Time that a heartbeat may be late: a period is at most a day, a request 10 s.
    private static let grace: Duration = .seconds(120)

    /// Code of a heartbeat that is not sent because the station is not well.
    static let notWell = "not-well"

    /// State of the task, for reports.
    package struct Standing: Hashable, Sendable {
        package var trouble: DeliveryReason?
        package var isHeld = false
        package var lastDelivery: MonotonicInstant?
        package var next: MonotonicInstant
    }

    private let target: HeartbeatTarget
    private let link: any StationLink
    private let network: any CourierNetwork
    private let clock: any NodeClock
    private let heartbeat: Heartbeat
    private let id: String
    private var answeredAt: MonotonicInstant?
    package private(set) var standing: Standing
    private let wakeUp = Signal()

    /// - Parameters:
    ///   - id: The target's, from the configuration.
    package init(
        _ target: HeartbeatTarget,
        asking link: any StationLink,
        over network: any CourierNetwork,
        clock: any NodeClock,
        heartbeat: Heartbeat,
        id: String
    ) {
        (self.target, self.link, self.network) = (target, link, network)
        (self.clock, self.heartbeat, self.id) = (clock, heartbeat, id)
        standing = Standing(next: clock.now)
    }

    package func run() async throws {
        while !Task.isCancelled {
            heartbeat.beat(nextWithin: target.period + Self.grace)
            let due = clock.now
            try await say()
            let next = due.advanced(by: target.period)
            standing.next = next
            _ = try await clock.wait(for: wakeUp, until: next, tolerance: target.period / 20)
        }
    }

    /// Sends a heartbeat now.
    package func wake() { wakeUp.raise() }

    private func say() async throws {
        let decision = target.decide(try await health())
        guard let request = target.request(decision) else {
            if case .silent(let why) = decision {
                standing.trouble = DeliveryReason(Self.notWell, "nothing is sent: \(why)")
            }
            return
        }
        for attempt in 1...Self.tries {
            switch try await network.outcome(of: request, HeartbeatTarget.judge) {
            case .delivered, .partly:
                standing.lastDelivery = clock.now
                (standing.trouble, standing.isHeld) = (nil, false)
                return
            case .hold(let reason), .refused(let reason):
                (standing.trouble, standing.isHeld) = (reason, true)
                return
            case .later(let reason, _), .unknown(let reason), .foreign(let reason):
                (standing.trouble, standing.isHeld) = (reason, false)
            }
            guard attempt < Self.tries else { return }
            try await clock.sleep(for: target.period / 10, tolerance: .seconds(2))
        }
    }

    private func health() async throws -> HeartbeatTarget.Health {
        do {
            let status = try await link.ask(ControlRequest(.status), StatusReport.self)
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
