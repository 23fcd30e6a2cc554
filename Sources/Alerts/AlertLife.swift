import Core

/// The life of one alert: quiet, pending, raised, easing, quiet; beside it blind and acknowledged.
///
/// Times are seconds on the timeline of the book that it belongs to.
package struct AlertLife: Hashable, Sendable {
    /// Result of one check of a condition.
    package enum Finding: Hashable, Sendable {
        case place(AlertScale.Place)
        /// A value that neither raises nor ends anything.
        case undecided
        /// There is no value.
        case blind(String)
        case muted
    }

    /// Change of the alert's state.
    package enum Change: Hashable, Sendable {
        case raised(level: Int, held: Int)
        case level(Int, was: Int)
        case resolved(AlertEvent.Resolved.Reason, lasted: Int)
    }

    package enum Phase: String, Sendable {
        case quiet, pending, raised, easing
    }

    /// Rules for the times of an alert, in seconds.
    package struct Timing: Hashable, Sendable {
        package let forSeconds: Int
        package let untilSeconds: Int
        /// Raises within `flapSpan` that make it one that keeps coming and going.
        static let flapCount = 4
        static let flapSpan = 6 * 3_600
        /// Seconds for which a flapping alert must be quiet before it ends.
        static let flapQuiet = 3_600
        /// After so long without a value an alert is over.
        static let blindMax = 86_400

        package init(for forSeconds: Int, until untilSeconds: Int) {
            (self.forSeconds, self.untilSeconds) = (forSeconds, untilSeconds)
        }
    }

    /// 0 while it is not raised.
    package private(set) var level = 0
    package private(set) var raisedAt = 0
    private(set) var isFlapping = false
    package private(set) var blind: (since: Int, why: String)?
    /// Until when it is acknowledged: `Int.max` until it is resolved or reaches a higher level.
    package private(set) var acknowledgedUntil: Int?
    // For each step: since when it is reached, and since when it is ended.
    private var reachedSince: [Int?] = [nil, nil]
    private var endedSince: [Int?] = [nil, nil]
    /// Times of the last raises, `Timing.flapCount` at most.
    private var raises: [Int] = []

    package init() {}

    package static func == (left: AlertLife, right: AlertLife) -> Bool {
        left.level == right.level && left.raisedAt == right.raisedAt
            && left.reachedSince == right.reachedSince && left.endedSince == right.endedSince
            && left.raises == right.raises && left.isFlapping == right.isFlapping
            && left.blind?.since == right.blind?.since
            && left.acknowledgedUntil == right.acknowledgedUntil
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(level)
        hasher.combine(raisedAt)
        hasher.combine(reachedSince)
        hasher.combine(endedSince)
    }

    package var phase: Phase {
        if level > 0 { return endedSince[level - 1] == nil ? .raised : .easing }
        return reachedSince[0] == nil ? .quiet : .pending
    }

    /// Since when the condition holds, before it is raised.
    package var pendingSince: Int? { level == 0 ? reachedSince[0] : nil }

    package func isAcknowledged(at now: Int) -> Bool {
        level > 0 && acknowledgedUntil.map { now < $0 } ?? false
    }

    /// Applies the result of a check.
    ///
    /// - Parameters:
    ///   - finding: Result of the present check.
    ///   - now: The time; it never goes back.
    ///   - timing: How long a condition and its end have to hold.
    ///   - mayRaise: false while something else hides it: it stays pending.
    /// - Returns: The change that follows, if any.
    package mutating func apply(
        _ finding: Finding,
        at now: Int,
        _ timing: Timing,
        mayRaise: Bool
    ) -> Change? {
        // Too long without a value: a new one may raise another, and does not confirm this one.
        if level > 0, finding != .muted, let since = blind?.since, now - since >= Timing.blindMax {
            forgetStretches()
            return resolve(.noData, now)
        }
        switch finding {
        case .muted:
            forgetStretches()
            return level > 0 ? resolve(.muted, now) : nil
        case .blind(let why):
            forgetStretches()
            guard level > 0 else { return nil }
            blind = (blind?.since ?? now, why)
            return nil
        case .undecided:
            blind = nil
            forgetStretches()
            return nil
        case .place(let place):
            blind = nil
            record(place, now)
            return change(at: now, timing, mayRaise)
        }
    }

    private mutating func record(_ place: AlertScale.Place, _ now: Int) {
        for step in 1...2 {
            let isReached = place.reached >= step
            reachedSince[step - 1] = isReached ? reachedSince[step - 1] ?? now : nil
            let isEnded = place.held < step
            endedSince[step - 1] = isEnded ? endedSince[step - 1] ?? now : nil
        }
    }

    private mutating func change(at now: Int, _ timing: Timing, _ mayRaise: Bool) -> Change? {
        for step in [2, 1] where step > level {
            guard let since = reachedSince[step - 1], now - since >= timing.forSeconds else {
                continue
            }
            if level == 0 {
                guard mayRaise else { continue }
                begin(at: now)
                level = step
                return .raised(level: step, held: now - since)
            }
            let was = level
            level = step
            acknowledgedUntil = nil
            return .level(step, was: was)
        }
        guard level > 0 else { return nil }
        let until = isFlapping ? max(timing.untilSeconds, Timing.flapQuiet) : timing.untilSeconds
        var left = level
        while left > 0, let since = endedSince[left - 1], now - since >= until { left -= 1 }
        guard left < level else { return nil }
        if left == 0 { return resolve(.over, now) }
        let was = level
        level = left
        return .level(left, was: was)
    }

    private mutating func begin(at now: Int) {
        raises.removeAll { now - $0 >= Timing.flapSpan }
        raises.append(now)
        if raises.count > Timing.flapCount { raises.removeFirst() }
        isFlapping = raises.count == Timing.flapCount
        raisedAt = now
        acknowledgedUntil = nil
    }

    /// Ends it: the condition, its rule or its channel is gone.
    package mutating func resolve(_ why: AlertEvent.Resolved.Reason, _ now: Int) -> Change {
        let lasted = now - raisedAt
        level = 0
        blind = nil
        acknowledgedUntil = nil
        if isFlapping {
            isFlapping = false
            raises = []
        }
        return .resolved(why, lasted: lasted)
    }

    private mutating func forgetStretches() {
        reachedSince = [nil, nil]
        endedSince = [nil, nil]
    }

    package mutating func acknowledge(until: Int?) { acknowledgedUntil = until ?? .max }

    /// Raised already, by an earlier process, and not looked at since that had its last value.
    package mutating func restore(
        level: Int,
        raisedAt: Int,
        acknowledgedUntil: Int?,
        unknownSince since: Int
    ) {
        self.level = min(max(level, 1), 2)
        self.raisedAt = raisedAt
        self.acknowledgedUntil = acknowledgedUntil
        blind = (since, "no samples")
    }

    /// Corrects when it was raised, and since when it is unknown, by a clock that is sure now.
    ///
    /// A mean that has confirmed it meanwhile had values of a time that another clock placed.
    package mutating func redate(raisedAt: Int, unknownSince since: Int, isMean: Bool) {
        self.raisedAt = min(self.raisedAt, raisedAt)
        if let blind {
            self.blind = (min(blind.since, since), blind.why)
        } else if isMean, level > 0 {
            blind = (since, "no samples")
        }
    }

    /// Earliest instant at which time changes the state, for conditions that no sample checks.
    package func deadline(_ timing: Timing) -> Int? {
        var times: [Int] = []
        for step in 1...2 {
            if step > level, let since = reachedSince[step - 1] {
                times.append(since + timing.forSeconds)
            }
        }
        if level > 0, let since = endedSince[level - 1] {
            let quiet = isFlapping ? Timing.flapQuiet : 0
            times.append(since + max(timing.untilSeconds, quiet))
        }
        if level > 0, let since = blind?.since { times.append(since + Timing.blindMax) }
        return times.min()
    }
}
