import Alerts
import Core
import StoreQueries

/// Decides what one receiver is sent of alerts, and when.
///
/// Pure: a caller brings events and the time. A token bucket with one token limits the rate of
/// notices; alerts that come meanwhile are sent with the next notice, in their state at that time.
/// A critical alert needs no token once, and neither does an alert at each level that is worse
/// than the receiver knows. Notices of ended alerts have a bucket of their own, so that they delay
/// no new alert. In quiet hours only critical alerts are sent, and one summary follows. A notice
/// that the receiver fails at while it accepts others is set aside and sent by itself, with
/// back-off, as long as it still holds.
///
/// Bound: `limit` alerts that are raised; further ones are counted.
package struct NoticePlanner: Sendable {
    static let limit = 64
    /// Time within which the alerts of one sample come, which always share a notice.
    static let ofOneSample: Duration = .seconds(1)

    /// Next step of a receiver.
    enum Decision: Hashable, Sendable {
        /// Nothing to send before then, or before something happens.
        case wait(until: MonotonicInstant?, Delay? = nil)
        case send(Plan)
    }

    /// Reason why an alert is not sent yet.
    enum Delay: Hashable, Sendable {
        case quiet, grouped, spaced

        var reason: DeliveryReason {
            switch self {
            case .quiet: DeliveryReason("quiet-hours", "its quiet hours last")
            case .grouped: DeliveryReason("grouped", "what happens at once goes together")
            case .spaced: DeliveryReason("spaced", "it had a notice less than everySeconds ago")
            }
        }
    }

    /// A raised alert.
    struct Alert: Hashable, Sendable {
        var raised: AlertEvent.Raised
        let since: MonotonicInstant
        let time: WallTime?
        /// Time when the receiver was last sent it; nil before.
        var toldAt: MonotonicInstant?
        /// Whether it was already sent without a token of the rate limit.
        var hasPassed = false
        /// Worst level that the receiver was sent; nil before.
        var worstTold: Int?
        var acknowledgedUntil: MonotonicInstant?
        var isWaiting = false
    }

    typealias Plan = NoticePlan

    let options: ReceiverOptions
    private(set) var alerts: [Int64: Alert] = [:]
    private(set) var lastNumber: Int64 = 0
    /// Number of alerts that found no room.
    private(set) var omittedCount = 0
    private var ended: [AlertEvent.Resolved] = []
    /// Numbers of the alerts that an earlier process sent.
    private var told: Set<Int64> = []
    private var tests: [AlertEvent.Raised] = []
    /// Silenced alerts, with the end of each silence.
    var silences: [AlertEvent.Key: MonotonicInstant] = [:]
    private var groupedSince: MonotonicInstant?
    /// Time when the next notice may be sent (token bucket with one token).
    private(set) var tokenAt = MonotonicInstant.boot
    /// The same time for notices that only report ended alerts.
    var endTokenAt = MonotonicInstant.boot

    /// Numbers that were planned in one turn with others that went: they need no token.
    private var owed: Set<Int64> = []
    /// Doubt about the server, by the numbers of raises, ends and tests.
    var doubt = ItemDoubt<Int64>(patience: 2)
    var asides: ItemAsides<Int64>

    private let receiver: String

    /// - Parameters:
    ///   - receiver: The id of the receiver that it plans for.
    ///   - seed: For the random part of the back-off.
    init(_ options: ReceiverOptions, for receiver: String = "", seed: UInt64 = 1) {
        (self.options, self.receiver, asides) = (options, receiver, ItemAsides(seed: seed))
    }

    // MARK: What happens

    /// Resumes where an earlier process was.
    ///
    /// - Parameters:
    ///   - number: The last number that it had handled.
    ///   - tokenAt: When the bucket has its token again.
    ///   - sent: The numbers of raises that the receiver was sent.
    ///   - standing: Changes up to then of the alerts that are still raised.
    ///   - wall: The time for people, by which alerts of earlier boots have their age.
    mutating func begin(
        after number: Int64,
        tokenAt: MonotonicInstant,
        sent: Set<Int64>,
        _ standing: [AlertChange],
        at now: MonotonicInstant,
        _ wall: WallTime? = nil
    ) {
        told = sent
        for news in standing { apply(news, at: now, wall) }
        for number in sent { alerts[number]?.isWaiting = false }
        (ended, tests) = ([], [])
        (lastNumber, self.tokenAt) = (number, tokenAt)
    }

    mutating func apply(_ news: AlertChange, at now: MonotonicInstant, _ wall: WallTime? = nil) {
        lastNumber = max(lastNumber, news.number)
        switch news.event {
        case .raised(let raised): apply(raised, news.time, news.instant(at: now, wall), at: now)
        case .level(let level): apply(level, at: now)
        case .acknowledged(let note):
            let forever = MonotonicInstant(nanoseconds: .max)
            let until = note.seconds.map { now.advanced(by: .seconds($0)) } ?? forever
            alerts[note.raise]?.acknowledgedUntil = until
            alerts[note.raise]?.isWaiting = false
            asides.remove(note.raise)
        case .resolved(let end): apply(end)
        case .silenced, .standing: break
        }
    }

    private mutating func apply(
        _ raised: AlertEvent.Raised,
        _ time: WallTime?,
        _ since: MonotonicInstant,
        at now: MonotonicInstant
    ) {
        guard !raised.flags.contains("test") else {
            let mark = AlertEvent.Raised.receiverMark
            let named = raised.flags.first { $0.hasPrefix(mark) }?.dropFirst(mark.count)
            if named.map({ $0 == receiver }) ?? true { tests = tests.suffix(3) + [raised] }
            return
        }
        guard alerts.count < Self.limit else {
            omittedCount += 1
            return
        }
        var alert = Alert(raised: raised, since: since, time: time)
        if told.contains(raised.number) {
            (alert.toldAt, alert.worstTold) = (now, raised.level)
        } else {
            alert.isWaiting = isWanted(raised) && !raised.flags.contains("silenced")
        }
        alerts[raised.number] = alert
        if alert.isWaiting { groupedSince = groupedSince ?? now }
    }

    private mutating func apply(_ level: AlertEvent.Level, at now: MonotonicInstant) {
        guard var alert = alerts[level.raise] else { return }
        (alert.raised.level, alert.raised.severity) = (level.level, level.severity)
        alert.raised.value = level.value ?? alert.raised.value
        if level.level > level.was {
            alert.acknowledgedUntil = nil
            alert.hasPassed = alert.worstTold.map { level.level <= $0 } ?? false
            alert.isWaiting = isWanted(alert.raised)
            if alert.isWaiting { groupedSince = groupedSince ?? now }
        }
        alerts[level.raise] = alert
    }

    private mutating func apply(_ end: AlertEvent.Resolved) {
        guard let alert = alerts.removeValue(forKey: end.raise) else { return }
        asides.remove(end.raise)
        owed.remove(end.raise)
        // An alert that was never sent shares a line with its end, if ends are wanted at all.
        let isKnown = alert.toldAt != nil || alert.isWaiting
        guard isKnown, options.tellsResolved else { return }
        ended = ended.suffix(Self.limit - 1) + [end]
        let kept = Set(ended.map(\.number))
        for number in asides.items
        where alerts[number] == nil && !kept.contains(number) && !isTest(number) {
            asides.remove(number)
        }
    }

    private func isTest(_ number: Int64) -> Bool { tests.contains { $0.number == number } }

    private func isWanted(_ raised: AlertEvent.Raised) -> Bool {
        let (rule, subject) = (Array(raised.key.rule.utf8), Array(raised.key.subject.utf8))
        func fits(_ patterns: [String], _ name: [UInt8]) -> Bool {
            patterns.isEmpty || patterns.contains { StreamChoice.matches(Array($0.utf8), name) }
        }
        // The receiver cannot report its own failure; the other receivers do.
        if raised.key == AlertEvent.Key("outbox", receiver) { return false }
        return options.severities.contains { $0.rawValue == raised.severity.rawValue }
            && fits(options.rules, rule) && fits(options.channels, subject)
    }

    // MARK: What to do

    /// - Parameters:
    ///   - wall: The time for people; nil while it is not known: then no hour is quiet.
    ///   - zone: Time zone of the quiet hours.
    /// - Returns: The plan that is due, or the time until which none is.
    func decide(
        at now: MonotonicInstant,
        _ wall: WallTime?,
        in zone: Zone
    ) -> Decision {
        let all = Plan(raised: waiting(at: now), reminders: reminders(at: now), ended: ended)
        let test = tests.first { !asides.contains($0.number) }
        let quietEnd = quietEnd(wall, zone, now)
        let decision = decide(all.limited { !asides.contains($0) }, at: now, quietUntil: quietEnd)
        if doubt.isSearching {
            var plan = if case .send(let plan) = decision { plan } else { Plan(takesToken: false) }
            plan.tests = test.map { [$0] } ?? []
            let numbers = parts(of: plan).flatMap(\.numbers)
            let next = doubt.next(of: numbers, room: asides.room)
            if let next { return .send(plan.only(next)) }
        } else if let test {
            return .send(Plan(tests: [test], takesToken: false))
        }
        guard case .wait(let until, let delay) = decision else { return decision }
        let (plan, next) = aside(of: all, at: now, isQuiet: quietEnd != nil)
        if let plan { return .send(plan) }
        return .wait(until: [until, next].compactMap(\.self).min(), delay)
    }

    private func decide(
        _ all: Plan,
        at now: MonotonicInstant,
        quietUntil quietEnd: MonotonicInstant?
    ) -> Decision {
        var plan = all
        let calls = plan.raised.filter { alerts[$0]?.raised.severity == .critical }
        guard !plan.isEmpty else { return .wait(until: nextReminder(after: now)) }
        if let end = quietEnd {
            guard !calls.isEmpty else { return .wait(until: end, .quiet) }
            plan = Plan(raised: calls)
        }
        if let together = groupedSince?.advanced(by: max(options.wait, Self.ofOneSample)),
            together > now
        {
            return .wait(until: together, .grouped)
        }
        let next = plan.saysNothingThatLasts ? max(tokenAt, endTokenAt) : tokenAt
        guard now < next else { return .send(plan) }
        let raised = Set(plan.raised)
        var passing = plan.limited { number in
            owed.contains(number) || raised.contains(number) && alerts[number].map(mayPass) ?? false
        }
        passing.takesToken = false
        guard passing.isEmpty else { return .send(passing) }
        return .wait(until: next, .spaced)
    }

    /// Whether an alert needs no token: it is critical, or worse than the receiver knows.
    private func mayPass(_ alert: Alert) -> Bool {
        !alert.hasPassed && (alert.raised.severity == .critical || alert.worstTold != nil)
    }

    private func waiting(at now: MonotonicInstant) -> [Int64] {
        alerts.filter { $0.value.isWaiting && !isQuieted($0.value, at: now) }.keys.sorted()
    }

    private func isQuieted(_ alert: Alert, at now: MonotonicInstant) -> Bool {
        let isSilenced = silences[alert.raised.key].map { $0 > now } ?? false
        return isSilenced || alert.acknowledgedUntil.map { $0 > now } ?? false
    }

    private func reminders(at now: MonotonicInstant) -> [Int64] {
        guard let remind = options.remind else { return [] }
        return alerts.filter { _, alert in
            guard let told = alert.toldAt, !alert.isWaiting else { return false }
            return told.advanced(by: remind) <= now && !isQuieted(alert, at: now)
        }.keys.sorted()
    }

    private func nextReminder(after now: MonotonicInstant) -> MonotonicInstant? {
        guard let remind = options.remind else { return nil }
        let times = alerts.values.compactMap { alert -> MonotonicInstant? in
            guard let told = alert.toldAt else { return nil }
            let due = told.advanced(by: remind)
            guard isQuieted(alert, at: max(due, now)) else { return max(due, now) }
            return alert.acknowledgedUntil.flatMap { $0.nanoseconds == .max ? nil : $0 }
        }
        return times.min()
    }

    /// Returns when the quiet hours end, or half an hour from now; nil when no hour is quiet.
    ///
    /// The clocks may be changed within the quiet hours, so the end is computed again.
    private func quietEnd(
        _ wall: WallTime?,
        _ zone: Zone,
        _ now: MonotonicInstant
    ) -> MonotonicInstant? {
        guard let quiet = options.quiet, let wall else { return nil }
        let second = wall.nanoseconds.flooredQuotient(by: 1_000_000_000)
        let local = second + Int64(zone.offset(Int(second)))
        let ofDay = local - local.flooredQuotient(by: 86_400) * 86_400
        guard quiet.contains(Int(ofDay / 60)) else { return nil }
        let left = (Int64(quiet.to) * 60 - ofDay + 86_400) % 86_400
        return now.advanced(by: .seconds(min(max(left, 1), 1_800)))
    }

    /// Records that a plan was sent.
    mutating func finish(_ plan: Plan, at now: MonotonicInstant) {
        for number in plan.raised {
            guard var alert = alerts[number] else { continue }
            (alert.isWaiting, alert.hasPassed) = (false, true)
            (alert.toldAt, alert.worstTold) = (now, max(alert.worstTold ?? 0, alert.raised.level))
            alerts[number] = alert
        }
        for number in plan.reminders { alerts[number]?.toldAt = now }
        ended.removeAll { plan.ended.contains($0) }
        tests.removeAll { plan.tests.contains($0) }
        owed = owed.union(plan.rest).subtracting(plan.numbers)
        for number in plan.numbers { asides.remove(number) }
        if plan.takesToken {
            let next = now.advanced(by: options.every)
            let isOfEnds = plan.isOfEnds ?? plan.saysNothingThatLasts
            if isOfEnds { endTokenAt = next } else { tokenAt = next }
        }
        if !alerts.values.contains(where: \.isWaiting) { groupedSince = nil }
    }

    /// Splits a plan into its parts in order: lasting alerts before ended ones, then the worst.
    func parts(of plan: Plan) -> [Plan] {
        let lasting = (plan.raised + plan.reminders).sorted { left, right in
            let (first, second) = (alerts[left]?.raised.severity, alerts[right]?.raised.severity)
            return first == second ? left < right : (first ?? .notice) > (second ?? .notice)
        }
        let over = plan.ended.sorted { ($0.severity, $1.number) > ($1.severity, $0.number) }
        let numbers = plan.tests.map(\.number) + lasting + over.map(\.number)
        return numbers.indices.map { index in
            var part = plan.only(numbers[index])
            part.rest = Set(numbers[(index + 1)...])
            return part
        }
    }

    /// Returns the name of a notice, for people.
    func name(of number: Int64) -> String {
        let key =
            alerts[number]?.raised.key
            ?? ended.first { $0.number == number }?.key
            ?? tests.first { $0.number == number }?.key
        return "the notice" + (key.map { " of \($0.rule) \($0.subject)" } ?? "")
    }

    /// Chooses the next of the notices that were set aside.
    ///
    /// Notices that were never tried by themselves are sent together where the receiver allows it:
    /// the server may have been down.
    ///
    /// - Parameters:
    ///   - all: The plan as if nothing had failed.
    ///   - isQuiet: Whether only critical alerts go.
    /// - Returns: The plan that is due, or the time when one is.
    func aside(
        of all: Plan,
        at now: MonotonicInstant,
        isQuiet: Bool
    ) -> (plan: Plan?, next: MonotonicInstant?) {
        var all = all
        (all.tests, all.takesToken, all.isAside) = (tests, false, true)
        let numbers = Set(all.numbers)
        func isWanted(_ number: Int64) -> Bool {
            let isCall = alerts[number]?.raised.severity == .critical
            return numbers.contains(number) && (!isQuiet || isCall || isTest(number))
        }
        guard let first = asides.first(at: now, where: isWanted) else {
            return (nil, asides.next(where: isWanted))
        }
        let untried = asides.untried.filter { isWanted($0) && !isTest($0) }
        let isTogether = options.isGrouped && untried.contains(first)
        return (all.limited { isTogether ? untried.contains($0) : $0 == first }, nil)
    }

    /// Time since the last notice with only ended alerts; nil where the next need not wait.
    func endAge(at now: MonotonicInstant) -> Duration? {
        endTokenAt > now ? endTokenAt.duration(to: now) + options.every : nil
    }

    /// Highest number up to which all is sent, or is restored by `begin` from the raised alerts.
    var settledNumber: Int64 { ended.map(\.number).min().map { $0 - 1 } ?? lastNumber }

    /// Whether an alert waits that needs no token.
    var hasCall: Bool { alerts.values.contains { $0.isWaiting && mayPass($0) } }

    /// Number of alerts and ends of alerts that wait to be sent.
    var waitingCount: Int { alerts.values.count { $0.isWaiting } + ended.count + tests.count }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
