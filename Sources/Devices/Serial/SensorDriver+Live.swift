import Core
import HardwareIO
import Supervision

// Live mode: every streamed measurement is a sample, or one is asked for each interval.
extension SensorDriver {
    func runLive() async throws {
        // From when it was asked for: what was in progress may have taken a while to end.
        accountedUntil = max(accountedUntil, modeSince ?? clock.now)
        isAccounting = true
        defer { isAccounting = false }
        heardSinceSuccess = (false, false, false)
        isResetWanted = false
        heartbeat.beat(nextWithin: Self.patience + interval * 4)
        _ = try await wakeUp()
        var due = clock.now  // Of those that answer: the next question.
        while goesOn(in: .live) {
            heartbeat.beat(nextWithin: Self.patience + interval * 4)
            guard try await takeOne() else {
                if goesOn(in: .live) { try await recover() }
                continue
            }
            if isResetWanted { try await reset() }
            guard case .answers = dialect.rhythm else { continue }
            // A tenth of the interval saves wake-ups, and a chart shows no difference.
            due = max(due.advanced(by: interval), clock.now)
            guard try await pause(until: due, tolerance: interval / 10, in: .live) else { return }
        }
    }

    private func reset() async throws {
        isResetWanted = false
        try await apply(.restAndWake)
        _ = try await wakeUp()
    }

    /// Takes one measurement, or all that come at once; false when none did in its time.
    private func takeOne() async throws -> Bool {
        switch dialect.rhythm {
        case .streams:
            return try await listen(until: clock.now.advanced(by: frameTimeout))
        case .answers:
            guard let command = dialect.commands(for: .measure).first,
                case .measurement(let outcomes) = try await ask(command, attempts: 2)
            else { return false }
            return await takeStreamed([outcomes])
        }
    }

    private func listen(until end: MonotonicInstant) async throws -> Bool {
        var deadline = end
        while !Task.isCancelled, !isStopping, clock.now < deadline {
            guard let heard = try await hear(until: &deadline) else { return false }
            if await takeStreamed(Self.measurements(in: heard)) { return true }
        }
        return false
    }

    /// Takes measurements of live mode; several at once stand for as many intervals.
    ///
    /// - Returns: true when there was one.
    @discardableResult
    func takeStreamed(_ measurements: [[Outcome]]) async -> Bool {
        // What comes while a duty cycle's sample ends is nobody's: the mode has only just changed.
        guard mode == .live, isAccounting, !measurements.isEmpty else { return false }
        let (now, count) = (clock.now, measurements.count)
        // Every whole interval, rounded, that these measurements do not stand for.
        let passed = accountedUntil.duration(to: now) + interval / 2
        let missed = Int(passed / interval) - count
        if missed > 0 { await account(missed: missed) }
        let before = accountedUntil
        accountedUntil = now
        for (index, outcomes) in measurements.enumerated() {
            let due = now.advanced(by: .zero - interval * (count - 1 - index))
            let instant = max(before, due)
            guard sampleBudget.admit(at: instant) else {
                if let news = sampleBudget.news { await record("samples left out", .warning, news) }
                continue
            }
            if let warmAt, instant < warmAt {
                await accept(.warmingUp, at: instant)
            } else {
                await accept(outcomes, by: .anyLive, at: instant)
            }
        }
        await succeed()
        return true
    }

    /// Works down the ladder until a measurement comes, accounting for every interval meanwhile.
    private func recover() async throws {
        let countBefore = measurementCount
        var foreignBefore = foreignCount
        while goesOn(in: .live), measurementCount == countBefore {
            await accountUntilNow()
            heartbeat.beat(nextWithin: Self.patience + interval * 4)
            switch ladder.fail(at: clock.now) {
            case .remedy(let remedy):
                foreignBefore = foreignCount
                try await apply(remedy)
                if try await wakeUp(), measurementCount == countBefore { _ = try await takeOne() }
            case .report:
                await report()
            case .wait(let delay):
                try yieldToAnother(before: delay, since: foreignBefore)
                try await waitOut(until: clock.now.advanced(by: delay))
            }
        }
    }

    /// Waits for the next attempt, listening: the part may come back by itself.
    private func waitOut(until end: MonotonicInstant) async throws {
        while goesOn(in: .live), clock.now < end {
            let tick = min(end, accountedUntil.advanced(by: interval))
            if try await listen(until: max(tick, clock.now.advanced(by: .milliseconds(1)))) {
                return
            }
            await accountUntilNow()
            heartbeat.beat(nextWithin: Self.patience + interval * 4)
        }
    }

    private func accountUntilNow() async {
        await account(missed: Int(accountedUntil.duration(to: clock.now) / interval))
    }

    private func account(missed: Int) async {
        guard missed > 0 else { return }
        let first = accountedUntil.advanced(by: interval)
        await account(for: missed, each: interval, from: first, as: reason)
        accountedUntil = accountedUntil.advanced(by: interval * missed)
    }
}
