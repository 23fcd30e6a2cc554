import Core
import HardwareIO

// What is said over the line, and what is made of the answers.
extension SDS011Driver {
    /// Wakes from deep sleep may take two commands; the third is for one lost on the way.
    ///
    /// - Source: lewapek/sds-dust-sensors-arduino-library#6.
    private static let wakeAttempts = 3

    var address: SDS011DeviceID { settings.deviceID ?? .everyone }

    /// Why there is no measurement now: nothing came, or nothing good.
    var reason: NoData {
        decoder.skippedByteCount > skippedBefore || foreignID != nil ? .badFrames : .replyTimeout
    }

    // MARK: Asking

    /// Asks until answered; nil when the time of every attempt has passed.
    ///
    /// What arrives meanwhile without being the answer is a streamed measurement or nothing.
    func ask(
        _ command: SDS011Command,
        attempts: Int,
        to addressee: SDS011DeviceID? = nil
    ) async throws -> SDS011Frame? {
        for _ in 0..<attempts {
            // Once a stop is asked for, all that is left to say is sleep.
            if isStopping, command != .setState(.sleep) { return nil }
            try port.write(command.bytes(to: addressee ?? address))
            var deadline = clock.now.advanced(by: settings.replyTimeout)
            var answer: SDS011Frame?
            while answer == nil, clock.now < deadline {
                guard let bytes = try await receive(until: &deadline) else { break }
                var others: [SDS011Frame] = []  // At most what one read holds.
                for frame in await decode(bytes) {
                    if answer == nil, command.isAnswered(by: frame, to: address) {
                        answer = frame
                    } else {
                        others.append(frame)
                    }
                }
                await takeStreamed(others)
            }
            if let answer {
                if case .reply = answer { await noteAcknowledgement() }
                return answer
            }
        }
        if command != .query, command != .firmware, command != .getState {
            hasMissedAcknowledgement = true
        }
        return nil
    }

    /// Reads what comes; nil at the deadline.
    ///
    /// When the process stood still meanwhile, what waited in the line is thrown away, and the
    /// deadline moves, as the part was not given its time.
    func receive(until deadline: inout MonotonicInstant) async throws -> [UInt8]? {
        let start = clock.now
        let bytes = try await port.read(atLeast: decoder.missingByteCount, until: deadline)
        let stretch = Standstill.found(since: start, deadline: deadline, now: clock.now)
        guard let stretch else { return bytes }
        try port.discardInput()
        accountedUntil = max(accountedUntil, stretch.upperBound)
        deadline = stretch.upperBound.advanced(by: settings.frameTimeout)
        stoodStill?(stretch)
        return []
    }

    /// Decodes; notes whose frames they are and leaves out those of other parts.
    func decode(_ bytes: [UInt8]) async -> [SDS011Frame] {
        var frames: [SDS011Frame] = []
        for case .success(let frame) in decoder.decode(bytes) { frames.append(frame) }
        var ours: [SDS011Frame] = []
        for frame in frames where await isOurs(frame) { ours.append(frame) }
        return ours
    }

    private func isOurs(_ frame: SDS011Frame) async -> Bool {
        let id = frame.deviceID
        if let wanted = settings.deviceID, wanted != id {
            foreignCount += 1
            if foreignID != id {
                foreignID = id
                await record(
                    "another sensor answers",
                    .warning,
                    ["wanted": "\(wanted)", "found": "\(id)"]
                )
            }
            return false
        }
        foreignID = nil
        if let knownID, knownID != id {
            await record("sensor id changed", .warning, ["was": "\(knownID)", "id": "\(id)"])
        }
        knownID = id
        return true
    }

    // MARK: Waking and sleeping

    /// Wakes the part, twice if need be; false when it does not acknowledge.
    @discardableResult
    func wakeUp() async throws -> Bool {
        isAwake = nil
        let answer = try await ask(.setState(.work), attempts: Self.wakeAttempts)
        guard answer != nil else { return false }
        noteLaser(on: true)
        return true
    }

    /// Sends the part to sleep; acknowledged, or noted as missing.
    func fallAsleep() async throws {
        guard isAwake != false else { return }
        if try await ask(.setState(.sleep), attempts: 2) != nil {
            noteLaser(on: false)
        } else {
            isAwake = nil
        }
    }

    /// Wakes the part and makes its settings ours, whatever other software left in it.
    ///
    /// - Returns: false when it does not acknowledge; the settings were sent all the same.
    @discardableResult
    func settle(_ wanted: SDS011ReportMode) async throws -> Bool {
        configuredMode = nil
        guard try await wakeUp() else {
            try port.write(SDS011Command.setReportMode(wanted).bytes(to: address))
            try port.write(SDS011Command.setWorkingPeriod(minutes: 0).bytes(to: address))
            return false
        }
        let hasMode = try await ask(.setReportMode(wanted), attempts: 2) != nil
        let hasPeriod = try await ask(.setWorkingPeriod(minutes: 0), attempts: 2) != nil
        if hasMode, hasPeriod { configuredMode = wanted }
        if firmware == nil { try await askFirmware() }
        return hasMode || hasPeriod
    }

    /// Some parts never tell; then it goes on without.
    private func askFirmware() async throws {
        if case .reply(let reply, _) = try await ask(.firmware, attempts: 2) {
            firmware = reply.firmware
            await record(
                "sensor found",
                .info,
                ["id": knownID?.description ?? "unknown", "firmware": "\(reply.firmware)"]
            )
        } else if !isFirmwareMissed {
            isFirmwareMissed = true
            await record("firmware unknown", .info)
        }
    }

