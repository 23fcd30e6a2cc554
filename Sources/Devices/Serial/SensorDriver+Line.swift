import Core
import HardwareIO
import Profiles
import Scheduling

// What is said over the line, and what is made of the answers.
extension SensorDriver {
    /// What answered a command.
    enum Answer {
        case measurement([Outcome])
        case reply([Event.Detail])
    }

    /// Why there is no measurement now: nothing came, or nothing good.
    var reason: NoData {
        let heard = heardSinceSuccess
        return foreignID != nil || heard.bad || (heard.anything && !heard.good)
            ? .badFrames : .replyTimeout
    }

    /// Silence after which something is wrong.
    var frameTimeout: Duration { max(interval * 2, .seconds(2)) }

    // MARK: Hearing

    /// Reads once and decodes; nil when the deadline passed with nothing.
    ///
    /// Comes back without anything when a stop is asked for, or the wait has been long. So it does
    /// when the process stood still meanwhile: then what waited in the line is thrown away, and the
    /// deadline moves, as the part was not given its time.
    func hear(until deadline: inout MonotonicInstant) async throws -> [SensorUtterance]? {
        let start = clock.now
        let slice = min(deadline, start.advanced(by: Self.readSlice))
        let count = min(max(1, dialect.missingByteCount), 255)
        let read = try await port.read(atLeast: count, until: slice)
        if let stretch = Standstill.found(since: start, deadline: slice, now: clock.now) {
            try port.discardInput()
            accountedUntil = max(accountedUntil, stretch.upperBound)
            deadline = max(deadline, stretch.upperBound.advanced(by: frameTimeout))
            setup.environment.stoodStill?(stretch)
            return []
        }
        guard let bytes = read else { return slice < deadline ? [] : nil }
        heardSinceSuccess.anything = true
        var ours: [SensorUtterance] = []
        for utterance in dialect.decode(bytes) {
            switch utterance {
            case .rejected(let flaw):
                rejectedCount += 1
                lastFlaw = flaw
                heardSinceSuccess.bad = true
            case .measurement(_, let id):
                guard await isOurs(id) else { continue }
                note()
                ours.append(utterance)
            case .reply(_, let id, _):
                guard await isOurs(id) else { continue }
                heardSinceSuccess.good = true
                ours.append(utterance)
            }
        }
        return ours
    }

    private func note() {
        measurementCount += 1
        lastMeasurementAt = clock.now
        heardSinceSuccess.good = true
    }

    private func isOurs(_ id: String?) async -> Bool {
        guard let id else { return true }
        if let wanted = setup.id, wanted != id {
            foreignCount += 1
            if foreignID != id {
                foreignID = id
                let details = [Event.Detail("wanted", wanted), Event.Detail("found", id)]
                await record("another sensor answers", .warning, details)
            }
            return false
        }
        foreignID = nil
        if let knownID, knownID != id {
            let details = [Event.Detail("was", knownID), Event.Detail("id", id)]
            await record("sensor id changed", .warning, details)
        }
        knownID = id
        return true
    }

    // MARK: Asking

    /// Asks until answered; nil when the time of every attempt has passed.
    ///
    /// Measurements that come meanwhile and are not the answer are taken as streamed.
    func ask(
        _ command: SensorCommand,
        attempts: Int,
        isLastWord: Bool = false
    ) async throws -> Answer? {
        for _ in 0..<attempts {
            // Once a stop is asked for, all that is left to say is to rest.
            if isStopping, !isLastWord { return nil }
            try port.write(command.bytes)
            var deadline = clock.now.advanced(by: Self.replyTimeout)
            var answer: Answer?
            while !Task.isCancelled, answer == nil, clock.now < deadline {
                guard let heard = try await hear(until: &deadline) else { break }
                var streamed: [[Outcome]] = []  // At most what one read holds.
                for utterance in heard {
                    if answer == nil, let found = Self.answer(in: utterance, to: command) {
                        answer = found
                    } else if case .measurement(let outcomes, _) = utterance {
                        streamed.append(outcomes)
                    }
                }
                await takeStreamed(streamed)
            }
            if let answer {
                if case .reply = answer { await noteAcknowledgement() }
                return answer
            }
        }
        if !command.isReadOnly, command.reply != nil { hasMissedAcknowledgement = true }
        return nil
    }

