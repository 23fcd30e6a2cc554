import ControlProtocol
import Core
import Supervision

/// One target of the configuration as it runs: its task, its network, and what its owner ordered.
///
/// Outlives the task, which the supervisor makes anew after a failure.
package actor Outlet {
    /// The task of an outlet.
    private enum Work {
        case samples(OutboxTask)
        case heartbeat(HeartbeatTask)
    }

    package nonisolated let entry: TargetEntry
    nonisolated let network: TargetNetwork
    private let clock: any NodeClock
    private var work: Work?
    /// Why no task could be made; nil when it could.
    private var broken: String?
    /// Until when its owner paused it.
    private var pausedUntil: MonotonicInstant?
    private var isMetered = false
    private let order = Signal()

    init(_ entry: TargetEntry, over network: TargetNetwork, clock: any NodeClock) {
        (self.entry, self.network, self.clock) = (entry, network, clock)
    }

    func begin(_ task: OutboxTask) { begin(.samples(task)) }
    func begin(_ task: HeartbeatTask) { begin(.heartbeat(task)) }

    private func begin(_ work: Work) {
        (self.work, broken) = (work, nil)
        halt()
    }

    func fail(_ why: String) { (work, broken) = (nil, why) }

    // MARK: Orders

    private static let never = MonotonicInstant(nanoseconds: .max)

    package var isPaused: Bool { pausedUntil.map { $0 > clock.now } ?? false }

    /// - Parameter duration: nil until `resume`.
    package func pause(for duration: Duration?) {
        pausedUntil = duration.map { clock.now.advanced(by: $0) } ?? Self.never
        halt()
        order.raise()
    }

    package func resume() async {
        pausedUntil = nil
        halt()
        order.raise()
        await wake()
    }

    /// The connection is paid by volume from now on, or no more.
    func set(metered: Bool) async {
        guard isMetered != metered else { return }
        isMetered = metered
        halt()
        if !metered { await wake() }
    }

    /// Heartbeats go over every connection: they are what must not depend on it.
    private func halt() {
        var waits = isMetered && !entry.common.isMetered
        if case .heartbeat = work { waits = false }
        network.halt(isPaused || waits)
    }

    private var pauseEnd: MonotonicInstant? { pausedUntil.flatMap { $0 == Self.never ? nil : $0 } }

    /// Ends a pause when its time is over; runs beside the task.
    func keepPauses() async throws {
        while !Task.isCancelled {
            _ = try await clock.wait(for: order, until: pauseEnd, tolerance: .seconds(5))
            if let until = pausedUntil, until <= clock.now { await resume() }
        }
    }

    /// Tries at once what waits.
    package func wake(within time: Duration = .zero) async {
        switch work {
        case .samples(let task): await task.wake(within: time)
        case .heartbeat(let task): await task.wake()
        case nil: return
        }
    }

    package func flush(_ isOn: Bool) async {
        if case .samples(let task) = work { await task.flush(isOn) }
    }

    /// Leaves out what waits from before a moment; nil where no samples go.
    package func drop(before moment: WallTime) async throws -> Int? {
        try await samples?.drop(before: moment)
    }

    /// The task that sends samples; nil where none go.
    var samples: OutboxTask? {
        guard case .samples(let task) = work else { return nil }
        return task
    }

    // MARK: Reports

    /// Whether all that was recorded has its fate.
    package var isEmpty: Bool {
        get async {
            guard case .samples(let task) = work else { return true }
            return await task.isDone
        }
    }

    package var report: OutboxReport {
        get async {
            var report = OutboxReport(id: entry.id, type: entry.type, state: .waitsForStation)
            switch work {
            case .samples(let task): Self.fill(&report, await task.standing, at: clock.now)
            case .heartbeat(let task): Self.fill(&report, await task.standing, at: clock.now)
            case nil where broken != nil: (report.state, report.why) = (.broken, broken)
            case nil: break
            }
            (report.requestCount, report.byteCount) = network.counts
            if isPaused {
                (report.state, report.why) = (.paused, nil)
                report.nextTrySeconds = pauseEnd.map { clock.now.duration(to: $0).inSeconds }
            }
            return report
        }
    }

    private static func fill(
        _ report: inout OutboxReport,
        _ standing: OutboxTask.Standing,
        at now: MonotonicInstant
    ) {
        var leftOut: [String: Int] = [:]
        for (reason, count) in standing.totals.leftOut { leftOut[reason.rawValue] = count }
        report.samples = OutboxSampleCounts(
            delivered: standing.totals.delivered,
            waiting: standing.waiting,
            leftOut: leftOut
        )
        report.oldestWaiting = standing.oldest?.iso8601
        report.waitsForClock = standing.waitsForClock
        report.lastDeliverySeconds = standing.lastDelivery.map { $0.duration(to: now).inSeconds }
        if let trouble = standing.sourceTrouble {
            (report.state, report.why) = (.waitsForStation, trouble)
            return
        }
        let reason = standing.held ?? standing.trouble
        (report.why, report.code) = (reason?.words, reason?.code)
        if standing.held != nil {
            report.state = .held
        } else if reason != nil {
            report.state = .later
        } else {
            report.state = standing.waiting > 0 ? .waiting : .idle
        }
        if standing.waiting > 0, standing.notBefore > now {
            report.nextTrySeconds = now.duration(to: standing.notBefore).inSeconds
        }
    }

    private static func fill(
        _ report: inout OutboxReport,
        _ standing: HeartbeatTask.Standing,
        at now: MonotonicInstant
    ) {
        report.state = standing.isHeld ? .held : standing.trouble == nil ? .idle : .later
        (report.why, report.code) = (standing.trouble?.words, standing.trouble?.code)
        report.nextTrySeconds = max(now.duration(to: standing.next).inSeconds, 0)
        report.lastDeliverySeconds = standing.lastDelivery.map { $0.duration(to: now).inSeconds }
    }
}

/// The child of an outlet: its task, and the end of its pauses.
struct OutletChild: Child {
    let outlet: Outlet
    let task: any Child

    func run() async throws {
        let (outlet, task) = (outlet, task)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await task.run() }
            group.addTask { try await outlet.keepPauses() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