    func noteLaser(on isOn: Bool) {
        isAwake = isOn
        if isOn {
            if awakeSince == nil { (awakeSince, laserTold) = (clock.now, clock.now) }
        } else if let since = awakeSince {
            tellLaser()
            laserBefore += since.duration(to: clock.now)
            awakeSince = nil
        }
    }

    /// Hands the time of the laser since the last call on to the account.
    func tellLaser() {
        let now = clock.now
        guard awakeSince != nil, laserTold < now else { return }
        let time = laserTold.duration(to: now)
        laserTold = now
        laser?(LaserTime(part: knownID?.description, time: time, life: SDS011Settings.laserLife))
    }

    // MARK: Remedies

    func apply(_ remedy: RecoveryPolicy.Remedy) async throws {
        if !ladder.isReported {
            await record(
                "remedy tried",
                .notice,
                ["remedy": remedy.rawValue, "reason": reason.rawValue]
            )
        }
        switch remedy {
        case .askAgain:
            break  // What follows every remedy is to ask again.
        case .reopen:
            configuredMode = nil
            guard let reopen else { return }
            // The laser is not left on should there be no way back.
            try? port.write(SDS011Command.setState(.sleep).bytes(to: address))
            port.close()
            guard let opened = try await clock.run(unless: stop, reopen) else {
                // It went to rest before its port was closed.
                isAwake = false
                return
            }
            port = opened
        case .restAndWake:
            configuredMode = nil
            isAwake = nil
            try await fallAsleep()
        }
    }

    /// Gives way to another part when no remedy helps and another is all that answers.
    ///
    /// Everybody is asked: one that goes by another id than the one addressed hears nothing else.
    /// Only after minutes: a part that says a wrong id for a moment stays who it is.
    func yieldToAnother(before delay: Duration) async throws {
        guard settings.yieldsToAnother, let wanted = settings.deviceID,
            RecoveryPolicy.isRetry(before: delay)
        else { return }
        let countBefore = foreignCount
        let answer = try await ask(.getState, attempts: 1, to: .everyone)
        guard answer == nil, foreignCount > countBefore, let foreignID else { return }
        throw AnotherPart(wanted: "\(wanted)", found: "\(foreignID)")
    }

    func report() async {
        await record("sensor not answering", .error, ["reason": reason.rawValue])
    }

    func succeed() async {
        nextAttempt = nil
        skippedBefore = decoder.skippedByteCount
        guard let outage = ladder.succeed(at: clock.now) else { return }
        await record("sensor answering again", .notice, ["after": "\(Int(outage.inSeconds)) s"])
    }

    private func noteAcknowledgement() async {
        hasMissedAcknowledgement = false
        guard !isAcknowledging else { return }
        isAcknowledging = true
        await record("sensor acknowledges again", .notice)
    }

    // MARK: Readings and events

    func note(_ measurement: SDS011Measurement) {
        lastMeasurement = measurement
        lastMeasurementAt = clock.now
    }

    /// Takes a measurement, of now unless it is told when it was.
    func accept(
        _ measurement: SDS011Measurement,
        hasMoved: Bool = false,
        by limits: SDS011Judge.Limits,
        at instant: MonotonicInstant? = nil
    ) async {
        let now = clock.now
        let instant = instant ?? now
        note(measurement)
        let verdict = judge.judge(measurement, hasMoved: hasMoved, by: limits)
        // In live mode it is on for days.
        if laserTold.duration(to: now) >= .minutes(1) { tellLaser() }
        await sink.accept([
            Reading(Channel(device: name, quantity: .pm25), at: instant, verdict.pm25),
            Reading(Channel(device: name, quantity: .pm10), at: instant, verdict.pm10),
        ])
        for doubt in verdict.begun {
            await record("readings doubtful", .warning, ["doubt": doubt.rawValue])
            if doubt == .stuck || doubt == .zeros { isResetWanted = true }
        }
        for doubt in verdict.ended {
            await record("readings good again", .notice, ["doubt": doubt.rawValue])
        }
        if hasMissedAcknowledgement, isAcknowledging {
            isAcknowledging = false
            await record("sensor does not acknowledge", .warning)
        }
    }

    func accept(_ reason: NoData, at instant: MonotonicInstant) async {
        await sink.accept([
            Reading(Channel(device: name, quantity: .pm25), at: instant, .noData(reason)),
            Reading(Channel(device: name, quantity: .pm10), at: instant, .noData(reason)),
        ])
    }

    func record(
        _ kind: String,
        _ severity: Event.Severity,
        _ details: KeyValuePairs<String, String> = [:]
    ) async {
        await record(kind, severity, details.map { Event.Detail($0.key, $0.value) })
    }

    func record(
        _ kind: String,
        _ severity: Event.Severity,
        _ details: [Event.Detail]
    ) async {
        let now = clock.now
        let decision = eventBudget.admit(at: now)
        guard decision != .withhold else { return }
        await sink.record(
            Event(at: now, source: name, kind: kind, severity: severity, details: details)
        )
        guard decision == .recordLast else { return }
        await sink.record(
            Event(at: now, source: name, kind: "events withheld", severity: .warning)
        )
    }
}

extension SDS011Reply {
    fileprivate var firmware: SDS011Firmware {
        SDS011Firmware(year: first, month: second, day: third)
    }
}
