import Core
import Runtime

/// Schedule of the samples of a duty cycle, and of those that were missed.
struct DutySchedule: Hashable, Sendable {
    /// Time from a sample to the check whether the part rests.
    private static let lookDelay: Duration = .seconds(90)
    /// The session no longer probes the part so shortly before a sample.
    private static let lookMargin: Duration = .seconds(60)
    static let lookTolerance: Duration = .seconds(25)

    let cycle: DutyCycle
    /// When the sample in progress was due, or the next one is.
    private(set) var due: MonotonicInstant
    /// When the sample in progress began.
    private(set) var begunAt: MonotonicInstant
    /// When the part was sent to rest.
    private(set) var restedAt: MonotonicInstant
    private(set) var hasLooked = false

    init(_ cycle: DutyCycle, from start: MonotonicInstant) {
        (self.cycle, due, begunAt, restedAt) = (cycle, start, start, start)
    }

    mutating func beginSample(at now: MonotonicInstant) { (begunAt, hasLooked) = (now, false) }

    /// Whether a sample that begins then ends within the period in progress.
    func holdsSample(from start: MonotonicInstant) -> Bool {
        start.advanced(by: cycle.window) <= begunAt.advanced(by: cycle.period)
    }

    /// Whole periods that have passed since a sample was due, as after a suspended night.
    mutating func miss(at now: MonotonicInstant) -> MissedIntervals? {
        advance(Int(due.duration(to: now) / cycle.period))
    }

    /// Ends a sample.
    ///
    /// - Returns: Periods that began meanwhile.
    mutating func endSample(at now: MonotonicInstant) -> MissedIntervals? {
        due = due.advanced(by: cycle.period)
        return due < now ? advance(Int(due.duration(to: now) / cycle.period) + 1) : nil
    }

    private mutating func advance(_ count: Int) -> MissedIntervals? {
        guard count > 0 else { return nil }
        defer { due = due.advanced(by: cycle.period * count) }
        return MissedIntervals(from: due, each: cycle.period, count: count)
    }

    /// Instant of the check whether the part rests; nil when done, or when the next sample is near.
    func look(at now: MonotonicInstant) -> MonotonicInstant? {
        let look = now.advanced(by: Self.lookDelay)
        return !hasLooked && look.advanced(by: Self.lookMargin) < due ? look : nil
    }

    mutating func recordRest(at now: MonotonicInstant) { restedAt = now }
    mutating func recordLook() { hasLooked = true }
}
