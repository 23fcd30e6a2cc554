import Core

/// Alerts of an engine with their numbers, silences and bounds.
///
/// It applies the results of checks and decides which of them become events.
struct AlertStates: Sendable {
    /// Result of one check of a condition.
    struct Judgement: Sendable {
        let rule: Int
        let condition: AlertRule.Condition
        var finding: AlertLife.Finding
        var measured: ChannelMemory.Measured?
        var unit: String?
        var decimals = 1
        var flags: Quality = []
        /// Values of its time that no part can give.
        var omitted = 0
        var why: String?

        init(_ rule: Int, _ condition: AlertRule.Condition, _ finding: AlertLife.Finding) {
            (self.rule, self.condition, self.finding) = (rule, condition, finding)
        }

        /// Result for a condition without a scale, which holds or does not.
        init(_ rule: Int, _ condition: AlertRule.Condition, _ holds: Bool, why: String?) {
            let step = holds ? 1 : 0
            self.init(rule, condition, .place(AlertScale.Place(reached: step, held: step)))
            self.why = why
        }
    }

    var rules: [AlertRule]
    private(set) var tracks: [AlertEvent.Key: AlertTrack] = [:]
    private(set) var silences: [AlertEvent.Key: Int] = [:]
    private(set) var number: Int64 = 0
    private(set) var leftOut: Set<AlertEvent.Key> = []
    /// Alerts that would be raised, were there not `AlertBounds.raisedLimit` already.
    private var crowdedOut: Set<AlertEvent.Key> = []
    /// The newest test.
    private var lastTest: (test: Test, second: Int)?

    private struct Test: Hashable {
        let rule: String
        let asked: FixedPoint?
        let receiver: String?
    }

    init(_ rules: [AlertRule]) { self.rules = rules }

    static func order(_ left: AlertEvent.Key, _ right: AlertEvent.Key) -> Bool {
        (left.rule, left.subject) < (right.rule, right.subject)
    }

    /// Raised alerts, ordered by their numbers.
    var raised: [AlertTrack] {
        tracks.values.filter { $0.life.level > 0 }.sorted { $0.raise < $1.raise }
    }

    func timing(of track: AlertTrack) -> AlertLife.Timing {
        guard rules.indices.contains(track.rule), track.key != AlertBounds.many else {
            return AlertLife.Timing(for: 0, until: 0)
        }
        let rule = rules[track.rule]
        return AlertLife.Timing(for: rule.forSeconds, until: rule.untilSeconds)
    }

    func severity(of track: AlertTrack) -> AlertSeverity {
        guard rules.indices.contains(track.rule), track.key != AlertBounds.many else {
            return .critical
        }
        let rule = rules[track.rule]
        guard let condition = track.condition ?? rule.parts.first?.condition else {
            return rule.severity
        }
        return rule.severity(of: track.life.level, condition)
    }

    // MARK: Judgements

    /// Applies the result of one check of a condition.
    mutating func settle(
        _ key: AlertEvent.Key,
        _ judgement: Judgement,
        at now: Int
    ) -> [AlertEvent] {
        guard tracks[key] != nil || tracks.count < AlertBounds.keyLimit else {
            leftOut.insert(key)
            return []
        }
        var track = tracks[key] ?? AlertTrack(key, rule: judgement.rule)
        track.rule = judgement.rule
        track.condition = judgement.condition
        track.last = judgement.finding
        (track.value, track.limit) = (judgement.measured?.value, judgement.measured?.limit)
        (track.unit, track.decimals) = (judgement.unit, judgement.decimals)
        (track.flags, track.why) = (judgement.flags, judgement.why)
        track.omitted = judgement.omitted
        tracks[key] = track
        return settle(key, at: now, as: judgement.finding)
    }

    /// Looks at an alert again with a finding that its condition had before, or with a new one.
    mutating func settle(
        _ key: AlertEvent.Key,
        at now: Int,
        as finding: AlertLife.Finding
    ) -> [AlertEvent] {
        guard var track = tracks[key] else { return [] }
        track.hiddenBy = hider(of: track, finding)
        let isCrowded =
            tracks.values.lazy.filter { $0.life.level > 0 }.count
            >= AlertBounds.raisedLimit && key != AlertBounds.many
        let mayRaise = track.hiddenBy == nil && !isCrowded
        let timing = timing(of: track)
        let change = track.life.apply(finding, at: now, timing, mayRaise: mayRaise)
        if track.life.level > 0 {
            track.recordWorst(track.value, isFloor: track.condition?.scale?.isFloor ?? false)
        }
        tracks[key] = track
        var events: [AlertEvent] = []
        if let change { events.append(event(change, key, now)) }
        let isWaiting =
            isCrowded && track.hiddenBy == nil && track.life.phase == .pending
            && track.life.pendingSince.map { now - $0 >= timing.forSeconds } ?? false
        if isWaiting { crowdedOut.insert(key) } else { crowdedOut.remove(key) }
        return events + settleMany(at: now)
    }

