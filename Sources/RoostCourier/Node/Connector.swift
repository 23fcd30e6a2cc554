import ControlProtocol
import Core
import Runtime

/// One running entry of the configuration: its task, its network and its pause.
///
/// It outlives the task, which the supervisor makes again after a failure.
actor Connector {
    /// A broker with the events that it gets besides samples.
    typealias Broker = (target: MQTTTarget, events: BrokerEvents)

    nonisolated let entry: ConnectorEntry
    nonisolated let network: TargetNetwork
    private let clock: any NodeClock
    private var task: (any DeliveryTask)?
    private var broker: Broker?
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

    func begin(_ task: any DeliveryTask, _ broker: Broker? = nil) {
        (self.task, self.broker, broken) = (task, broker, nil)
        halt()
    }

    /// Passes a motion or an alert on; only brokers send them.
    func publish(_ news: MQTTEvent) async {
        await broker?.events.append(news)
    }

    func fail(_ why: String) { (task, broker, broken) = (nil, nil, why) }

    // MARK: Orders

    private static let never = MonotonicInstant(nanoseconds: .max)

    var isPaused: Bool { pausedUntil.map { $0 > clock.now } ?? false }

    /// - Parameter duration: nil until `resume`.
    /// - Throws: `CourierFilesError` when a restart will forget it; `CancellationError`.
    func pause(for duration: Duration?) async throws {
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
    func resume() async throws {
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

    private func halt() { network.halt(isPaused || waitsForOtherRoute) }

    private var waitsForOtherRoute: Bool {
        isMetered && !entry.isMetered && task?.canWait != false
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
    func wake(within time: Duration = .zero) async { await task?.wake(within: time) }

    func flush(_ isOn: Bool) async {
        await samples?.flush(isOn)
    }

    /// The task that sends samples; nil where none are sent.
    var samples: OutboxTask? { task as? OutboxTask }

    /// The task that sends drives; nil where none are sent.
    var drives: DriveTask? { task as? DriveTask }

    /// The task that sends files; nil where none are sent.
    var files: FileOutboxTask? { task as? FileOutboxTask }

    // MARK: Reports

    /// Whether all recorded samples are settled.
    var isEmpty: Bool {
        get async { await task?.isDone ?? true }
    }

    var report: OutboxReport {
        get async {
            var report = OutboxReport(id: entry.id, type: entry.type, state: .waitsForStation)
            if let task {
                await task.fill(&report)
            } else if broken != nil {
                (report.state, report.why) = (.broken, broken)
            }
            if let (target, events) = broker {
                report.proof = await target.standing
                let isWell = report.code == nil && report.state != .waitsForStation
                if let trouble = await target.trouble, isWell {
                    (report.state, report.why, report.code) = (.later, trouble.words, trouble.code)
                }
                report.omittedMotionCount = await events.omittedCount
            }
            if let misfit = await misfit {
                (report.state, report.why, report.code) = (.held, misfit.words, misfit.code)
            }
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
            if broker != nil, motions { return nil }
            let all = await channels()
            guard !all.isEmpty, !all.contains(where: { !$0.chosen.isEmpty && target.takes($0) })
            else { return nil }
            let words = "nothing that the station measures is for it: the station has "
            return DeliveryReason("no-sensor", words + all.map(\.text).joined(separator: ", "))
        }
    }
}
