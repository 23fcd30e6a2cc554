import Core

/// Recent values and averages of one channel, and its rules' results.
struct ChannelMemory: Sendable {
    /// A value that is compared with a limit, as people are shown it.
    struct Measured: Hashable, Sendable {
        let value: Double
        let limit: Double?
    }

    let channel: Channel
    /// The rules for it, by their place in the list.
    let rules: [(index: Int, condition: AlertRule.Condition, unless: Quality)]
    private(set) var lastAttempt: Int?
    /// The end of the newest mean of the past; nil without one.
    private(set) var learnedAt: Int?
    /// Last second with a value, or without one for a reason that is no fault of the sensor.
    private(set) var lastSignAt: Int?
    private(set) var reason: NoData?
    /// Start of the part's warm-up; nil where the warm-up is not why there is no value.
    ///
    /// One that begins anew again and again, without a value in between, has one beginning.
    var warmingSince: Int? { reason == .warmingUp ? warmingFrom : nil }
    private var warmingFrom: Int?
    private(set) var flags: Quality = []
    /// The flags of the last sample when its value is one that no part can give; else empty.
    private var impossible: Quality = []
    private var value: Double?
    private let wants: ChannelAverages.Wants
    private var averages: ChannelAverages
    /// The end of the last whole hour and quarter that were looked at.
    private var hourEnd = Int.min
    private var quarterEnd = Int.min
    /// Results of the hourly rules at `hourEnd`.
    private var hourly: [Int: Double] = [:]
    private var quarterly: (mean: Double, usual: Double, score: Double)?

    /// The part of a time without samples that the next value stands for, where no interval is
    /// known: ten minutes.
    private static let coverMax = 600

    init(_ channel: Channel, _ rules: [AlertRule]) {
        self.channel = channel
        self.rules = rules.enumerated().compactMap { index, rule in
            rule.condition(for: channel).map { (index, $0, rule.unless) }
        }
        var wants = ChannelAverages.Wants()
        for rule in self.rules { wants.add(rule.condition) }
        self.wants = wants
        averages = ChannelAverages(wants, decimals: channel.quantity.decimals)
    }

    /// Past means that `learn` can use.
    var reach: AlertReach { AlertReach(wants) }

    /// Begins its averages anew, for `learn`.
    mutating func forgetAverages() {
        averages = ChannelAverages(wants, decimals: channel.quantity.decimals)
        (hourEnd, quarterEnd, lastAttempt) = (.min, .min, nil)
        (hourly, quarterly) = ([:], nil)
    }

    /// Copies the last attempt from the same channel under the old rules.
    mutating func goOn(from old: ChannelMemory) {
        (lastAttempt, lastSignAt) = (old.lastAttempt, old.lastSignAt)
        (value, flags, reason) = (old.value, old.flags, old.reason)
        warmingFrom = old.warmingFrom
    }

    /// Adds a mean of the past and how many values it lacks, without a finding.
    mutating func learn(_ value: FixedPoint, from: Int, to: Int, omitting count: Int) {
        averages.add(value, from: from, to: to)
        if count > 0 { averages.omit(count, at: to - 1) }
        learnedAt = max(learnedAt ?? to, to)
        lastAttempt = max(lastAttempt ?? to, to)
        let end = to.slot(900) * 900
        guard end > quarterEnd else { return }
        averages.closeQuarter(at: end)
        quarterEnd = end
    }

    /// Adds the outcome of an attempt to measure.
    mutating func append(
        _ outcome: Outcome,
        at now: Int,
        interval: Int?,
        _ hours: AlertHours
    ) {
        impossible = []
        if case .value(_, let quality) = outcome, outcome.isLeftOut {
            // As if it had not come: what was before stands until it is too old.
            averages.omit(1, at: now)
            impossible = quality
            return look(at: now, hours)
        }
        let cap = interval.map { 2 * $0 } ?? Self.coverMax
        let from = max(lastAttempt ?? now - (interval ?? 300), now - cap)
        switch outcome {
        case .value(let measured, let quality):
            averages.add(measured, from: from, to: max(now, from + 1))
            (value, flags, reason) = (measured.doubleValue, quality, nil)
            warmingFrom = nil
        case .noData(let why):
            (value, flags, reason) = (nil, [], why)
            if why == .warmingUp { warmingFrom = warmingFrom ?? now }
        }
        lastAttempt = now
        if reason == nil || !isExpected { lastSignAt = now }
        look(at: now, hours)
    }

