import Core

/// The alerts of a station: takes samples, events and reports, and returns what happened.
///
/// Pure. Times are whole seconds on a timeline that never goes back within one book; `hours` says
/// where the hours of wall clocks lie on it. Bounds: those of `AlertBounds`;
/// what is beyond shows in `leftOut` and as the alert `many`.
package struct AlertEngine: Sendable {
    /// Without a known interval a channel is blind after this time without an attempt.
    private static let attemptMax = 3_600

    private var register: AlertStates
    private var channels: [Channel: ChannelMemory] = [:]
    private var devices: [String: AlertDevice] = [:]
    private var counts = AlertCounts()
    /// Hours of the wall clock on the timeline.
    package var hours = AlertHours()

    package init(_ rules: [AlertRule]) { register = AlertStates(rules) }

    package var rules: [AlertRule] { register.rules }
    /// Every alert that is looked at, raised or not.
    package var tracks: [AlertTrack] {
        register.tracks.values.sorted { AlertStates.order($0.key, $1.key) }
    }
    /// Raised alerts, ordered by their numbers.
    package var raised: [AlertTrack] { register.raised }
    /// Silenced keys, each with the end of its silence.
    package var silences: [AlertEvent.Key: Int] { register.silences }
    /// The last number that was given to a notice.
    package var number: Int64 { register.number }
    /// Alerts for which there is no place.
    package var leftOut: Set<AlertEvent.Key> { register.leftOut }

    package func severity(of track: AlertTrack) -> AlertSeverity { register.severity(of: track) }

    /// The part of its rule's time that has values, 0…1; nil where the rule has none.
    package func coverage(of track: AlertTrack, at now: Int) -> Double? {
        guard let condition = track.condition else { return nil }
        return memory(of: track.key)?.coverage(of: condition, at: now)
    }

    // MARK: What comes

    /// Sets how often a device measures, and how long it warms up before that, in seconds.
    package mutating func expect(
        _ device: String,
        every interval: Int,
        warmUp: Int = 0,
        at now: Int
    ) {
        if devices[device] == nil { devices[device] = AlertDevice(expectedSince: now) }
        devices[device]?.warmUp = warmUp
        guard devices[device]?.interval != interval else { return }
        devices[device]?.interval = interval
        devices[device]?.expectedSince = now
    }

    /// Forgets a device that was removed, and ends what is raised of it.
    package mutating func remove(_ device: String, at now: Int) -> [AlertEvent] {
        for channel in devices[device]?.channels ?? [] { channels[channel] = nil }
        devices[device] = nil
        return register.remove(device, at: now)
    }

    /// Adds a mean of the past, oldest first, and how many values are left out of it.
    package mutating func learn(
        _ channel: Channel,
        _ mean: FixedPoint,
        from: Int,
        to: Int,
        omitting count: Int = 0
    ) {
        guard remember(channel, at: to) else { return }
        channels[channel]?.learn(mean, from: from, to: to, omitting: count)
    }

    /// Past means of a channel that its rules can use; nil where no rule applies to it.
    package func reach(of channel: Channel) -> AlertReach? {
        let memory = channels[channel] ?? ChannelMemory(channel, rules)
        return memory.rules.isEmpty ? nil : memory.reach
    }

    /// Begins the averages of every channel anew, for `learn`; alerts go on.
    package mutating func forgetAverages() {
        for channel in channels.keys { channels[channel]?.forgetAverages() }
    }

    /// Adds a sample without a check of the rules: alerts of earlier processes are not known yet.
    package mutating func remember(_ sample: [Reading], at now: Int) {
        for reading in sample where remember(reading.channel, at: now) {
            let interval = devices[reading.channel.device]?.interval
            channels[reading.channel]?.append(reading.outcome, at: now, interval: interval, hours)
        }
    }

    /// Adds the readings of one sample and checks the rules.
    package mutating func append(_ sample: [Reading], at now: Int) -> [AlertEvent] {
        var events: [AlertEvent] = []
        for reading in sample where remember(reading.channel, at: now) {
            let interval = devices[reading.channel.device]?.interval
            channels[reading.channel]?.append(reading.outcome, at: now, interval: interval, hours)
            events += evaluate(reading.channel, at: now)
        }
        if let device = sample.first?.channel.device {
            recordUnplugged(device, sample, at: now)
            events += judgeSilence(of: device, at: now)
        }
        return events
    }

    /// Records since when a device is away; until it has a value again it may still warm up.
    private mutating func recordUnplugged(_ device: String, _ sample: [Reading], at now: Int) {
        if sample.contains(where: { $0.outcome == .noData(.unplugged) }) {
            let since = devices[device]?.unpluggedSince
            devices[device]?.unpluggedSince = since ?? now
        } else if sample.contains(where: { $0.outcome.value != nil }) {
            devices[device]?.unpluggedSince = nil
        }
    }

    /// Counts an event for the rules about such events.
    package mutating func apply(_ event: Event, at now: Int) -> [AlertEvent] {
        counts.count(event, rules, at: now) ? judgeCounts(at: now) : []
    }

    /// Applies a report.
    package mutating func apply(_ report: AlertReport, at now: Int) -> [AlertEvent] {
        var events: [AlertEvent] = []
        for (index, rule) in rules.enumerated() {
            for condition in rule.parts.map(\.condition) {
                switch (condition, report) {
                case (.trouble(let wanted), .trouble(let topic, let subject, let words)):
                    guard wanted == topic else { continue }
                    events += register.settle(
                        AlertEvent.Key(rule.id, subject),
                        AlertStates.Judgement(index, condition, words != nil, why: words),
                        at: now
                    )
                case (.laser(let percent, let days), .laser(let device, let used, let left)):
                    let isWorn = used >= percent || left.map { $0 <= days } ?? false
                    var judgement = AlertStates.Judgement(index, condition, isWorn, why: nil)
                    judgement.measured = ChannelMemory.Measured(value: used, limit: percent)
                    (judgement.unit, judgement.decimals) = ("%", 0)
                    let key = AlertEvent.Key(rule.id, device)
                    events += register.settle(key, judgement, at: now)
                default: break
                }
            }
        }
        return events
    }

    /// Applies changes that are due by time, without a new sample or report.
    package mutating func advance(to now: Int) -> [AlertEvent] {
        var events: [AlertEvent] = []
        register.dropSilences(before: now)
        for device in devices.keys.sorted() { events += judgeSilence(of: device, at: now) }
        for track in tracks where track.key != AlertBounds.many {
            guard let condition = track.condition else {
                // Raised by an earlier process, and no sample or report came since.
                events += register.settle(track.key, at: now, as: .blind("no samples"))
                continue
            }
            switch condition {
            case .trouble, .laser: events += register.settle(track.key, at: now, as: track.last)
            case .silent, .event: break
            default:
                if let memory = memory(of: track.key), now >= attemptEnd(memory) {
                    events += register.settle(track.key, at: now, as: .blind("no samples"))
                }
            }
        }
        return events + judgeCounts(at: now)
    }

    /// When `advance` is needed next, if no sample comes before; nil for never.
    package var deadline: Int? {
        var times = register.tracks.values.compactMap(deadline)
        if let intervals = silentRule?.intervals {
            for device in devices.values {
                guard let interval = device.interval else { continue }
                times += device.channels.compactMap { channels[$0] }.filter(\.isExpected).map {
                    device.silenceEnd(of: $0, patience: intervals * interval + 1)
                }
                .filter { end in !isJudgedSilent(device, end) }
            }
        }
        times += counts.deadlines(rules)
        return times.min()
    }

    private func isJudgedSilent(_ device: AlertDevice, _ end: Int) -> Bool {
        guard let name = device.channels.first?.device, let rule = silentRule else { return false }
        let key = AlertEvent.Key(rules[rule.index].id, name)
        return register.tracks[key]?.life.level ?? 0 > 0
    }

    private func deadline(of track: AlertTrack) -> Int? {
        let time = track.life.deadline(register.timing(of: track))
        guard let condition = track.condition else { return time ?? track.life.raisedAt }
        guard condition.isOfChannels else { return time }
        guard track.life.phase != .quiet, let memory = memory(of: track.key) else { return nil }
        return track.life.blind != nil ? time : attemptEnd(memory)
    }

    // MARK: Judging

    /// Makes room for a channel that a rule is for.
    ///
    /// - Returns: false when no rule is, and at the bound.
    private mutating func remember(_ channel: Channel, at now: Int) -> Bool {
        if channels[channel] != nil { return true }
        let memory = ChannelMemory(channel, rules)
        let isSilenceWatched = devices[channel.device]?.interval != nil && silentRule != nil
        guard channels.count < AlertBounds.channelLimit, !memory.rules.isEmpty || isSilenceWatched
        else {
            return false
        }
        channels[channel] = memory
        if devices[channel.device] == nil {
            devices[channel.device] = AlertDevice(expectedSince: now)
        }
        devices[channel.device]?.channels.append(channel)
        return true
    }

    private func memory(of key: AlertEvent.Key) -> ChannelMemory? {
        let parts = key.subject.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let known = devices[String(parts[0])]?.channels ?? []
        return known.first { "\($0)" == key.subject }.flatMap { channels[$0] }
    }

    private func attemptEnd(_ memory: ChannelMemory) -> Int {
        let interval = devices[memory.channel.device]?.interval
        let patience = interval.map { max(60, 3 * $0 + 1) } ?? Self.attemptMax
        return (memory.lastAttempt ?? 0) + patience
    }

    private mutating func evaluate(_ channel: Channel, at now: Int) -> [AlertEvent] {
        guard let memory = channels[channel] else { return [] }
        var events: [AlertEvent] = []
        for rule in memory.rules {
            let (finding, measured) = memory.finding(rule, at: now)
            var judgement = AlertStates.Judgement(rule.index, rule.condition, finding)
            judgement.measured = measured
            judgement.unit = channel.quantity.unit
            judgement.decimals = channel.quantity.decimals
            judgement.flags = memory.flags
            judgement.omitted = memory.omitted(of: rule.condition, at: now)
            let key = AlertEvent.Key(rules[rule.index].id, "\(channel)")
            events += register.settle(key, judgement, at: now)
        }
        return events
    }

    private var silentRule: (index: Int, condition: AlertRule.Condition, intervals: Int)? {
        for (index, rule) in rules.enumerated() {
            if case .silent(let intervals)? = rule.parts.first?.condition {
                return (index, rule.parts[0].condition, intervals)
            }
        }
        return nil
    }

    /// One alert for a device all of whose channels are silent, else one for each that is.
    private mutating func judgeSilence(of name: String, at now: Int) -> [AlertEvent] {
        guard let rule = silentRule, let device = devices[name], let interval = device.interval
        else { return [] }
        let memories = device.channels.compactMap { channels[$0] }
        guard !memories.isEmpty else { return [] }
        let patience = rule.intervals * interval + 1
        let isSilent = memories.map { memory in
            memory.isExpected && now >= device.silenceEnd(of: memory, patience: patience)
        }
        let expected = memories.filter(\.isExpected).count
        let count = isSilent.filter(\.self).count
        let isWhole = count > 0 && count == expected
        func judgement(_ holds: Bool, _ memory: ChannelMemory) -> AlertStates.Judgement {
            let why = memory.reason?.rawValue ?? "no samples"
            return AlertStates.Judgement(rule.index, rule.condition, holds, why: why)
        }
        let id = rules[rule.index].id
        var events = register.settle(
            AlertEvent.Key(id, name),
            expected == 0
                ? AlertStates.Judgement(rule.index, rule.condition, .muted)
                : judgement(isWhole, memories[0]),
            at: now
        )
        for (memory, silent) in zip(memories, isSilent) {
            let key = AlertEvent.Key(id, "\(memory.channel)")
            // Create no entry for a channel that is silent only together with its device.
            guard silent && !isWhole || register.tracks[key] != nil else { continue }
            events += register.settle(key, judgement(silent && !isWhole, memory), at: now)
        }
        return events
    }

    private mutating func judgeCounts(at now: Int) -> [AlertEvent] {
        var events: [AlertEvent] = []
        for found in counts.findings(rules, at: now) {
            let condition = rules[found.rule].parts[0].condition
            let key = AlertEvent.Key(rules[found.rule].id, found.source)
            let judgement = AlertStates.Judgement(found.rule, condition, found.holds, why: nil)
            events += register.settle(key, judgement, at: now)
        }
        return events
    }
}

