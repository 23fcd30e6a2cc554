import ControlProtocol
import Core
import Runtime

/// One running entry of the configuration: its task, its network and its pause.
///
/// It outlives the task, which the supervisor makes again after a failure.
package actor Connector {
    /// The kind of task that the entry runs.
    private enum Work {
        case samples(OutboxTask)
        case broker(OutboxTask, MQTTTarget, BrokerEvents)
        case files(FileOutboxTask)
        case drives(DriveTask)
        case notices(NoticeTask)
        case pushes(PushTask)
        case heartbeat(HeartbeatTask)
        case feed(FeedTask)
    }

    package nonisolated let entry: ConnectorEntry
    nonisolated let network: TargetNetwork
    private let clock: any NodeClock
    private var work: Work?
    /// Why no task could be made; nil when one was made.
    private var broken: String?
    /// End of the owner's pause.
    private var pausedUntil: MonotonicInstant?
    /// The file of pauses, which outlives the process; nil where there is no folder for it.
    private let pauses: PauseFile?
    private var isRestored = false
    /// Whether a pause from before the start may end sooner once the clock is set.
    private var waitsForClock = false
    private var isMetered = false
    private let order = Signal()
    /// Lists the station's channels, and which of them the owner's choice leaves.
    private let channels: @Sendable () async -> [SampleChannels]

    init(
        _ entry: ConnectorEntry,
        over network: TargetNetwork,
        clock: any NodeClock,
        pauses: PauseFile? = nil,
        channels: @escaping @Sendable () async -> [SampleChannels] = { [] }
    ) {
        (self.entry, self.network, self.clock) = (entry, network, clock)
        self.pauses = pauses
        self.channels = channels
    }

    func begin(_ task: OutboxTask) { begin(.samples(task)) }
    func begin(_ task: HeartbeatTask) { begin(.heartbeat(task)) }
    func begin(_ task: FeedTask) { begin(.feed(task)) }
    func begin(_ task: FileOutboxTask) { begin(.files(task)) }
    func begin(_ task: DriveTask) { begin(.drives(task)) }
    func begin(_ task: NoticeTask) { begin(.notices(task)) }
    func begin(_ task: PushTask) { begin(.pushes(task)) }
    func begin(_ task: OutboxTask, _ target: MQTTTarget, _ news: BrokerEvents) {
        begin(.broker(task, target, news))
    }

    /// Passes a motion or an alert on; only brokers send them.
    func publish(_ news: MQTTEvent) async {
        guard case .broker(_, _, let waiting) = work else { return }
        await waiting.append(news)
    }

    private func begin(_ work: Work) {
        (self.work, broken) = (work, nil)
        halt()
    }

    func fail(_ why: String) { (work, broken) = (nil, why) }

    // MARK: Orders

    private static let never = MonotonicInstant(nanoseconds: .max)

    package var isPaused: Bool { pausedUntil.map { $0 > clock.now } ?? false }

    /// - Parameter duration: nil until `resume`.
    /// - Throws: `CourierFilesError` when a restart will forget it; `CancellationError`.
    package func pause(for duration: Duration?) async throws {
        (isRestored, waitsForClock) = (true, false)
        pausedUntil = duration.map { clock.now.advanced(by: $0) } ?? Self.never
        halt()
        order.raise()
        guard let pauses else {
            throw CourierFilesError("this courier has no folder for its pauses; see --state")
        }
        try await pauses.begin(entry.id, for: duration)
    }

    /// Resumes a pause from before the start; called before anything is sent.
    ///
    /// - Throws: `CancellationError`.
    func restorePause() async throws {
        guard !isRestored, let rest = try await pauses?.pause(of: entry.id), !isRestored else {
            return
        }
        isRestored = true
        (pausedUntil, waitsForClock) = (rest.end ?? Self.never, rest.waitsForClock)
        halt()
        order.raise()
    }

    /// Ends a pause from before the start, if the clock was set since and says that it is over.
    private func lookAtClock() async throws {
        guard waitsForClock, let rest = try await pauses?.pause(of: entry.id), waitsForClock,
            !rest.waitsForClock
        else { return }
        (pausedUntil, waitsForClock) = (rest.end ?? Self.never, false)
    }

    /// - Throws: `CourierFilesError` when a restart will pause it again; `CancellationError`.
    package func resume() async throws {
        await goOn()
        try await pauses?.end(entry.id)
    }

    private func goOn() async {
        (isRestored, waitsForClock) = (true, false)
        pausedUntil = nil
        halt()
        order.raise()
        await wake()
    }

    /// Sets whether the connection is paid by volume.
    func set(metered: Bool) async {
        guard isMetered != metered else { return }
        isMetered = metered
        halt()
        if !metered { await wake() }
    }

    /// Heartbeats and notices go over every connection: they are few, and cannot wait.
    private func halt() { network.halt(isPaused || waitsForOtherRoute) }

    private var waitsForOtherRoute: Bool {
        switch work {
        case .heartbeat, .notices, .pushes: false
        case .samples, .broker, .files, .drives, .feed, nil: isMetered && !entry.isMetered
        }
    }

    private var pauseEnd: MonotonicInstant? { pausedUntil.flatMap { $0 == Self.never ? nil : $0 } }

    /// Ends a pause when its time is over; runs beside the task.
    func keepPauses() async throws {
        while !Task.isCancelled {
            let look = waitsForClock ? clock.now.advanced(by: .minutes(1)) : nil
            let until = [pauseEnd, look].compactMap(\.self).min()
            _ = try await clock.wait(for: order, until: until, tolerance: .seconds(5))
            try await lookAtClock()
            guard let end = pausedUntil, end <= clock.now else { continue }
            await goOn()
            try await pauses?.forget(entry.id)
        }
    }

    /// Tries at once to send whatever waits.
    package func wake(within time: Duration = .zero) async {
        switch work {
        case .samples(let task): await task.wake(within: time)
        case .broker(let task, _, _): await task.wake(within: time)
        case .files(let task): await task.wake(within: time)
        case .drives(let task): await task.wake(within: time)
        case .notices(let task): await task.wake(within: time)
        case .pushes(let task): await task.wake(within: time)
        case .heartbeat(let task): await task.wake()
        case .feed(let task): await task.wake()
        case nil: return
        }
    }

    package func flush(_ isOn: Bool) async {
        await samples?.flush(isOn)
    }

    /// The task that sends samples; nil where none are sent.
    var samples: OutboxTask? {
        switch work {
        case .samples(let task), .broker(let task, _, _): task
        case .files, .drives, .notices, .pushes, .heartbeat, .feed, nil: nil
        }
    }

    /// The task that sends drives; nil where none are sent.
    var drives: DriveTask? {
        if case .drives(let task) = work { task } else { nil }
    }

    /// The task that sends files; nil where none are sent.
    var files: FileOutboxTask? {
        if case .files(let task) = work { task } else { nil }
    }

    // MARK: Reports

    /// Whether all recorded samples are settled.
    package var isEmpty: Bool {
        get async {
            switch work {
            case .samples(let task), .broker(let task, _, _): await task.isDone
            case .drives(let task): await task.isDone
            // A file whose period is not over yet does not count as waiting.
            case .files(let task): await task.standing.isUpToDate
            case .notices, .pushes, .heartbeat, .feed, nil: true
            }
        }
    }

    package var report: OutboxReport {
        get async {
            var report = OutboxReport(id: entry.id, type: entry.type, state: .waitsForStation)
            switch work {
            case .samples(let task): Self.fill(&report, await task.standing, at: clock.now)
            case .broker(let task, let target, let news):
                Self.fill(&report, await task.standing, at: clock.now)
                report.proof = await target.standing
                if let trouble = await target.trouble, report.why == nil {
                    (report.state, report.why, report.code) = (.later, trouble.words, trouble.code)
                }
                report.omittedMotionCount = await news.omittedCount
            case .files(let task): Self.fill(&report, await task.standing, at: clock.now)
            case .drives(let task):
                DriveReport.fill(&report, await task.standing, at: clock.now)
            case .notices(let task): Self.fill(&report, await task.standing, at: clock.now)
            case .pushes(let task): Self.fill(&report, await task.standing, at: clock.now)
            case .heartbeat(let task): Self.fill(&report, await task.standing, at: clock.now)
            case .feed(let task): Self.fill(&report, await task.standing, at: clock.now)
            case nil where broken != nil: (report.state, report.why) = (.broken, broken)
            case nil: break
            }
            if let misfit = await misfit {
                (report.state, report.why, report.code) = (.held, misfit.words, misfit.code)
            }
            report.isProvable = files != nil || samples?.isProvable ?? false
            (report.requestCount, report.byteCount) = network.counts
            // This is no fault: it goes on by itself on another connection.
            if waitsForOtherRoute, report.state == .later { report.state = .waiting }
            if isPaused {
                (report.state, report.why) = (.paused, nil)
                report.nextTrySeconds = pauseEnd.map { clock.now.duration(to: $0).inSeconds }
            }
            return report
        }
    }

    /// Why the target can take none of the station's channels; nil if it can, or this is unknown.
    private var misfit: DeliveryReason? {
        get async {
            guard let target = samples?.target else { return nil }
            // A broker may only want motions, which are not samples.
            let motions = entry.streams.contains { $0.hasSuffix("motion") }
            if case .broker = work, motions { return nil }
            let all = await channels()
            guard !all.isEmpty, !all.contains(where: { !$0.chosen.isEmpty && target.takes($0) })
            else { return nil }
            let words = "nothing that the station measures is for it: the station has "
            return DeliveryReason("no-sensor", words + all.map(\.text).joined(separator: ", "))
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
        report.isWaitingForClock = standing.waitsForClock
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
        // Refused items do not stop the others.
        guard reason == nil, let refusals = standing.refusalWords else { return }
        (report.why, report.code) = (refusals, "refuses")
    }

    /// A sample counts once for each period whose files are sent.
    private static func fill(
        _ report: inout OutboxReport,
        _ standing: FileOutboxTask.Standing,
        at now: MonotonicInstant
    ) {
        var leftOut: [String: Int] = [:]
        for (reason, count) in standing.marks.values.flatMap(\.leftOut) where count.samples > 0 {
            leftOut[reason.rawValue, default: 0] += count.samples
        }
        let marks = standing.marks.values
        report.samples = OutboxSampleCounts(
            delivered: marks.reduce(0) { $0 + $1.delivered.samples },
            waiting: marks.reduce(0) { $0 + $1.waiting },
            leftOut: leftOut
        )
        report.fileCount = marks.reduce(0) { $0 + $1.delivered.files }
        report.lastDeliverySeconds = standing.lastDelivery.map { $0.duration(to: now).inSeconds }
        if let trouble = standing.sourceTrouble {
            (report.state, report.why) = (.waitsForStation, trouble)
            return
        }
        let reason = standing.held ?? standing.trouble
        (report.why, report.code) = (reason?.words, reason?.code)
        let calm = standing.isUpToDate ? OutboxReport.State.idle : .waiting
        report.state = standing.held != nil ? .held : reason != nil ? .later : calm
        if reason != nil, standing.notBefore > now {
            report.nextTrySeconds = now.duration(to: standing.notBefore).inSeconds
        }
        // Refused notices do not stop the others.
        guard reason == nil, let refusals = standing.refusals.text else { return }
        (report.why, report.code) = (refusals, "refuses")
    }

    private static func fill(
        _ report: inout OutboxReport,
        _ standing: NoticeTask.Standing,
        at now: MonotonicInstant
    ) {
        let reason = standing.held ?? standing.trouble
        (report.why, report.code) = (reason?.words ?? standing.waitsFor, reason?.code)
        if report.why == nil, let refusals = standing.refusals.text {
            (report.why, report.code) = (refusals, "refuses")
        }
        if standing.held != nil {
            report.state = .held
        } else if reason != nil {
            report.state = .later
        } else {
            report.state = standing.waitingCount > 0 ? .waiting : .idle
        }
        report.notices = NoticeCounts(
            sent: standing.sentCount,
            waiting: standing.waitingCount,
            omitted: standing.omittedCount
        )
        report.lastDeliverySeconds = standing.lastDelivery.map { $0.duration(to: now).inSeconds }
        report.nextTrySeconds = standing.notBefore.map { max(now.duration(to: $0).inSeconds, 0) }
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

extension Connector {
    private static func fill(
        _ report: inout OutboxReport,
        _ standing: FeedTask.Standing,
        at now: MonotonicInstant
    ) {
        report.state = standing.isHeld ? .held : standing.trouble == nil ? .idle : .later
        (report.why, report.code) = (standing.trouble?.words, standing.trouble?.code)
        let code = FeedTrouble.unfinished.reason.code
        if report.code == code { report.state = .waiting }
        report.nextTrySeconds = max(now.duration(to: standing.next).inSeconds, 0)
        report.lastDeliverySeconds = standing.lastFetch.map { $0.duration(to: now).inSeconds }
        report.values = standing.counts
        report.places = standing.places
    }
}
