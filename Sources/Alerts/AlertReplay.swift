import Core

/// Applies rules to past samples: counts the episodes and the notices that a receiver would get.
///
/// Pure. Rules about the station itself are left out, as a past has samples alone. Bounds: those of
/// `AlertEngine`, and 16 bytes for each episode.
package struct AlertReplay: Sendable {
    /// Result for one rule.
    package struct Row: Hashable, Sendable {
        package let rule: String
        /// Stretches in which any of its channels was raised.
        package let episodes: Int
        /// Seconds of these.
        package let raisedSeconds: Int
        /// Half of the episodes are shorter.
        package let medianSeconds: Int
        /// The newest of these, oldest first, `AlertReplay.recentMax` at most.
        package let recent: [Range<Int>]
        /// Episodes of each channel.
        package let channels: [String: Int]
        /// Notices of a receiver, by its seconds between two.
        package let notices: [Int: Int]
    }

    /// A receiver that gets one notice in so many seconds; what comes meanwhile waits for the next.
    private struct Limiter {
        let every: Int
        private(set) var count = 0
        private var freeAt = Int.min
        private var isPending = false

        init(every: Int) { self.every = every }

        mutating func record(at now: Int) {
            settle(at: now)
            if now >= freeAt { send(at: now) } else { isPending = true }
        }

        mutating func settle(at now: Int) {
            if isPending, now >= freeAt { send(at: freeAt) }
        }

        private mutating func send(at now: Int) {
            count += 1
            (freeAt, isPending) = (now + every, false)
        }
    }

    private struct Past {
        /// Raised channels, and when each was.
        var open: [String: Int] = [:]
        var channels: [String: Int] = [:]
        var stretches: [Range<Int>] = []
        var openSince: Int?
        var limiters: [Limiter]
    }

    package static let recentMax = 5
    /// Seconds between two notices of receivers, as people choose them.
    package static let intervals = [300, 1_200, 3_600]

    private var engine: AlertEngine
    private var pasts: [String: Past] = [:]
    private var last: Int?
    private var first: Int?

    package init(_ rules: [AlertRule], _ hours: AlertHours = AlertHours()) {
        let ofSamples = rules.filter { rule in
            rule.parts.contains { $0.condition.isOfChannels }
        }
        engine = AlertEngine(ofSamples)
        engine.hours = hours
        for rule in ofSamples {
            let limiters = Self.intervals.map { Limiter(every: $0) }
            pasts[rule.id] = Past(limiters: limiters)
        }
    }

    /// Seconds from the first sample to the last.
    package var length: Int { (last ?? 0) - (first ?? 0) }

    /// Adds the next sample; a time before the last sample's counts as the last sample's.
    package mutating func append(_ sample: [Reading], at second: Int) {
        let now = max(second, last ?? second)
        (first, last) = (first ?? now, now)
        for event in engine.append(sample, at: now) { record(event, at: now) }
    }

    private mutating func record(_ event: AlertEvent, at now: Int) {
        guard let key = event.key, var past = pasts[key.rule] else { return }
        for index in past.limiters.indices { past.limiters[index].record(at: now) }
        switch event {
        case .raised:
            past.open[key.subject] = now
            past.channels[key.subject, default: 0] += 1
            past.openSince = past.openSince ?? now
        case .resolved:
            past.open[key.subject] = nil
            if past.open.isEmpty, let since = past.openSince {
                past.stretches.append(since..<now)
                past.openSince = nil
            }
        default: break
        }
        pasts[key.rule] = past
    }

    /// One row for each rule, in their order; what is raised still ends with the last sample.
    package var rows: [Row] {
        let end = last ?? 0
        return engine.rules.compactMap { rule in
            guard var past = pasts[rule.id] else { return nil }
            if let since = past.openSince { past.stretches.append(since..<end) }
            for index in past.limiters.indices { past.limiters[index].settle(at: end) }
            let sorted = past.stretches.map(\.count).sorted()
            return Row(
                rule: rule.id,
                episodes: sorted.count,
                raisedSeconds: sorted.reduce(0, +),
                medianSeconds: sorted.isEmpty ? 0 : sorted[sorted.count / 2],
                recent: past.stretches.suffix(Self.recentMax),
                channels: past.channels,
                notices: Dictionary(past.limiters.map { ($0.every, $0.count) }) { $1 }
            )
        }
    }
}