// MARK: - People, other processes, other rules

extension AlertEngine {
    /// Marks an alert as known to a person.
    ///
    /// - Returns: nil when no alert has this number.
    package mutating func acknowledge(
        _ raise: Int64,
        by: String,
        for seconds: Int?,
        at now: Int
    ) -> AlertEvent? {
        register.acknowledge(raise, by: by, for: seconds, at: now)
    }

    /// Marks a key as silenced for so many seconds, 0 to end it.
    ///
    /// - Returns: nil at the bound.
    package mutating func silence(
        _ key: AlertEvent.Key,
        for seconds: Int,
        by: String,
        at now: Int
    ) -> AlertEvent? {
        register.silence(key, for: seconds, by: by, at: now)
    }

    /// A notice that tries the way to the receivers.
    ///
    /// - Parameters:
    ///   - value: Measured value that the notice shows.
    ///   - asked: The one that a person gave; nil for the last one.
    ///   - receiver: The only one that gets it; nil for all.
    /// - Returns: nil without such a rule, and for the same test within `AlertBounds.testSeconds`.
    package mutating func test(
        _ rule: String,
        value: FixedPoint?,
        asked: FixedPoint?,
        to receiver: String? = nil,
        at now: Int
    ) -> AlertEvent? {
        register.test(rule, value: value, asked: asked, to: receiver, at: now)
    }

