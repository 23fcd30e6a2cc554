import Core

/// Decides what is motion from the edges of one line; pure.
///
/// Everything is decided by the instants of the edges, so reading them late changes nothing. A
/// motion begins with a pulse of at least the minimum length, goes on over gaps up to the retrigger
/// window, and ends at its last falling edge. A pulse that began while settling is never believed:
/// the part may hold it for minutes. One that began in the block time counts from the end of it.
struct PIRMachine: Sendable {
    /// Motion events and faults to report.
    enum Notice: Hashable, Sendable {
        case motionBegan(at: MonotonicInstant)
        case motionEnded(Motion, cause: EndCause)
        case stuck(since: MonotonicInstant, at: MonotonicInstant)
        case unstuck(at: MonotonicInstant, after: Duration)
        case stormBegan(at: MonotonicInstant, edgeCount: Int)
        case stormEnded(at: MonotonicInstant, muteCount: Int)
    }

    /// Why a motion ended.
    enum EndCause: String, Sendable {
        case quiet, stuck, storm, stopped
    }

    private enum Phase: Hashable {
        case settling
        case idle
        /// High, but not yet long enough; effective since this instant.
        case pulse(since: MonotonicInstant)
        case moving(Motion)
        case lingering(Motion, until: MonotonicInstant)
        /// High again within the window, not yet long enough.
        case extending(Motion, until: MonotonicInstant, since: MonotonicInstant)
        case blocked(until: MonotonicInstant)
    }

    private enum Calm: Hashable {
        case calm
        case muted
        case probation(until: MonotonicInstant)
    }

    let settings: PIRSettings
    private(set) var status: PIRStatus
    private var phase = Phase.settling
    private var calm = Calm.calm
    private var stormMuteCount = 0
    private var highSince: MonotonicInstant?
    // False for a pulse that began while the line was not open.
    private var isTrusted = false
    private var now: MonotonicInstant
    private var lastSequence: UInt32 = 0
    // Instants of the edges of the last second, at most `stormEdges + 1`.
    private var recentEdges: [MonotonicInstant] = []

    init(settings: PIRSettings, at start: MonotonicInstant) {
        precondition(settings.complaint == nil, settings.complaint ?? "")
        self.settings = settings
        now = start
        status = PIRStatus(settlesAt: start.advanced(by: settings.settling))
    }
}

// Inputs of the machine.
extension PIRMachine {
    /// The line is held again, and has this level.
    mutating func opened(isHigh: Bool, at instant: MonotonicInstant) -> [Notice] {
        let notices = advance(to: instant)
        lastSequence = 0
        if calm == .muted {
            calm = .probation(until: now.advanced(by: PIRSettings.probation))
            status.mutedUntil = nil
        }
        return notices + level(isHigh, at: now, isTrusted: false)
    }

    /// The kernel reports an edge.
    mutating func edge(
        isRising: Bool,
        at instant: MonotonicInstant,
        sequence: UInt32
    ) -> [Notice] {
        guard calm != .muted else { return [] }
        var notices = advance(to: instant)
        let droppedCount = droppedCount(before: sequence)
        lastSequence = sequence
        status.edgeCount += 1
        status.overrunCount += droppedCount
        notices += countEdges(1 + droppedCount)
        guard calm != .muted else { return notices }
        return notices + level(isRising, at: now)
    }

    /// The line has this level, learnt from an edge or by asking.
    ///
    /// - Parameters:
    ///   - isTrusted: False when it may have been high for long already.
    /// - Returns: Events to report.
    mutating func level(
        _ isHigh: Bool,
        at instant: MonotonicInstant,
        isTrusted: Bool = true
    ) -> [Notice] {
        var notices = advance(to: instant)
        if isHigh, highSince == nil {
            highSince = now
            self.isTrusted = isTrusted
            rise()
            notices += advance(to: now)
        } else if !isHigh, let since = highSince {
            highSince = nil
            notices += fall(after: since)
        }
        status.isMoving = isMoving
        return notices
    }

    /// Time has passed without an edge.
    mutating func advance(to instant: MonotonicInstant) -> [Notice] {
        var notices: [Notice] = []
        // Each pass ends a phase for good: at most settled, begun, ended, unblocked, stuck, calm.
        while let due = nextDecision, due <= instant {
            now = max(now, due)
            notices += decide(at: due)
        }
        now = max(now, instant)
        status.isMoving = isMoving
        return notices
    }

    /// The line is lost or given back: ends what goes on.
    mutating func stop(at instant: MonotonicInstant, cause: EndCause) -> [Notice] {
        let notices = advance(to: instant) + endMotion(cause)
        phase = .idle
        highSince = nil
        status.isMoving = false
        return notices
    }

    /// The level of the line as far as it is known.
    var isHigh: Bool { highSince != nil }

    /// Instant of the next call of `advance` if no edge comes first, and how late that may be.
    ///
    /// Only what must not wait for the next edge has a window here; the rest is decided with it.
    var wake: (deadline: MonotonicInstant, tolerance: Duration)? {
        var windows: [(deadline: MonotonicInstant, tolerance: Duration)] = []
        switch phase {
        case .pulse, .extending:
            phaseEnd.map { windows.append(($0, .milliseconds(100))) }
        case .lingering:
            phaseEnd.map { windows.append(($0, settings.retriggerWindow)) }
        case .blocked where highSince != nil:
            phaseEnd.map { windows.append(($0, .seconds(1))) }
        case .settling, .idle, .moving, .blocked: break
        }
        stuckAt.map { windows.append(($0, .minutes(5))) }
        if case .probation(let end) = calm { windows.append((end, .minutes(5))) }
        return windows.min {
            $0.deadline.advanced(by: $0.tolerance) < $1.deadline.advanced(by: $1.tolerance)
        }
    }
}