    private static func answer(
        in utterance: SensorUtterance,
        to command: SensorCommand
    ) -> Answer? {
        switch utterance {
        case .measurement(let outcomes, _): command.reply == nil ? .measurement(outcomes) : nil
        case .reply(let name, _, let facts): command.reply == name ? .reply(facts) : nil
        case .rejected: nil
        }
    }

    // MARK: Waking and resting

    /// Fan, laser or heater run for so long before a value counts.
    private var warmUp: Duration {
        if case .dutyCycle(let cycle) = mode { cycle.warmUp } else { setup.warmUp }
    }

    /// Wakes the part and makes its settings ours; false when nothing shows that it listens.
    ///
    /// Nothing is said to a part that is awake by all that is known.
    func wakeUp() async throws -> Bool {
        if isAwake == true { return true }
        isAwake = nil
        let wokeAt = clock.now
        if canRest || warmAt == nil {
            warmAt = wokeAt.advanced(by: warmUp)
        }
        let countBefore = measurementCount
        var (acknowledged, missed) = (0, 0)
        for command in dialect.commands(for: .wake) {
            if isStopping { return false }
            if !command.isAnswered || missed > 0 {
                try port.write(command.bytes)
            } else if try await ask(command, attempts: Self.wakeAttempts) != nil {
                acknowledged += 1
            } else {
                missed += 1
            }
        }
        let isCertain = acknowledged > 0 && missed == 0 || measurementCount > countBefore
        // Warming up a part that is not there would cost it hours for nothing.
        guard try await isCertain ? true : givesMeasurement() else { return false }
        noteAwake(true, since: wokeAt)
        try await introduce()
        return true
    }

    /// Whether the part measures at all, by one measurement.
    func givesMeasurement() async throws -> Bool {
        let countBefore = measurementCount
        switch dialect.rhythm {
        case .answers:
            guard let command = dialect.commands(for: .measure).first else { return false }
            return try await ask(command, attempts: 2) != nil
        case .streams:
            let patience = max(Self.firstMeasurementTimeout, frameTimeout)
            var deadline = clock.now.advanced(by: canRest ? patience : frameTimeout)
            while !Task.isCancelled, !isStopping, clock.now < deadline {
                guard let heard = try await hear(until: &deadline) else { break }
                await takeStreamed(Self.measurements(in: heard))
                if measurementCount > countBefore { return true }
            }
            return false
        }
    }

    static func measurements(in utterances: [SensorUtterance]) -> [[Outcome]] {
        utterances.compactMap { utterance in
            if case .measurement(let outcomes, _) = utterance { outcomes } else { nil }
        }
    }

    /// Some parts never tell; then it goes on without.
    private func introduce() async throws {
        guard !isIntroduced else { return }
        isIntroduced = true
        for question in dialect.questions where question.isReadOnly && question.reply != nil {
            guard case .reply(let found) = try await ask(question, attempts: 2) else { continue }
            facts += found
        }
        await record("sensor found", .info, [Event.Detail("id", knownID ?? "unknown")] + facts)
    }

    /// Lets the part rest; acknowledged, or noted as missing.
    func rest() async throws {
        guard isAwake != false, canRest else { return }
        var isDone = true
        for command in dialect.commands(for: .rest) {
            if command.isAnswered {
                let answer = try await ask(command, attempts: 2, isLastWord: true)
                isDone = isDone && answer != nil
            } else {
                try port.write(command.bytes)
            }
        }
        if isDone { noteAwake(false) } else { isAwake = nil }
    }

    func noteAwake(_ isOn: Bool, since start: MonotonicInstant? = nil) {
        isAwake = isOn
        if isOn {
            if awakeSince == nil { awakeTold = start ?? clock.now }
            awakeSince = awakeSince ?? start ?? clock.now
        } else if let since = awakeSince {
            tellAwake()
            awakeBefore += since.duration(to: clock.now)
            awakeSince = nil
        }
    }

    /// Hands the time that it was awake since the last call on to the account.
    ///
    /// What cannot rest has nothing that wears by being on.
    private func tellAwake() {
        let now = clock.now
        guard canRest, awakeSince != nil, awakeTold < now else { return }
        let time = awakeTold.duration(to: now)
        awakeTold = now
        setup.environment.laser?(LaserTime(part: knownID, time: time, life: nil))
    }

    // MARK: Remedies