    /// One alert for all those that are beyond the bound.
    private mutating func settleMany(at now: Int) -> [AlertEvent] {
        let key = AlertBounds.many
        let isMany = !crowdedOut.isEmpty
        guard isMany != (tracks[key]?.life.level ?? 0 > 0) else { return [] }
        var track = tracks[key] ?? AlertTrack(key, rule: 0)
        track.why = "\(AlertBounds.raisedLimit) alerts are raised, and more wait"
        let step = isMany ? 1 : 0
        let place = AlertScale.Place(reached: step, held: step)
        let change = track.life.apply(.place(place), at: now, timing(of: track), mayRaise: true)
        tracks[key] = track
        return change.map { [event($0, key, now)] } ?? []
    }

    /// Key of the raised alert that keeps this one from being raised; nil without one.
    ///
    /// A more severe one of the same channel, and for silence a store in trouble: the node is what
    /// has to be looked at first.
    private func hider(of track: AlertTrack, _ finding: AlertLife.Finding) -> String? {
        guard track.life.level == 0, case .place(let place) = finding, place.reached > 0,
            let condition = track.condition, rules.indices.contains(track.rule)
        else { return nil }
        let own = rules[track.rule].severity(of: place.reached, condition)
        let found = tracks.values.filter { other in
            guard other.life.level > 0, let otherCondition = other.condition else { return false }
            if case .silent = condition, case .trouble(.store) = otherCondition { return true }
            return condition.scale != nil && otherCondition.scale != nil
                && other.key.subject == track.key.subject && own < severity(of: other)
        }
        return found.map(\.key).min(by: Self.order)?.description
    }

    private mutating func event(
        _ change: AlertLife.Change,
        _ key: AlertEvent.Key,
        _ now: Int
    ) -> AlertEvent {
        number += 1
        guard var track = tracks[key] else { preconditionFailure("a change without an alert") }
        defer { tracks[key] = track }
        switch change {
        case .raised(let level, let held):
            track.raise = number
            track.worst = track.value
            return .raised(raised(track, level, held, now))
        case .level(let level, let was):
            return .level(
                .init(
                    number: number,
                    raise: track.raise,
                    key: key,
                    level: level,
                    was: was,
                    severity: severity(of: track),
                    value: track.shown(track.value)
                )
            )
        case .resolved(let why, let lasted):
            var before = track
            before.life.restore(level: 1, raisedAt: 0, acknowledgedUntil: nil, unknownSince: 0)
            return .resolved(
                .init(
                    number: number,
                    raise: track.raise,
                    key: key,
                    why: why,
                    lasted: lasted,
                    worst: track.shown(track.worst),
                    severity: severity(of: before)
                )
            )
        }
    }

    private func raised(
        _ track: AlertTrack,
        _ level: Int,
        _ held: Int,
        _ now: Int
    ) -> AlertEvent.Raised {
        var raised = AlertEvent.Raised(number, track.key)
        raised.level = level
        raised.severity = severity(of: track)
        raised.kind = track.condition?.kind ?? track.key.rule
        raised.value = track.shown(track.value)
        raised.unit = track.value == nil ? nil : track.unit
        let step = track.condition?.scale?.steps[level - 1].limit
        raised.limit = track.shown(step ?? track.limit)
        raised.over = track.condition?.averagingSeconds
        raised.held = held
        raised.flags = track.doubts
        if let until = silences[track.key], now < until { raised.flags.append("silenced") }
        raised.why = track.why
        return raised
    }

    /// Ends an alert whose rule or channel is gone.
    mutating func end(
        _ key: AlertEvent.Key,
        _ why: AlertEvent.Resolved.Reason,
        at now: Int
    ) -> [AlertEvent] {
        guard tracks[key]?.life.level ?? 0 > 0, let change = tracks[key]?.life.resolve(why, now)
        else { return [] }
        crowdedOut.remove(key)
        return [event(change, key, now)]
    }

    /// Ends and forgets the alerts of a device and its channels.
    mutating func remove(_ device: String, at now: Int) -> [AlertEvent] {
        let keys = tracks.keys.filter {
            $0.subject == device || $0.subject.hasPrefix("\(device)/")
        }
        var events: [AlertEvent] = []
        for key in keys.sorted(by: Self.order) {
            events += end(key, .deviceRemoved, at: now)
            tracks[key] = nil
            crowdedOut.remove(key)
        }
        return events + settleMany(at: now)
    }

    mutating func dropSilences(before now: Int) { silences = silences.filter { now < $0.value } }

    // MARK: People

    mutating func acknowledge(
        _ raise: Int64,
        by: String,
        for seconds: Int?,
        at now: Int
    ) -> AlertEvent? {
        guard let key = raised.first(where: { $0.raise == raise })?.key else { return nil }
        tracks[key]?.life.acknowledge(until: seconds.map { now + $0 })
        number += 1
        return .acknowledged(.init(number, of: raise, key, by: by, for: seconds))
    }

