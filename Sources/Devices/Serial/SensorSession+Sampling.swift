import Core
import Runtime

// How samples come about: one a period on a duty cycle, or one an interval live.
extension SensorSession {
    mutating func woken(_ isAwake: Bool) {
        if isLive {
            if isAwake || !isRecovering { listen() } else { recover() }
        } else if isAwake {
            let warmAt = max(part.warmAt ?? now, now)
            if warmAt > now.advanced(by: duty.cycle.warmUp) {
                guard duty.holdsSample(from: warmAt) else { return missCold() }
                beat(within: now.duration(to: warmAt) + samplePatience)
            }
            guard part.answers(isLive: false) else { return pause(.warming, until: warmAt) }
            window = SampleWindow(from: warmAt, length: duty.cycle.window, step: interval)
            pace()
        } else {
            recover()
        }
    }

    mutating func pause(
        _ next: State,
        until instant: MonotonicInstant,
        tolerance: Duration = .zero
    ) {
        (state, deadline, self.tolerance) = (next, instant, tolerance)
    }

    /// Asks for a measurement.
    mutating func ask() {
        state = .asking
        let attempts = isLive || window.isEmpty ? 2 : 1
        if !part.askForMeasurement(attempts: attempts) { answered(nil) }
    }

    // MARK: Duty cycle

    mutating func beginLive() {
        // From when it was wanted: what was in progress may have taken a while to end.
        live.begin(at: liveSince ?? now)
        questionDue = now
        part.forgetHearing()
        // Drop messages from before: the oldest ones, as the kernel keeps 4 KiB.
        part.out.discardInput()
        beatLive()
        wake(looksFirst: true)
    }

    mutating func beginPeriod() {
        beat(within: Self.patience)
        missPeriods()
        if let nextAttempt, now < nextAttempt {
            part.out.miss(part.reason, at: now)
            endPeriod()
            return sleep()
        }
        isSampleOpen = true
        duty.beginSample(at: now)
        foreignMark = part.identity.foreignCount
        part.forgetHearing()
        measure()
    }

    mutating func measure() {
        beat(within: duty.cycle.warmUp + samplePatience)
        part.out.discardInput()
        wake()
    }

    /// Longer than a sample of a warm part takes.
    private var samplePatience: Duration {
        duty.cycle.window + (part.bursts?.period ?? interval) * 4 + Self.patience
    }

    /// Ends the period of a part that answers and whose preheat lasts longer than the period.
    private mutating func missCold() {
        succeed()
        missPeriods()
        part.out.miss(.warmingUp, at: now)
        endPeriod()
        rest(.sleep)
    }

    mutating func openWindow() {
        window = SampleWindow(from: now, length: duty.cycle.window, step: interval)
        // Drop messages sent during the warm-up.
        part.out.discardInput()
        // Longer when nothing has come by then.
        pause(.sampling, until: max(window.end, now.advanced(by: part.frameTimeout)))
    }

    mutating func pace() {
        guard let due = window.nextQuestion() else { return closeWindow() }
        pause(.pacing, until: due)
    }

    mutating func closeWindow() {
        guard let median = PlausibilityFilter.median(of: window.measurements) else {
            return recover()
        }
        succeed()
        missPeriods()
        accept(median, hasMoved: window.hasMoved, at: now)
        endPeriod()
        rest(.sleep)
    }

    mutating func endPeriod() {
        isSampleOpen = false
        if let missed = duty.endSample(at: now) { part.out.miss(missReason, missed) }
    }

    mutating func missPeriods() {
        if let missed = duty.miss(at: now) { part.out.miss(missReason, missed) }
    }

    private var missReason: NoData { recovery.failingSince == nil ? .stopped : part.reason }