    func apply(_ remedy: RecoveryPolicy.Remedy) async throws {
        if !ladder.isReported {
            let details = [
                Event.Detail("remedy", remedy.rawValue), Event.Detail("reason", reason.rawValue),
            ]
            await record("remedy tried", .notice, details)
        }
        switch remedy {
        case .askAgain:
            break  // What follows every remedy is to ask again.
        case .reopen:
            isAwake = nil
            guard let reopen = setup.reopen else { return }
            // Nothing is left running should there be no way back.
            for command in dialect.commands(for: .rest) { try? port.write(command.bytes) }
            port.close()
            guard let opened = try await clock.run(unless: stop, reopen) else {
                // It went to rest before its port was closed.
                isAwake = false
                return
            }
            port = opened
        case .restAndWake:
            isAwake = nil
            try await rest()
            isAwake = nil
        }
    }

    /// Gives way to another part when no remedy helps and another is all that was heard.
    ///
    /// - Parameters:
    ///   - delay: Until the next attempt; a part that says a wrong id for a moment stays who it is.
    ///   - countBefore: What others had said before this attempt.
    /// - Throws: `AnotherPart`.
    func yieldToAnother(before delay: Duration, since countBefore: Int) throws {
        guard setup.yieldsToAnother, let wanted = setup.id, let foreignID,
            RecoveryPolicy.isRetry(before: delay), foreignCount > countBefore
        else { return }
        throw AnotherPart(wanted: wanted, found: foreignID)
    }

    func report() async {
        var details = [Event.Detail("reason", reason.rawValue)]
        if reason == .badFrames, let lastFlaw { details.append(Event.Detail("last", lastFlaw)) }
        await record("sensor not answering", .error, details)
    }

    func succeed() async {
        nextAttempt = nil
        heardSinceSuccess = (false, false, false)
        guard let outage = ladder.succeed(at: clock.now) else { return }
        let details = [Event.Detail("after", "\(Int(outage.inSeconds)) s")]
        await record("sensor answering again", .notice, details)
    }

    private func noteAcknowledgement() async {
        hasMissedAcknowledgement = false
        guard !isAcknowledging else { return }
        isAcknowledging = true
        await record("sensor acknowledges again", .notice)
    }

    // MARK: Readings and events

    /// Hands on a measurement with what is doubtful about it, of now unless it is told when.
    func accept(
        _ outcomes: [Outcome],
        hasMoved: Bool = false,
        by limits: SensorDoubt.Limits,
        at instant: MonotonicInstant? = nil
    ) async {
        let now = clock.now
        let instant = instant ?? now
        let verdict = judge.judge(outcomes, hasMoved: hasMoved, by: limits)
        // In live mode it is on for days.
        if awakeTold.duration(to: now) >= .minutes(1) { tellAwake() }
        let outcomes = shown.map { verdict.outcomes[$0] }
        await sink.accept(zip(channels, outcomes).map { Reading($0, at: instant, $1) })
        for finding in verdict.begun {
            await record("readings doubtful", .warning, finding.details)
            if finding.doubt == .stuck { isResetWanted = canRest }
        }
        for finding in verdict.ended {
            await record("readings good again", .notice, finding.details)
        }
        if hasMissedAcknowledgement, isAcknowledging {
            isAcknowledging = false
            await record("sensor does not acknowledge", .warning)
        }
    }

    func accept(_ reason: NoData, at instant: MonotonicInstant) async {
        await sink.accept(channels.map { Reading($0, at: instant, .noData(reason)) })
    }

    func record(
        _ kind: String,
        _ severity: Event.Severity,
        _ details: [Event.Detail] = []
    ) async {
        let now = clock.now
        let decision = eventBudget.admit(at: now)
        guard decision != .withhold else { return }
        await sink.record(
            Event(at: now, source: setup.name, kind: kind, severity: severity, details: details)
        )
        guard decision == .recordLast else { return }
        await sink.record(
            Event(at: now, source: setup.name, kind: "events withheld", severity: .warning)
        )
    }
}

extension ChannelJudge.Finding: CustomStringConvertible {
    package var description: String {
        channel.map { "\(doubt.rawValue) \($0)" } ?? doubt.rawValue
    }

    var details: [Event.Detail] {
        [Event.Detail("doubt", doubt.rawValue)]
            + (channel.map { [Event.Detail("channel", $0)] } ?? [])
    }
}
