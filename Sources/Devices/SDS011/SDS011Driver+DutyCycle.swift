import Core
import HardwareIO
import Scheduling
import Supervision

// Months mode: wake, warm up, ask for a few measurements, sleep.
extension SDS011Driver {
    enum Sample {
        /// The median of a window, and whether its frames differ.
        case measured(SDS011Measurement, hasMoved: Bool)
        case failed(NoData)
        /// The mode changed or a stop was asked for.
        case interrupted
    }

    func runDutyCycle(_ cycle: DutyCycle) async throws {
        let mode = SensorMode.dutyCycle(cycle)
        var start = clock.now
        while goesOn(in: mode) {
            heartbeat.beat(nextWithin: cycle.warmUp + cycle.window + Self.patience)
            // Twice: time may also pass unseen while the sample is taken.
            start = await skipMissed(from: start, before: cycle.period)
            let sample = try await sample(cycle)
            if case .interrupted = sample {
            } else {
                start = await skipMissed(from: start, before: cycle.period)
            }
            switch sample {
            case .measured(let measurement, let hasMoved):
                await accept(measurement, hasMoved: hasMoved, by: .dutyCycle)
            case .failed(let reason):
                await accept(reason, at: clock.now)
            case .interrupted:
                if isStopping { await accept(.stopped, at: clock.now) }
                return
            }
            start = await skipMissed(from: start.advanced(by: cycle.period), every: cycle.period)
            let rest = clock.now.duration(to: start)
            heartbeat.beat(nextWithin: rest + cycle.tolerance + Self.patience)
            guard try await waitOut(until: start, tolerance: cycle.tolerance, in: mode) else {
                // What ended the wait may have come after a suspended night.
                _ = await skipMissed(from: start, before: cycle.period)
                return
            }
        }
    }

    /// Waits for the next period, and looks once whether the part rests as well.
    ///
    /// One that lost its power for a moment, or never heard that it shall sleep, runs: within two
    /// minutes that is ended, and said.
    private func waitOut(
        until start: MonotonicInstant,
        tolerance: Duration,
        in mode: SensorMode
    ) async throws -> Bool {
        let look = clock.now.advanced(by: .seconds(90))
        guard look.advanced(by: .seconds(60)) < start, nextAttempt == nil else {
            return try await pause(until: start, tolerance: tolerance, in: mode)
        }
        let restedAt = clock.now
        guard try await pause(until: look, tolerance: .seconds(25), in: mode) else { return false }
        if try await isRunning() {
            await record("fan on without a reason", .error, ["action": "sent to sleep"])
            isAwake = nil
            // Nobody knows since when.
            if awakeSince == nil { (awakeSince, laserTold) = (restedAt, restedAt) }
            try await fallAsleep()
        } else if !isStopping {
            // Whatever it heard, the last word to it is always this.
            try port.write(SDS011Command.setState(.sleep).bytes(to: address))
        }
        return try await pause(until: start, tolerance: tolerance, in: mode)
    }

    /// Whether the part is awake by its own word; silence is sleep.
    private func isRunning() async throws -> Bool {
        try port.discardInput()
        guard case .reply(let reply, _) = try await ask(.getState, attempts: 1) else {
            return false
        }
        return reply.second == SDS011State.work.rawValue
    }

    /// One sample, with every remedy there is if need be; the part is asleep afterwards.
    private func sample(_ cycle: DutyCycle) async throws -> Sample {
        if let nextAttempt, clock.now < nextAttempt { return .failed(reason) }
        let begunAt = clock.now
        skippedBefore = decoder.skippedByteCount
        var sample = try await measure(cycle)
        while case .failed = sample, !isStopping {
            switch ladder.fail(at: clock.now) {
            case .remedy(let remedy):
                try await apply(remedy)
                heartbeat.beat(nextWithin: cycle.warmUp + cycle.window + Self.patience)
                // A probe first: warming up for nothing costs laser hours.
                if try await probe() { sample = try await measure(cycle) }
            case .report:
                await report()
            case .wait(let delay):
                // Counted as periods are, or the next one would always be just too early.
                nextAttempt = begunAt.advanced(by: delay - cycle.tolerance)
                try await yieldToAnother(before: delay)
                try await fallAsleep()
                return .failed(reason)
            }
        }
        // A stop sends it to sleep by itself.
        if !isStopping { try await fallAsleep() }
        if case .measured = sample { await succeed() }
        return sample
    }

    private func measure(_ cycle: DutyCycle) async throws -> Sample {
        let mode = SensorMode.dutyCycle(cycle)
        try port.discardInput()
        let wokeAt = clock.now
        let isWoken = try await configuredMode == .query ? wakeUp() : settle(.query)
        if !isWoken, try await ask(.query, attempts: 2) == nil { return .failed(reason) }
        let warmAt = wokeAt.advanced(by: cycle.warmUp)
        let count = Int64(max(1, cycle.window.components.seconds))
        var measurements: [SDS011Measurement] = []  // At most one a second of the window.
        for index in 1...count {
            let due = warmAt.advanced(by: min(cycle.window, .seconds(index)))
            guard try await pause(until: due, in: mode) else { return .interrupted }
            let attempts = measurements.isEmpty ? 2 : 1
            if case .measurement(let measurement, _) = try await ask(.query, attempts: attempts) {
                measurements.append(measurement)
            } else if measurements.isEmpty {
                return .failed(reason)
            }
        }
        guard let median = SDS011Judge.median(of: measurements) else { return .failed(reason) }
        return .measured(median, hasMoved: Set(measurements).count > 1)
    }

    /// Whether the part gives a measurement at all.
    private func probe() async throws -> Bool {
        _ = try await configuredMode == .query ? wakeUp() : settle(.query)
        return try await ask(.query, attempts: 2) != nil
    }

    /// Accounts for periods that have passed since a sample was due, as after a suspended night.
    ///
    /// Before the sample that is late: what is told after it cannot lie before it any more.
    ///
    /// - Returns: When this sample was due, less than a period ago.
    private func skipMissed(
        from start: MonotonicInstant,
        before period: Duration
    ) async -> MonotonicInstant {
        let missed = Int(start.duration(to: clock.now) / period)
        guard missed > 0 else { return start }
        return await skipMissed(
            from: start,
            every: period,
            until: start.advanced(by: period * (missed - 1))
        )
    }

    /// Accounts for periods that have passed while a sample was taken.
    ///
    /// - Returns: The start of the next period.
    private func skipMissed(
        from first: MonotonicInstant,
        every period: Duration,
        until end: MonotonicInstant? = nil
    ) async -> MonotonicInstant {
        let now = end ?? clock.now
        guard first <= now, end != nil || first < now else { return first }
        let missed = Int(first.duration(to: now) / period) + 1
        let why: NoData = ladder.failingSince == nil ? .stopped : reason
        for index in 0..<min(missed, Self.missedMax) {
            await accept(why, at: first.advanced(by: period * index))
        }
        if missed > Self.missedMax {
            await record("intervals skipped", .warning, ["count": "\(missed - Self.missedMax)"])
        }
        return first.advanced(by: period * missed)
    }
}