    mutating func sleep() {
        let cycle = duty.cycle
        beat(within: now.duration(to: duty.due) + cycle.tolerance + Self.patience)
        duty.recordRest(at: now)
        if part.dialect.stateProbe != nil, nextAttempt == nil, let look = duty.look(at: now) {
            pause(.sleeping, until: look, tolerance: DutySchedule.lookTolerance)
        } else {
            pause(.sleeping, until: duty.due, tolerance: cycle.tolerance)
        }
    }

    mutating func wakeOrLook() {
        guard let probe = part.dialect.stateProbe, now < duty.due else { return beginPeriod() }
        duty.recordLook()
        isRestKnown = part.awake.isOn == false
        part.doubtRest()
        state = .looking
        part.out.discardInput()
        part.ask(probe.question, attempts: 1)
    }

    /// Ends a run without a reason within two minutes, and records it.
    ///
    /// A part runs so that lost its power for a moment, or missed the command to rest. Silence is
    /// rest.
    mutating func looked(_ isRunning: Bool) {
        if isRunning {
            part.out.record(.fanOn, .error, [.init("action", "sent to sleep")])
            part.recordRunning(since: duty.restedAt)
            rest(.sleep)
        } else {
            // Whatever it heard, the last command to it is always this.
            part.writeRest()
            if isRestKnown { part.recordRest() }
            sleep()
        }
    }

    // MARK: Live mode

    /// Takes one measurement.
    mutating func listen() {
        beatLive()
        if part.answers(isLive: true) { return ask() }
        pause(.listening, until: part.bursts?.end ?? now.advanced(by: part.frameTimeout))
    }

    /// Receives measurements that came unasked; several at once cover as many intervals.
    ///
    /// - Parameters:
    ///   - measurements: In the order in which they came.
    ///   - isLast: Whether the state may change with them.
    mutating func receive(_ measurements: [[Outcome]], isLast: Bool) {
        if state == .sampling {
            for outcomes in measurements { window.append(outcomes) }
            deadline = window.end
            if window.end <= now || window.isFull { closeWindow() }
            return
        }
        // Ignore measurements that arrive while a duty cycle's sample ends.
        guard isLive, live.isOpen else { return }
        let arrival = now
        if recovery.isReported { part.warmth.restart(at: arrival) }
        if let bursts = part.bursts?.add(measurements, at: arrival) {
            for burst in bursts { append(burst.measurements, upTo: burst.last) }
        } else {
            append(measurements, upTo: arrival)
        }
        succeed()
        isRecovering = false
        guard isLast else { return }
        switch state {
        case .asking:
            questionDue = max(questionDue.advanced(by: interval), now)
            // A tenth of the interval saves wake-ups, and a chart shows no difference.
            if !reset() { pause(.pacing, until: questionDue, tolerance: interval / 10) }
        case .listening, .holding: if !reset() { listen() }
        default: break
        }
    }

    /// Adds measurements that were made one interval apart.
    ///
    /// - Parameters:
    ///   - measurements: In the order in which they were made.
    ///   - last: When the last of them was made.
    private mutating func append(_ measurements: [[Outcome]], upTo last: MonotonicInstant) {
        let count = measurements.count
        if let missed = live.miss(before: count, at: last) { part.out.miss(part.reason, missed) }
        let before = live.close(at: last)
        var earlyCount = 0
        for (index, outcomes) in measurements.enumerated() {
            let later = count - 1 - index
            let instant = later == 0 ? last : last.advanced(by: interval * -later)
            if part.bursts != nil, instant < before.advanced(by: interval * -1) {
                earlyCount += 1
            } else {
                append(outcomes, at: max(before, instant))
            }
        }
        guard earlyCount > 0 else { return }
        let why = "\(earlyCount) of a time that was accounted for already"
        part.out.record(.samplesLeftOut, .notice, [Event.Detail("why", why)])
    }

    /// Silence: the end of a burst that had fewer measurements, or something is wrong.
    mutating func endListening() {
        guard let rest = part.bursts?.takeRest() else { return recover() }
        append(rest.measurements, upTo: rest.last)
        listen()
    }

