import Core

/// A supervisor's record of one of its children.
struct SupervisedChild: Sendable {
    enum Phase: Hashable, Sendable {
        /// No task: not started yet, waiting to be restarted, or ended and not restarted.
        case down
        /// The factory runs.
        case starting
        case running
        /// Asked to stop; nil once the grace is over and was reported.
        case stopping(graceEnds: MonotonicInstant?)
    }

    private(set) var spec: ChildSpec
    let isDynamic: Bool
    var phase = Phase.down
    /// Instant at which the child is cancelled if it has not stopped in order by then.
    var patienceEnds: MonotonicInstant?
    /// Whether it is to run once nothing prevents it.
    var isWanted = true
    /// Whether it is to go down first; holds until it is down.
    var isToStop = false
    var startCount = 0
    var lastExit: ChildExit?
    var startedAt: MonotonicInstant?
    var runningSince: MonotonicInstant?
    var notBefore = MonotonicInstant.boot
    var delay: RestartDelay
    /// Removed: it leaves the list once it is down.
    var isLeaving = false
    /// Added under the same id while this one leaves; the last one counts.
    var successor: ChildSpec?

    init(_ spec: ChildSpec, delay: RestartDelay.Growth, isDynamic: Bool) {
        self.spec = spec
        self.isDynamic = isDynamic
        self.delay = RestartDelay(delay)
    }

    var isUp: Bool { phase != .down }
    var hasEnded: Bool { !isWanted && !isUp }
    var isFirstStartOver: Bool { startCount > 1 || (startCount == 1 && phase != .starting) }

    func ran(until now: MonotonicInstant) -> Duration {
        runningSince.map { $0.duration(to: now) } ?? .zero
    }

    /// The given instant, or later when the hardware needs more time since the last start.
    func earliestStart(_ instant: MonotonicInstant) -> MonotonicInstant {
        guard let startedAt else { return instant }
        return max(instant, startedAt.advanced(by: spec.minimumRunTime))
    }

    func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
        switch phase {
        case .stopping(let graceEnds): patienceEnds ?? graceEnds
        case .down: isWanted && notBefore > now ? notBefore : nil
        case .starting, .running: nil
        }
    }

    mutating func beginStart(at now: MonotonicInstant) {
        phase = .starting
        startCount += 1
        startedAt = now
    }

    /// Writes down that the child is gone.
    ///
    /// - Returns: How long it ran.
    mutating func endRun(_ exit: ChildExit, at now: MonotonicInstant) -> Duration {
        patienceEnds = nil
        defer { (phase, isToStop, runningSince, lastExit) = (.down, false, nil, exit) }
        return ran(until: now)
    }

    /// Forgets the factory of a child that is never started again.
    mutating func forgetStart() {
        spec = spec.withoutStart
        successor = nil
    }

    mutating func goDown() {
        isWanted = false
        isToStop = isUp
    }

    /// Goes down if it is up, and starts again.
    ///
    /// Except that nothing brings back a temporary child that ran, or a child that was removed.
    mutating func comeBack(at instant: MonotonicInstant) {
        guard !isLeaving else { return }
        isToStop = isUp
        isWanted = spec.restart != .temporary || startCount == 0
        notBefore = max(notBefore, earliestStart(instant))
    }
}
