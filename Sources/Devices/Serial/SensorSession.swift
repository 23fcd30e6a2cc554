import Core
import Profiles
import Runtime

/// Decides what to do next with a part on a serial line, on a duty cycle or live.
///
/// Pure: events and bytes in, actions out; `wait` says what it waits for then. On a duty cycle one
/// sample is the median of the measurements of the window, channel by channel. Live, each streamed
/// measurement is one, or the session asks for one each interval.
///
/// docs/developing/sensor-session.md lists what each event does in each state.
package struct SensorSession: Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case starting
        /// The part is made to measure; `PartDialogue` has the steps.
        case waking
        // One sample on a duty cycle, then rest.
        case warming, sampling, sleeping, looking
        // One question at a time, live or in the window of a duty cycle.
        case pacing, asking
        // Live, of a part that streams.
        case listening
        // Steps that help a part that does not answer.
        case reopening, searching, holding
        case resting, finished
    }

    /// The step after a rest.
    enum AfterRest { case sleep, retry, begin, end }

    /// Longer than any step of a recovery takes, so that working on a remedy is progress.
    static let patience: Duration = .seconds(60)

    package internal(set) var state = State.starting
    private(set) var mode: SensorMode
    var part: PartDialogue
    let interval: Duration
    private let liveWarmUp: Duration
    private let canReopen: Bool
    private let yieldsToAnother: Bool

    /// End of the present state's wait, when the dialogue waits for nothing.
    var deadline = MonotonicInstant.boot
    var tolerance: Duration = .zero
    private var afterRest = AfterRest.sleep
    private var isStopping = false
    private var isModeChanged = false
    private var replacement: AnotherPart?

    // Duty cycle.
    var duty: DutySchedule
    var window = SampleWindow(from: .boot, length: .zero, step: .zero)
    var isSampleOpen = false
    /// Whether the part was known to rest before the look.
    var isRestKnown = false
    var nextAttempt: MonotonicInstant?

    // Live mode.
    var live: LiveCoverage
    private(set) var liveSince: MonotonicInstant?
    var sampleBudget: SampleBudget
    var questionDue = MonotonicInstant.boot
    var isRecovering = false
    var isResetWanted = false  // Stuck: rest and wake, once.

    // Recovery.
    var recovery: RecoveryPolicy
    var foreignMark = 0
    /// Wait before the next attempt.
    private var delay: Duration = .zero
    var holdEnd = MonotonicInstant.boot

    /// Buffer, kept between calls only to save allocations.
    private var heard: [SensorUtterance] = []

    /// A session that has not touched its part yet.
    package init(_ setup: SensorDependencies, speaking dialect: any SensorDialect) {
        interval =
            switch dialect.rhythm {
            case .streams(let every): every
            case .answers(let least): max(least, setup.profile.duty?.liveInterval ?? .seconds(1))
            }
        (mode, liveWarmUp) = (setup.mode, setup.warmUp)
        (canReopen, yieldsToAnother) = (setup.reopen != nil, setup.yieldsToAnother)
        let isOnBus = setup.profile.kind == .bus
        recovery = RecoveryPolicy(
            delayMax: isOnBus ? RecoveryPolicy.busDelayMax : RecoveryPolicy.delayMax
        )
        part = PartDialogue(setup, speaking: dialect, interval: interval)
        duty = DutySchedule(setup.profile.dutyCycle, from: .boot)
        live = LiveCoverage(every: interval)
        sampleBudget = SampleBudget(fastest: dialect.fastest)
    }

    /// Condition that the session waits for now.
    package var wait: SensorWait {
        switch state {
        case .finished: .end(replacement)
        case .reopening: .line
        case .starting, .warming, .pacing, .sleeping:
            .time(until: deadline, tolerance: tolerance)
        case .waking, .sampling, .looking, .asking, .listening, .searching, .holding, .resting:
            .bytes(count: part.missingByteCount, until: part.deadline ?? deadline)
        }
    }

    // MARK: Events

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - actions: Empty; filled with what to carry out now, in this order.
    package mutating func handle(
        _ event: SensorEvent,
        at now: MonotonicInstant,
        into actions: inout [SensorAction]
    ) {
        swap(&part.out.actions, &actions)
        defer { swap(&part.out.actions, &actions) }
        part.out.now = now
        guard state != .finished else { return }
        switch event {
        case .start: begin()
        case .time: timePassed()
        case .mode(let wanted, let since): change(to: wanted, since: since)
        case .stop: stop()
        case .opened(let poweredAt):
            if let poweredAt { part.warmth.reopen(poweredAt: poweredAt) }
            if isStopping { rest(.end) } else if isModeChanged { begin() } else { retry() }
        case .notOpened:
            // It was sent to rest before its line was closed.
            part.recordRest()
            stop()
        case .stoodStill(let stretch):
            part.out.discardInput()
            live.skip(to: stretch.upperBound)
            let end = stretch.upperBound.advanced(by: part.frameTimeout)
            part.postpone(to: end)
            if state != .sampling || window.isEmpty { deadline = max(deadline, end) }
        }
    }

    /// Receives bytes that arrived.
    ///
    /// - Parameters:
    ///   - bytes: In stream order.
    package mutating func receive(
        _ bytes: Span<UInt8>,
        at now: MonotonicInstant,
        into actions: inout [SensorAction]
    ) {
        swap(&part.out.actions, &actions)
        defer { swap(&part.out.actions, &actions) }
        part.out.now = now
        heard.removeAll(keepingCapacity: true)
        part.decode(bytes, into: &heard)
        let (streamed, result) = part.hear(heard)
        if !streamed.isEmpty { receive(streamed, isLast: result == nil) }
        proceed(result)
    }

    /// Ends the session at once: the part is sent to rest without waiting for its answer.
    package mutating func leave(at now: MonotonicInstant, into actions: inout [SensorAction]) {
        swap(&part.out.actions, &actions)
        defer { swap(&part.out.actions, &actions) }
        part.out.now = now
        if part.awake.isOn != false { part.writeRest() }
        part.recordRest()
        state = .finished
    }

    var now: MonotonicInstant { part.out.now }

    private mutating func change(to wanted: SensorMode, since: MonotonicInstant) {
        guard wanted != mode, !isStopping else { return }
        endLive()
        // The wait may have ended after a night of suspension.
        if state == .sleeping { missPeriods() }
        (mode, liveSince, isSampleOpen) = (wanted, since, false)
        switch state {
        case .starting, .finished: break
        case .resting: afterRest = .begin
        case .reopening: isModeChanged = true
        default: begin()
        }
    }

    private mutating func stop() {
        isStopping = true
        endLive()
        if state == .sleeping { missPeriods() }
        if isSampleOpen { part.out.miss(.stopped, at: now) }
        isSampleOpen = false
        if state == .resting { afterRest = .end } else { rest(.end) }
    }

    private mutating func timePassed() {
        if let deadline = part.deadline {
            if deadline <= now { proceed(part.timePassed()) }
            return
        }
        guard deadline <= now else { return }
        switch state {
        case .warming: openWindow()
        case .sampling: closeWindow()
        case .pacing: if isLive { listen() } else { ask() }
        case .sleeping: wakeOrLook()
        case .listening: endListening()
        case .holding: hold()
        case .starting, .waking, .asking, .looking, .reopening, .searching, .resting, .finished:
            break
        }
    }

    /// Goes on after an act of the dialogue.
    private mutating func proceed(_ result: PartDialogue.Result?) {
        switch result {
        case nil: break
        case .woken(let isAwake): woken(isAwake)
        case .rested: rested()
        case .answered(let answer): answered(answer)
        }
    }

    mutating func answered(_ answer: SensorExchange.Answer?) {
        switch (state, answer) {
        case (.looking, _): looked(part.isRunning(answer))
        case (.searching, _): searched(isThere: answer != nil)
        case (_, .measurement(let outcomes)) where isLive: receive([outcomes], isLast: true)
        case (_, .measurement(let outcomes)):
            window.append(outcomes)
            pace()
        case _ where isLive: recover()
        default: window.isEmpty ? closeWindow() : pace()
        }
    }

    // MARK: Modes

    var isLive: Bool { mode == .live }

    private mutating func begin() {
        part.interrupt()
        part.out.restart()
        (isModeChanged, isRecovering, isResetWanted) = (false, false, false)
        switch mode {
        case .dutyCycle(let cycle):
            duty = DutySchedule(cycle, from: now)
            beginPeriod()
        case .live: beginLive()
        }
    }

    mutating func wake(looksFirst: Bool = false) {
        state = .waking
        // It was away for so long that it may have been without power.
        if recovery.isReported { part.warmth.restart(at: now) }
        proceed(
            part.wake(
                PartDialogue.Waking(
                    isLive: isLive,
                    warmUp: isLive ? liveWarmUp : duty.cycle.warmUp,
                    needsProof: recovery.failingSince != nil,
                    looksFirst: looksFirst
                )
            )
        )
    }

    // MARK: Recovery

    mutating func recover() {
        if isLive {
            isRecovering = true
            missLive()
        }
        while true {
            switch recovery.fail(at: now) {
            case .remedy(let remedy): return apply(remedy)
            case .report:
                var details = [Event.Detail("reason", part.reason.rawValue)]
                if part.reason == .badFrames, let flaw = part.record.lastFlaw {
                    details.append(Event.Detail("last", flaw))
                }
                part.out.record(.sensorSilent, .error, details)
            case .wait(let delay):
                self.delay = delay
                return search()
            }
        }
    }

    mutating func apply(_ remedy: RecoveryPolicy.Remedy) {
        if !recovery.isReported {
            let reason = Event.Detail("reason", part.reason.rawValue)
            let details = [Event.Detail("remedy", remedy.rawValue), reason]
            part.out.record(.remedyTried, .notice, details)
        }
        if isLive { foreignMark = part.identity.foreignCount }
        switch remedy {
        case .askAgain: retry()
        case .reopen:
            part.doubtAll()
            guard canReopen else { return retry() }
            // Nothing is left running should there be no way back.
            part.writeRest()
            state = .reopening
        case .restAndWake:
            part.doubtAll()
            rest(.retry)
        }
    }

    private mutating func retry() {
        if isLive { wake() } else { measure() }
    }

    /// Looks for another part when no remedy helps and only that one may be there.
    ///
    /// Only after minutes: a part that says a wrong id for a moment stays who it is.
    private mutating func search() {
        guard yieldsToAnother, part.identity.wanted != nil, RecoveryPolicy.isRetry(before: delay)
        else { return giveUp() }
        // A part that another is addressed on its line hears nothing but this.
        guard let probe = part.dialect.stateProbe else { return searched(isThere: false) }
        foreignMark = part.identity.foreignCount
        state = .searching
        part.ask(probe.question, attempts: 1)
    }

    private mutating func searched(isThere: Bool) {
        let identity = part.identity
        guard !isThere, identity.foreignCount > foreignMark, let found = identity.foreign,
            let wanted = identity.wanted
        else { return giveUp() }
        replacement = AnotherPart(wanted: wanted, found: found)
        state = .finished
    }

    /// Gives up until the next attempt.
    private mutating func giveUp() {
        guard !isLive else {
            holdEnd = now.advanced(by: delay)
            return hold()
        }
        // Counted as periods are, or the next one would always be just too early.
        nextAttempt = duty.begunAt.advanced(by: delay - duty.cycle.tolerance)
        missPeriods()
        part.out.miss(part.reason, at: now)
        endPeriod()
        rest(.sleep)
    }

    mutating func succeed() {
        nextAttempt = nil
        part.forgetHearing()
        guard let outage = recovery.succeed(at: now) else { return }
        let details = [Event.Detail("after", "\(Int(outage.inSeconds)) s")]
        part.out.record(.sensorBack, .notice, details)
    }

    // MARK: Rest

    mutating func rest(_ next: AfterRest) {
        (state, afterRest) = (.resting, next)
        proceed(part.rest())
    }

    private mutating func rested() {
        switch afterRest {
        case .sleep:
            if recovery.failingSince == nil { part.reportAcknowledgement() }
            sleep()
        case .retry:
            part.doubtAll()
            retry()
        case .begin: begin()
        case .end: state = .finished
        }
    }

    // MARK: Reports

    func absence(_ reason: NoData, at instant: MonotonicInstant) -> [Reading] {
        part.out.absence(reason, at: instant)
    }

    package func report(at now: MonotonicInstant) -> SensorReport {
        SensorReport(
            state: recovery.failingSince == nil ? part.word : "faulty",
            facts: part.facts(
                at: now,
                leftOut: sampleBudget.surplusCount,
                remedy: recovery.remedy?.rawValue
            ),
            lastMeasurementAt: part.record.lastMeasurementAt
        )
    }
}