    /// Restores the alerts of earlier processes.
    ///
    /// None of it is known to hold before a new value or report confirms it.
    package mutating func restore(_ past: RestoredAlerts, at now: Int) -> [AlertEvent] {
        register.restore(past, unknownSince: lastSigns(past, at: now), at: now)
    }

    /// Corrects the times of earlier processes' alerts, once a sure clock dates their boots.
    package mutating func redate(_ past: RestoredAlerts, at now: Int) -> [AlertEvent] {
        register.redate(past, at: now)
    }

    private func lastSigns(_ past: RestoredAlerts, at now: Int) -> [AlertEvent.Key: Int] {
        past.raised.reduce(into: [:]) { signs, entry in
            let learned = memory(of: entry.key)?.learnedAt ?? past.lastAt ?? now
            signs[entry.key] = min(now, max(learned, past.floor))
        }
    }

    /// Events that list all raised alerts and silences, for the next process.
    package func standing(at now: Int) -> [AlertEvent] { register.standing(at: now) }

    /// Goes on with other rules: alerts of rules that stay keep their lives.
    ///
    /// Averages begin anew; `learn` fills them. The last sign of each channel stays known: a
    /// sensor that measures does not become silent by another rule.
    package mutating func use(_ rules: [AlertRule], at now: Int) -> [AlertEvent] {
        let (old, names) = (channels, devices.keys.sorted())
        (channels, counts) = ([:], counts.kept(from: self.rules, to: rules))
        let events = register.use(rules, at: now)
        for name in names {
            let known = devices[name]?.channels ?? []
            devices[name]?.channels = []
            for channel in known where remember(channel, at: now) {
                if let memory = old[channel] { channels[channel]?.goOn(from: memory) }
            }
        }
        return events
    }
}
