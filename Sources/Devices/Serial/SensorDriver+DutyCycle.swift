import Core
import HardwareIO
import Scheduling
import Supervision

// Months mode: wake, warm up, take a few measurements, rest.
extension SensorDriver {
    enum Sample {
        /// The median of a window, and whether its measurements differ.
        case measured([Outcome], hasMoved: Bool)
        case failed(NoData)
        /// The mode changed or a stop was asked for.
        case interrupted
    }

    func runDutyCycle(_ cycle: DutyCycle) async throws {
        let mode = SensorMode.dutyCycle(cycle)
        var start = clock.now
        while goesOn(in: mode) {
            heartbeat.beat(nextWithin: Self.patience)
            // Twice: time may also pass unseen while the sample is taken.
            start = await skipMissed(from: start, before: cycle.period)
            let sample = try await sample(cycle)
            if case .interrupted = sample {
            } else {
                start = await skipMissed(from: start, before: cycle.period)
            }
            switch sample {
            case .measured(let outcomes, let hasMoved):
                await accept(outcomes, hasMoved: hasMoved, by: .anyDutyCycle)
            case .failed(let reason):
                await accept(reason, at: clock.now)
            case .interrupted:
                if isStopping { await accept(.stopped, at: clock.now) }
                return
            }
            start = await skipMissed(from: start.advanced(by: cycle.period), every: cycle.period)
            let rest = clock.now.duration(to: start)
            heartbeat.beat(nextWithin: rest + cycle.tolerance + Self.patience)
            guard try await pause(until: start, tolerance: cycle.tolerance, in: mode) else {
                // What ended the wait may have come after a suspended night.
                _ = await skipMissed(from: start, before: cycle.period)
                return
            }
        }
    }

    /// One sample, with every remedy there is if need be; the part is at rest afterwards.
    private func sample(_ cycle: DutyCycle) async throws -> Sample {
        if let nextAttempt, clock.now < nextAttempt { return .failed(reason) }
        let (begunAt, foreignBefore) = (clock.now, foreignCount)
        heardSinceSuccess = (false, false, false)
        var sample = try await measure(cycle)
        while case .failed = sample, !isStopping, !Task.isCancelled {
            switch ladder.fail(at: clock.now) {
            case .remedy(let remedy):
                try await apply(remedy)
                sample = try await measure(cycle)
            case .report:
                await report()
            case .wait(let delay):
                // Counted as periods are, or the next one would always be just too early.
                nextAttempt = begunAt.advanced(by: delay - cycle.tolerance)
                try yieldToAnother(before: delay, since: foreignBefore)
                try await rest()
                return .failed(reason)
            }
        }
        // A stop lets it rest by itself.
        if !isStopping { try await rest() }
        if case .measured = sample { await succeed() }
        return sample
    }

    private func measure(_ cycle: DutyCycle) async throws -> Sample {
        let mode = SensorMode.dutyCycle(cycle)
        heartbeat.beat(nextWithin: cycle.warmUp + cycle.window + Self.patience + interval * 4)
        try port.discardInput()
        guard try await wakeUp() else { return isStopping ? .interrupted : .failed(reason) }
        let warmAt = max(warmAt ?? clock.now, clock.now)
        guard try await pause(until: warmAt, in: mode) else { return .interrupted }
        let measurements: [[Outcome]]
        switch dialect.rhythm {
        case .streams: measurements = try await listen(for: cycle.window, in: mode)
        case .answers: measurements = try await inquire(for: cycle.window, in: mode)
        }
        guard goesOn(in: mode) else { return .interrupted }
        guard let median = ChannelJudge.median(of: measurements) else { return .failed(reason) }
        return .measured(median, hasMoved: measurements.contains { $0 != measurements[0] })
    }

    /// Listens for as long as the window, and longer when nothing has come by then.
    private func listen(for window: Duration, in mode: SensorMode) async throws -> [[Outcome]] {
        // What lies there was said while it warmed up.
        try port.discardInput()
        let end = clock.now.advanced(by: window)
        var last = max(end, clock.now.advanced(by: frameTimeout))
        var measurements: [[Outcome]] = []
        while goesOn(in: mode), measurements.count < Self.windowMax {
            var deadline = measurements.isEmpty ? last : end
            guard clock.now < deadline, let heard = try await hear(until: &deadline) else { break }
            last = max(last, deadline)
            measurements += Self.measurements(in: heard)
        }
        return measurements
    }

    /// Asks as often as the window and the part allow, at least once.
    private func inquire(for window: Duration, in mode: SensorMode) async throws -> [[Outcome]] {
        guard let command = dialect.commands(for: .measure).first,
            case .answers(let least) = dialect.rhythm
        else { return [] }
        let start = clock.now
        let step = max(least, .seconds(1))
        let count = min(max(1, Int(window / step)), Self.windowMax)
        var measurements: [[Outcome]] = []
        for index in 1...count {
            let due = start.advanced(by: min(window, step * index))
            guard try await pause(until: due, in: mode) else { break }
            let attempts = measurements.isEmpty ? 2 : 1
            if case .measurement(let outcomes) = try await ask(command, attempts: attempts) {
                measurements.append(outcomes)
            } else if measurements.isEmpty {
                break
            }
        }
        return measurements
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
        let why: NoData = ladder.failingSince == nil ? .stopped : reason
        await account(for: missed, each: period, from: start, as: why)
        return start.advanced(by: period * missed)
    }

    /// Accounts for periods that have passed while nothing was told.
    ///
    /// - Returns: The start of the next period.
    private func skipMissed(
        from first: MonotonicInstant,
        every period: Duration
    ) async -> MonotonicInstant {
        let now = clock.now
        guard first < now else { return first }
        let missed = Int(first.duration(to: now) / period) + 1
        let why: NoData = ladder.failingSince == nil ? .stopped : reason
        await account(for: missed, each: period, from: first, as: why)
        return first.advanced(by: period * missed)
    }

    /// Accounts for intervals without a measurement, the first at `first`.
    func account(
        for missed: Int,
        each interval: Duration,
        from first: MonotonicInstant,
        as reason: NoData
    ) async {
        for index in 0..<min(missed, Self.missedMax) {
            await accept(reason, at: first.advanced(by: interval * index))
        }
        guard missed > Self.missedMax else { return }
        let details = [Event.Detail("count", "\(missed - Self.missedMax)")]
        await record("intervals skipped", .warning, details)
    }
}