// Decisions of the machine.
extension PIRMachine {
    private var isMoving: Bool {
        switch phase {
        case .moving, .lingering, .extending: true
        case .settling, .idle, .pulse, .blocked: false
        }
    }

    private var phaseEnd: MonotonicInstant? {
        switch phase {
        case .settling: status.settlesAt
        case .idle, .moving: nil
        case .pulse(let since), .extending(_, _, let since):
            since.advanced(by: settings.minimumPulse)
        case .lingering(_, let end), .blocked(let end): end
        }
    }

    private var stuckAt: MonotonicInstant? {
        status.isStuck ? nil : highSince?.advanced(by: settings.stuckAfter)
    }

    private var nextDecision: MonotonicInstant? {
        var next = [phaseEnd, stuckAt].compactMap { $0 }.min()
        if case .probation(let end) = calm { next = min(next ?? end, end) }
        return next
    }

    private mutating func decide(at due: MonotonicInstant) -> [Notice] {
        if due == stuckAt { return declareStuck() }
        if case .probation(due) = calm {
            calm = .calm
            defer { stormMuteCount = 0 }
            return [.stormEnded(at: due, muteCount: stormMuteCount)]
        }
        switch phase {
        case .idle, .moving:
            return []
        case .settling:
            phase = .idle
            return []
        case .pulse(let since):
            let motion = Motion(start: since, pulseCount: 1)
            phase = .moving(motion)
            status.motionCount += 1
            status.lastMotion = motion
            return [.motionBegan(at: since)]
        case .extending(var motion, _, _):
            motion.pulseCount += 1
            motion.end = nil
            phase = .moving(motion)
            status.lastMotion = motion
            return []
        case .lingering(_, let end):
            let notices = endMotion(.quiet)
            phase = .blocked(until: end.advanced(by: settings.blockTime))
            return notices
        case .blocked:
            phase = highSince != nil && isTrusted ? .pulse(since: due) : .idle
            return []
        }
    }

    private mutating func rise() {
        switch phase {
        case .idle where isTrusted: phase = .pulse(since: now)
        case .lingering(let motion, let end):
            phase = .extending(motion, until: end, since: now)
        case .settling, .idle, .pulse, .moving, .extending, .blocked: break
        }
    }

    private mutating func fall(after since: MonotonicInstant) -> [Notice] {
        switch phase {
        case .pulse:
            status.shortPulseCount += 1
            phase = .idle
        case .extending(let motion, let end, _):
            status.shortPulseCount += 1
            phase = .lingering(motion, until: end)
        case .moving(var motion):
            motion.end = now
            status.lastMotion = motion
            phase = .lingering(motion, until: now.advanced(by: settings.retriggerWindow))
        case .settling, .idle, .lingering, .blocked: break
        }
        var notices: [Notice] = []
        if status.isStuck {
            status.isStuck = false
            notices.append(.unstuck(at: now, after: since.duration(to: now)))
        }
        // The window may be over already: it was kept open by the pulse that was too short.
        return notices + advance(to: now)
    }

    private mutating func declareStuck() -> [Notice] {
        guard let since = highSince else { return [] }
        status.isStuck = true
        let ended = endMotion(.stuck)
        if phase != .settling { phase = .idle }
        return ended + [.stuck(since: since, at: now)]
    }

    private mutating func endMotion(_ cause: EndCause) -> [Notice] {
        switch phase {
        case .moving(var motion), .lingering(var motion, _), .extending(var motion, _, _):
            motion.end = motion.end ?? now
            status.lastMotion = motion
            return [.motionEnded(motion, cause: cause)]
        case .settling, .idle, .pulse, .blocked:
            return []
        }
    }

    private func droppedCount(before sequence: UInt32) -> Int {
        let count = sequence &- lastSequence &- 1
        // A sequence number that goes back does not tell how many edges were dropped.
        return count < UInt32.max / 2 ? Int(count) : 0
    }

    private mutating func countEdges(_ count: Int) -> [Notice] {
        let horizon = now.advanced(by: .seconds(-1))
        recentEdges.removeAll { $0 <= horizon }
        let room = settings.stormEdges + 1 - recentEdges.count
        recentEdges.append(contentsOf: repeatElement(now, count: min(count, room)))
        guard recentEdges.count > settings.stormEdges else { return [] }
        let edgeCount = recentEdges.count
        recentEdges.removeAll(keepingCapacity: true)
        let isFirst = calm == .calm
        calm = .muted
        let factor = 1 << min(stormMuteCount, 12)
        let mute = min(settings.mute * factor, PIRSettings.muteMax)
        stormMuteCount += 1
        status.muteCount += 1
        status.mutedUntil = now.advanced(by: mute)
        let ended = endMotion(.storm)
        if phase != .settling { phase = .idle }
        highSince = nil
        status.isStuck = false
        return ended + (isFirst ? [.stormBegan(at: now, edgeCount: edgeCount)] : [])
    }
}