    /// Looks at what is complete by now: the last hour, the last quarter.
    private mutating func look(at now: Int, _ hours: AlertHours) {
        let quarter = now.slot(900) * 900
        if quarter > quarterEnd {
            averages.closeQuarter(at: quarter)
            quarterEnd = quarter
            quarterly = nil
            for case (_, .unusual(_, _, let days), _) in rules {
                quarterly = averages.unusual(quarter / 900 - 1, days: days, hours)
            }
        }
        let hour = hours.hour(of: now)
        guard hour > hourEnd else { return }
        hourEnd = hour
        hourly = [:]
        for case (let index, .index(let scale, _, _), _) in rules {
            hourly[index] = Self.concentration(scale, averages, hour)
        }
    }

    private static func concentration(
        _ scale: AirIndex.Scale,
        _ averages: ChannelAverages,
        _ hour: Int
    ) -> Double? {
        switch scale.averaging {
        case .hour: return averages.mean(before: hour, over: 3_600)
        case .day: return averages.mean(before: hour, over: 86_400)
        case .nowCast:
            let hours = averages.hours(before: hour, NowCast.hourCount)
            return NowCast.concentration(of: hours, decimals: scale.decimals ?? 1)
        }
    }

    /// Checks a rule now.
    func finding(
        _ rule: (index: Int, condition: AlertRule.Condition, unless: Quality),
        at now: Int
    ) -> (AlertLife.Finding, Measured?) {
        if reason == .muted { return (.muted, nil) }
        let blind = AlertLife.Finding.blind(reason?.rawValue ?? "too few values")
        let doubts = flags.intersection(rule.unless)
        // A doubt decides nothing either, and one that stays for good must not keep an alert up.
        if !doubts.isEmpty { return (.blind(doubts.names.joined(separator: ", ")), nil) }
        switch rule.condition {
        case .value(let scale):
            guard let value else { return (blind, nil) }
            return Self.place(value, scale)
        case .mean(let over, let scale):
            guard let mean = averages.mean(before: now, over: over) else { return (blind, nil) }
            return Self.place(mean, scale)
        case .index(_, _, let scale):
            guard let value = hourly[rule.index] else { return (blind, nil) }
            return Self.place(value, scale)
        case .rise(let over, let by, let times):
            guard let mean = averages.mean(before: now, over: over),
                let base = averages.mean(before: now - over, over: 3_600)
            else { return (blind, nil) }
            let isReached = mean - base >= by && mean >= times * base
            let isHeld = mean - base >= by / 2
            return (Self.place(isReached, isHeld), Measured(value: mean, limit: base))
        case .unusual(let score, let by, _):
            guard let quarterly else { return (blind, nil) }
            let isReached = quarterly.score >= score && quarterly.mean - quarterly.usual >= by
            let isHeld = quarterly.score >= score / 2
            let measured = Measured(value: quarterly.mean, limit: quarterly.usual)
            return (Self.place(isReached, isHeld), measured)
        case .flagged(let wanted, let orStuck):
            if orStuck, reason == .stuck { return (Self.place(true, true), nil) }
            if !impossible.isDisjoint(with: wanted) { return (Self.place(true, true), nil) }
            guard reason == nil else { return (blind, nil) }
            let isDoubted = !flags.isDisjoint(with: wanted)
            return (Self.place(isDoubted, isDoubted), nil)
        default: return (.undecided, nil)
        }
    }

    private static func place(
        _ value: Double,
        _ scale: AlertScale
    ) -> (AlertLife.Finding, Measured?) {
        (.place(scale.place(of: value)), Measured(value: value, limit: scale.steps[0].limit))
    }

    private static func place(_ isReached: Bool, _ isHeld: Bool) -> AlertLife.Finding {
        .place(AlertScale.Place(reached: isReached ? 1 : 0, held: isHeld || isReached ? 1 : 0))
    }

    /// The part of a rule's time that has values, 0…1; nil where it has none.
    func coverage(of condition: AlertRule.Condition, at now: Int) -> Double? {
        guard let length = condition.averagingSeconds else { return nil }
        return averages.share(before: now, over: length)
    }

    /// How many values of a rule's time no part can give.
    func omitted(of condition: AlertRule.Condition, at now: Int) -> Int {
        condition.averagingSeconds.map { averages.omitted(before: now + 1, over: $0) } ?? 0
    }

    /// Whether it should have values: not where a reason is no fault of the sensor.
    var isExpected: Bool {
        switch reason {
        case .notMeasured, .gated, .stale, .noFix, .muted, .notKept, .outOfRange: false
        default: true
        }
    }
}
