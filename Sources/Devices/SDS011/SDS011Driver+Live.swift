import Core
import HardwareIO
import Scheduling
import Supervision

// Live mode: the part streams at 1 Hz; one wake-up and one sample a frame.
extension SDS011Driver {
    private static let interval: Duration = .seconds(1)

    func runLive() async throws {
        let startedAt = clock.now
        // From when it was asked for: what was in progress may have taken a while to end.
        accountedUntil = max(accountedUntil, modeSince ?? startedAt)
        isAccounting = true
        defer { isAccounting = false }
        skippedBefore = decoder.skippedByteCount
        warmAt = clock.now
        isResetWanted = false
        // Awake already means warm already, or the plug was put in a moment ago: zeros tell.
        let state = try await ask(.getState, attempts: 1)
        let isStreaming = lastMeasurementAt.map { $0 >= startedAt } ?? false
        if !isStreaming, !Self.saysWorking(state) {
            warmAt = clock.now.advanced(by: settings.liveWarmUp)
        }
        try await settle(.active)
        var heardSince = clock.now
        while goesOn(in: .live) {
            heartbeat.beat(nextWithin: Self.patience)
            let heardAt = max(heardSince, lastMeasurementAt ?? heardSince)
            let deadline = heardAt.advanced(by: settings.frameTimeout)
            if try await listen(until: deadline) {
                if isResetWanted { try await reset() }
                continue
            }
            try await recover()
            heardSince = clock.now
        }
    }

    private func reset() async throws {
        isResetWanted = false
        try await apply(.restAndWake)
        try await settle(.active)
    }

    private static func saysWorking(_ frame: SDS011Frame?) -> Bool {
        guard case .reply(let reply, _) = frame else { return false }
        return reply.second == SDS011State.work.rawValue
    }

    /// Takes what comes until a measurement has come; false when none did by the deadline.
    private func listen(until end: MonotonicInstant) async throws -> Bool {
        var deadline = end
        while !Task.isCancelled, !isStopping, clock.now < deadline {
            guard let bytes = try await receive(until: &deadline) else { return false }
            if mode == .live, let measurement = decodeOne(bytes) {
                let now = clock.now
                await account(for: 1, at: now)
                await take(measurement, at: now)
                await succeed()
                return true
            }
            if await takeStreamed(decode(bytes)) { return true }
        }
        return false
    }

    /// Takes frames that nobody asked for; several at once stand for as many seconds.
    ///
    /// - Returns: true when there was a measurement.
    @discardableResult
    func takeStreamed(_ frames: [SDS011Frame]) async -> Bool {
        let measurements = frames.compactMap(\.measurement)
        guard mode == .live, isAccounting, !measurements.isEmpty else { return false }
        let (now, count) = (clock.now, measurements.count)
        let before = await account(for: count, at: now)
        for (index, measurement) in measurements.enumerated() {
            let instant = now.advanced(by: .zero - Self.interval * (count - 1 - index))
            await take(measurement, at: max(before, instant))
        }
        await succeed()
        return true
    }

    /// The measurement of the known part, when the bytes are that and nothing else.
    ///
    /// The usual case, without an array or a wait on the way to the light; otherwise nothing is
    /// decoded.
    private func decodeOne(_ bytes: [UInt8]) -> SDS011Measurement? {
        var (trial, only, count) = (decoder, SDS011Frame?.none, 0)
        trial.decode(bytes.span) { result in
            only = try? result.get()
            count += 1
        }
        guard count == 1, case .measurement(let measurement, let id) = only, id == knownID,
            id == settings.deviceID ?? id
        else { return nil }
        decoder = trial
        foreignID = nil
        return measurement
    }

    private func take(_ measurement: SDS011Measurement, at instant: MonotonicInstant) async {
        guard sampleBudget.admit(at: instant) else {
            note(measurement)
            if let news = sampleBudget.news { await record("samples left out", .warning, news) }
            return
        }
        if instant < warmAt {
            note(measurement)
            await accept(.warmingUp, at: instant)
        } else {
            await accept(measurement, by: .live, at: instant)
        }
    }

    /// Accounts for every whole interval, rounded, that these measurements do not stand for.
    ///
    /// - Returns: Up to where everything was accounted for without them.
    @discardableResult
    private func account(for count: Int, at now: MonotonicInstant) async -> MonotonicInstant {
        // In integers: this is on the way to the light.
        let interval = Self.interval.wholeNanoseconds
        let passed = now.nanoseconds - accountedUntil.nanoseconds
        let missed = Int((passed + interval / 2) / interval) - count
        if missed > 0 { await account(missed: missed) }
        defer { accountedUntil = now }
        return accountedUntil
    }

    /// Works down the ladder until a measurement comes, accounting for every second meanwhile.
    private func recover() async throws {
        let failedAt = clock.now
        while goesOn(in: .live), (lastMeasurementAt ?? .boot) < failedAt {
            await accountUntilNow()
            heartbeat.beat(nextWithin: Self.patience)
            switch ladder.fail(at: clock.now) {
            case .remedy(let remedy):
                try await apply(remedy)
                try await settle(.active)
                _ = try await listen(until: clock.now.advanced(by: settings.frameTimeout))
            case .report:
                await report()
            case .wait(let delay):
                try await yieldToAnother(before: delay)
                try await waitOut(until: clock.now.advanced(by: delay))
            }
        }
    }

    /// Waits for the next attempt, listening: the part may come back by itself.
    private func waitOut(until end: MonotonicInstant) async throws {
        while goesOn(in: .live), clock.now < end {
            let tick = min(end, accountedUntil.advanced(by: Self.interval))
            if try await listen(until: tick) { return }
            await accountUntilNow()
            heartbeat.beat(nextWithin: Self.patience)
        }
    }

    private func accountUntilNow() async {
        await account(missed: Int(accountedUntil.duration(to: clock.now) / Self.interval))
    }

    private func account(missed: Int) async {
        guard missed > 0 else { return }
        for index in 1...min(missed, Self.missedMax) {
            await accept(reason, at: accountedUntil.advanced(by: Self.interval * index))
        }
        accountedUntil = accountedUntil.advanced(by: Self.interval * missed)
        if missed > Self.missedMax {
            await record("intervals skipped", .warning, ["count": "\(missed - Self.missedMax)"])
        }
    }
}