    mutating func silence(
        _ key: AlertEvent.Key,
        for seconds: Int,
        by: String,
        at now: Int
    ) -> AlertEvent? {
        dropSilences(before: now)
        let isNew = silences[key] == nil
        if seconds > 0, isNew, silences.count >= AlertBounds.silenceLimit { return nil }
        silences[key] = seconds > 0 ? now + seconds : nil
        return .silenced(.init(key, for: seconds, by: by))
    }

    mutating func test(
        _ id: String,
        value: FixedPoint?,
        asked: FixedPoint?,
        to receiver: String?,
        at now: Int
    ) -> AlertEvent? {
        guard let rule = rules.first(where: { $0.id == id }), let part = rule.parts.first else {
            return nil
        }
        let test = Test(rule: id, asked: asked, receiver: receiver)
        let (last, second) = (lastTest?.test, lastTest?.second ?? 0)
        if last == test, now - second < AlertBounds.testSeconds { return nil }
        lastTest = (test, now)
        let condition = part.condition
        number += 1
        var raised = AlertEvent.Raised(number, AlertEvent.Key(id, "test"))
        raised.kind = condition.kind
        raised.value = value
        let reached = value.flatMap { condition.scale?.place(of: $0.doubleValue).reached } ?? 1
        raised.level = max(1, reached)
        raised.severity = rule.severity(of: raised.level, condition)
        if let scale = condition.scale {
            let step = scale.steps[raised.level - 1].limit
            raised.limit = FixedPoint(Int64((step * 10).rounded()), decimals: 1)
            raised.unit = part.pattern.contains("pm") ? Quantity.pm25.unit : nil
        }
        raised.over = condition.averagingSeconds
        raised.flags = ["test"] + (receiver.map { [AlertEvent.Raised.receiverMark + $0] } ?? [])
        return .raised(raised)
    }

    // MARK: Other processes, other rules

    func standing(at now: Int) -> [AlertEvent] {
        let entries = raised.map { track in
            AlertEvent.Standing.Entry(
                raise: track.raise,
                key: track.key,
                level: track.life.level,
                age: now - track.life.raisedAt,
                worst: track.shown(track.worst),
                acknowledged: track.life.acknowledgedUntil.map { $0 == .max ? .max : $0 - now }
            )
        }
        let silenced = silences.filter { now < $0.value }
            .sorted { Self.order($0.key, $1.key) }
            .map { AlertEvent.Standing.Silence($0.key, $0.value - now) }
        return AlertEvent.Standing.events(number: number, entries, silenced).map { .standing($0) }
    }

    mutating func restore(
        _ past: RestoredAlerts,
        unknownSince since: [AlertEvent.Key: Int],
        at now: Int
    ) -> [AlertEvent] {
        number = max(number, past.number)
        silences.merge(past.silences.filter { now < $0.value }) { $1 }
        var events: [AlertEvent] = []
        for (key, raised) in past.raised.sorted(by: { Self.order($0.key, $1.key) }) {
            let rule = rules.firstIndex { $0.id == key.rule }
            var track = tracks[key] ?? AlertTrack(key, rule: rule ?? 0)
            guard track.life.level == 0 else { continue }
            track.life.restore(
                level: raised.level,
                raisedAt: raised.raisedAt,
                acknowledgedUntil: raised.acknowledgedUntil,
                unknownSince: since[key] ?? now
            )
            track.raise = raised.raise
            track.worst = raised.worst?.doubleValue
            tracks[key] = track
            if rule == nil, key != AlertBounds.many {
                events += end(key, .ruleRemoved, at: now)
                tracks[key] = nil
            }
        }
        return events
    }

    /// Dates what is raised anew, and ends what is unknown for too long by that.
    mutating func redate(_ past: RestoredAlerts, at now: Int) -> [AlertEvent] {
        let since = min(now, max(past.lastAt ?? now, past.floor))
        var events: [AlertEvent] = []
        for (key, raised) in past.raised.sorted(by: { Self.order($0.key, $1.key) })
        where tracks[key]?.raise == raised.raise {
            let isMean = tracks[key]?.condition?.averagingSeconds != nil
            tracks[key]?.life.redate(
                raisedAt: raised.raisedAt,
                unknownSince: since,
                isMean: isMean
            )
            guard let blind = tracks[key]?.life.blind else { continue }
            events += settle(key, at: now, as: .blind(blind.why))
        }
        return events
    }

    mutating func use(_ next: [AlertRule], at now: Int) -> [AlertEvent] {
        var events: [AlertEvent] = []
        let before = rules
        for key in tracks.keys.sorted(by: Self.order) where key != AlertBounds.many {
            let former = before.first { $0.id == key.rule }
            guard let index = next.firstIndex(where: { $0.id == key.rule }),
                next[index].isAbout(key.subject, as: former)
            else {
                events += end(key, .ruleRemoved, at: now)
                tracks[key] = nil
                continue
            }
            tracks[key]?.rule = index
            guard former != next[index] else { continue }
            if tracks[key]?.life.level == 0 { tracks[key] = nil }
            tracks[key]?.condition = nil
        }
        (rules, leftOut, crowdedOut) = (next, [], [])
        return events + settleMany(at: now)
    }
}