    mutating func endLive() {
        if live.isOpen, let rest = part.bursts?.takeRest() {
            append(rest.measurements, upTo: rest.last)
        }
        live.end()
    }

    mutating func append(_ outcomes: [Outcome], at instant: MonotonicInstant) {
        guard sampleBudget.admit(at: instant) else {
            if let news = sampleBudget.news { part.out.record(.samplesLeftOut, .warning, news) }
            return
        }
        if let warmAt = part.warmAt, instant < warmAt {
            part.out.miss(.warmingUp, at: instant)
        } else {
            accept(outcomes, hasMoved: false, at: instant)
        }
    }

    mutating func accept(
        _ outcomes: [Outcome],
        hasMoved: Bool,
        at instant: MonotonicInstant
    ) {
        let limits = part.dialect.doubtLimits(isLive: isLive)
        part.reportAwake()
        let isStuck = part.out.accept(outcomes, hasMoved: hasMoved, by: limits, at: instant)
        if isStuck { isResetWanted = part.canRest }
        // On a duty cycle the rest comes first: it may be acknowledged again.
        if isLive { part.reportAcknowledgement() }
    }

    mutating func reset() -> Bool {
        guard isResetWanted else { return false }
        isResetWanted = false
        apply(.restAndWake)
        return true
    }

    mutating func missLive() {
        if let missed = live.miss(until: now) { part.out.miss(part.reason, missed) }
        beatLive()
    }

    mutating func hold() {
        missLive()
        guard now < holdEnd else {
            // It may be unplugged by now.
            part.forgetHearing()
            return recover()
        }
        let tick = min(holdEnd, live.tick)
        pause(.holding, until: max(tick, now.advanced(by: .milliseconds(1))))
    }

    mutating func beatLive() {
        // In whole numbers: `*` of durations is generic and costs a page of code each second.
        let step = part.bursts?.period ?? interval
        beat(within: .nanoseconds(step.wholeNanoseconds * 4) + Self.patience)
    }

    mutating func beat(within promise: Duration) {
        part.out.actions.append(.beat(nextWithin: promise))
    }
}

// Progress, for people who watch the sensor.
extension SensorSession {
    /// The phase of the present state; nil before the part is known, and while a remedy is tried.
    package func progress(at now: MonotonicInstant) -> SensorProgress? {
        let warmAt = part.warmAt.flatMap { now < $0 ? $0 : nil }
        guard !isLive else {
            guard recovery.failingSince == nil, state != .starting, state != .finished else {
                return nil
            }
            let phase: SensorProgress.Phase = warmAt == nil ? .measuring : .warming
            return SensorProgress(phase, until: warmAt, next: warmAt)
        }
        let (warmUp, length) = (duty.cycle.warmUp, duty.cycle.window)
        switch state {
        case .sleeping, .looking, .resting:
            // With its sample open it rests as a remedy.
            guard !isSampleOpen else { return nil }
            let wake = max(duty.due, nextAttempt ?? duty.due)
            let next = wake.advanced(by: warmUp + length)
            if let warmAt {
                let first = max(next, warmAt.advanced(by: length))
                return SensorProgress(.warming, until: warmAt, next: first)
            }
            return SensorProgress(.asleep, until: wake, next: next)
        case .waking:
            let warm = warmAt ?? max(now, duty.begunAt.advanced(by: warmUp))
            return SensorProgress(.warming, until: warm, next: warm.advanced(by: length))
        case .warming:
            return SensorProgress(.warming, until: deadline, next: deadline.advanced(by: length))
        case .sampling, .pacing, .asking:
            let end = window.end
            if let warmAt { return SensorProgress(.warming, until: warmAt, next: end) }
            return SensorProgress(.measuring, until: end, next: end)
        case .starting, .listening, .reopening, .searching, .holding, .finished: return nil
        }
    }
}
