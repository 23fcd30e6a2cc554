import Core
import Profiles

/// Collects what one call of a session wants done: readings, events and commands.
struct SensorOutput: Sendable {
    /// Missed intervals recorded one by one; the rest of a longer gap is reported in one event.
    static let missedMax = 2_016

    var actions: [SensorAction] = []
    var now = MonotonicInstant.boot
    private var discardedAt: MonotonicInstant?
    private let name: String
    private let channels: [Channel]
    /// Places of the channels among what the dialect measures.
    private let shown: [Int]
    private var filter: PlausibilityFilter
    private var budget = EventBudget(perHour: 120)

    init(name: String, quantities: [Quantity], profile: Profile) {
        let shown = profile.shown(of: quantities)
        (self.name, self.shown) = (name, shown)
        channels = shown.map { Channel(device: name, quantity: quantities[$0]) }
        filter = PlausibilityFilter(quantities, by: profile.channels)
    }

    var findings: [PlausibilityFilter.Finding] { filter.findings }

    /// Forgets earlier measurements, as when the mode changes.
    mutating func restart() { filter.restart() }

    /// Throws away what has arrived.
    mutating func discardInput() {
        actions.append(.discardInput)
        discardedAt = now
    }

    /// Whether something was thrown away before the bytes that came now.
    ///
    /// - Returns: Nil when not; whether these bytes may be the tail of a line.
    mutating func takeLoss() -> Bool? {
        guard let discardedAt else { return nil }
        self.discardedAt = nil
        return now < discardedAt.advanced(by: LineScanner.longestTransfer)
    }

    mutating func write(_ command: SensorCommand) { actions.append(.write(command.bytes)) }

    /// Hands on a measurement with its doubts.
    ///
    /// - Returns: Whether the part should rest and wake: it is stuck, or says nothing but zeros.
    mutating func accept(
        _ outcomes: [Outcome],
        hasMoved: Bool = false,
        by limits: SensorDoubt.Limits,
        at instant: MonotonicInstant
    ) -> Bool {
        let verdict = filter.check(outcomes, hasMoved: hasMoved, by: limits)
        var readings: [Reading] = []
        readings.reserveCapacity(shown.count)
        for (channel, place) in zip(channels, shown) {
            readings.append(Reading(channel, at: instant, verdict.outcomes[place]))
        }
        actions.append(.accept(readings))
        for finding in verdict.begun { record(.readingsDoubtful, .warning, finding.details) }
        for finding in verdict.ended { record(.readingsGood, .notice, finding.details) }
        return verdict.begun.contains { $0.doubt == .stuck || $0.doubt == .zeros }
    }

    /// Records for one instant why there is no measurement.
    mutating func miss(_ reason: NoData, at instant: MonotonicInstant) {
        actions.append(.miss(reason, MissedIntervals(at: instant)))
    }

    /// Records for each interval why there is no measurement.
    mutating func miss(_ reason: NoData, _ missed: MissedIntervals) {
        let count = min(missed.count, Self.missedMax)
        actions.append(
            .miss(
                reason,
                MissedIntervals(from: missed.first, each: missed.interval, count: count)
            )
        )
        guard missed.count > count else { return }
        let details = [Event.Detail("count", "\(missed.count - count)")]
        record(.intervalsSkipped, .warning, details)
    }

    mutating func record(
        _ kind: EventKind.Plain,
        _ severity: Event.Severity,
        _ details: [Event.Detail] = []
    ) {
        record(kind: .plain(kind), severity, details)
    }

    mutating func record(
        kind: EventKind,
        _ severity: Event.Severity,
        _ details: [Event.Detail]
    ) {
        let decision = budget.admit(at: now)
        guard decision != .withhold else { return }
        actions.append(.record(event(kind, severity, details)))
        guard decision == .recordLast else { return }
        actions.append(.record(event(.plain(.eventsWithheld), .warning, [])))
    }

    private func event(
        _ kind: EventKind,
        _ severity: Event.Severity,
        _ details: [Event.Detail]
    ) -> Event {
        Event(at: now, source: name, kind: kind, severity: severity, details: details)
    }

    /// The readings of one instant without a measurement.
    func absence(_ reason: NoData, at instant: MonotonicInstant) -> [Reading] {
        channels.map { Reading($0, at: instant, .noData(reason)) }
    }
}

extension PlausibilityFilter.Finding: CustomStringConvertible {
    var description: String {
        channel.map { "\(doubt.rawValue) \($0)" } ?? doubt.rawValue
    }

    var details: [Event.Detail] {
        [Event.Detail("doubt", doubt.rawValue)]
            + (channel.map { [Event.Detail("channel", $0)] } ?? [])
    }
}
