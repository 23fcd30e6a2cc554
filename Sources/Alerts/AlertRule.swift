import Core

/// Alert rule: the channels it checks, when it raises an alert, and when it ends it.
package struct AlertRule: Hashable, Sendable {
    /// Conditions that a rule can check; times are in seconds.
    package enum Condition: Hashable, Sendable {
        /// The last sample.
        case value(AlertScale)
        /// The mean over so long; at least `coverage` of it has to have values.
        case mean(over: Int, AlertScale)
        /// The concentration of an index, averaged over the index's own time.
        case index(AirIndex.Scale, id: String, AlertScale)
        /// The mean over so long against the mean of the hour before it: higher by so much, and so
        /// many times as high.
        case rise(over: Int, by: Double, times: Double)
        /// A quarter of an hour against the same hour of past days, in spreads of those.
        case unusual(score: Double, by: Double, days: Int)
        /// No value for so many intervals of the device.
        case silent(intervals: Int)
        /// Doubts about the values, or a sensor that is stuck.
        case flagged(Quality, orStuck: Bool)
        /// So many events of a kind within a time.
        case event(kind: String, source: String?, count: Int, within: Int)
        /// The part has used so much of its life, in per cent, or has so few days left.
        case laser(usedPercent: Double, daysLeft: Int)
        /// Trouble that a part of the station reports.
        case trouble(AlertTopic)
    }

    /// Condition for the channels that match a pattern.
    package struct Part: Hashable, Sendable {
        /// `*/pm25`, `balcony/*`, `balcony/pm25`; `*` for what has no channel.
        package let pattern: String
        package let condition: Condition

        package init(_ pattern: String, _ condition: Condition) {
            (self.pattern, self.condition) = (pattern, condition)
        }
    }

    /// The part of a mean's time that needs values.
    package static let coverage = 0.75
    /// Rules of one station; more is a mistake in its configuration.
    package static let countMax = 64
    /// The spread that a quantity has at least, as part of its median and in its unit.
    package static let (spreadShare, spreadLeast) = (0.1, 0.5)

    /// A plain name, unique among a station's rules.
    package let id: String
    /// The first part that fits a channel counts for it; 1…16.
    package let parts: [Part]
    /// Seconds for which the condition has to hold.
    package var forSeconds = 0
    /// Seconds for which its end has to hold.
    package var untilSeconds = 0
    /// Severity of an alert whose condition has no scale.
    package var severity = AlertSeverity.warning
    /// Values with one of these flags neither raise nor end an alert.
    package var unless: Quality = []
    /// The owner's sentence, by language.
    package var words: [String: String] = [:]

    package init(
        _ id: String,
        _ parts: [Part],
        for forSeconds: Int = 0,
        until untilSeconds: Int = 0,
        _ severity: AlertSeverity = .warning
    ) {
        (self.id, self.parts, self.severity) = (id, parts, severity)
        (self.forSeconds, self.untilSeconds) = (forSeconds, untilSeconds)
    }

    /// The condition for a channel, if this rule is for it.
    package func condition(for channel: Channel) -> Condition? {
        let name = "\(channel)"
        return parts.first { $0.condition.isOfChannels && Self.fits(name, $0.pattern) }?.condition
    }

    /// Whether what a former rule of this id raised about a subject can be judged by this one.
    func isAbout(_ subject: String, as former: AlertRule?) -> Bool {
        guard let former, former != self else { return true }
        guard parts.contains(where: { $0.condition.isOfChannels }) else {
            let kinds = Set(parts.map(\.condition.kind))
            // What a changed rule counts begins anew: nothing would end what it raised.
            return kinds == Set(former.parts.map(\.condition.kind)) && !kinds.contains("event")
        }
        return parts.contains { $0.condition.isOfChannels && Self.fits(subject, $0.pattern) }
    }

    /// How severe a level, 1…2, is.
    package func severity(of level: Int, _ condition: Condition) -> AlertSeverity {
        guard let scale = condition.scale else { return severity }
        return scale.steps[min(max(level, 1), scale.steps.count) - 1].severity
    }

    /// Whether a name fits a pattern with any number of `*`.
    package static func fits(_ name: String, _ pattern: String) -> Bool {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard pieces.count > 1 else { return name == pattern }
        var rest = name[...]
        guard rest.hasPrefix(pieces[0]) else { return false }
        rest = rest.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(pieces[pieces.count - 1])
    }
}

/// A part of the station whose report can be an alert.
package enum AlertTopic: String, CaseIterable, Sendable {
    case card, power, clock, store, outbox
}

extension AlertRule.Condition {
    /// Whether it is about values of channels.
    package var isOfChannels: Bool {
        switch self {
        case .value, .mean, .index, .rise, .unusual, .flagged: true
        case .silent, .event, .laser, .trouble: false
        }
    }

    package var scale: AlertScale? {
        switch self {
        case .value(let scale), .mean(_, let scale), .index(_, _, let scale): scale
        default: nil
        }
    }

    /// The name of its kind, as a configuration has it.
    package var kind: String {
        switch self {
        case .value: "value"
        case .mean: "mean"
        case .index: "index"
        case .rise: "rise"
        case .unusual: "unusual"
        case .silent: "silent"
        case .flagged(_, let orStuck): orStuck ? "stuck" : "flagged"
        case .event: "event"
        case .laser: "laser"
        case .trouble(let topic): topic.rawValue
        }
    }

    /// The averaging time of the value that is compared with the limit, in seconds; nil without
    /// one.
    package var averagingSeconds: Int? {
        switch self {
        case .mean(let over, _): over
        case .rise(let over, _, _): over
        case .unusual: 900
        case .index(let scale, _, _):
            switch scale.averaging {
            case .hour: 3_600
            case .day: 86_400
            case .nowCast: 43_200
            }
        default: nil
        }
    }
}
