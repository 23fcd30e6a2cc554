import Core

/// The recent events that rules count, by rule and source.
///
/// Bound: `AlertBounds.keyLimit` pairs of a rule and a source; events of further pairs are dropped.
struct AlertCounts: Sendable {
    /// Whether a rule's condition holds for one source.
    struct Finding {
        let rule: Int
        let source: String
        let holds: Bool
    }

    private struct Key: Hashable, Comparable {
        let rule: Int
        let source: String

        static func < (left: Key, right: Key) -> Bool {
            (left.rule, left.source) < (right.rule, right.source)
        }
    }

    /// Seconds at which events came: only the newest, as many as the rule's condition requires.
    private var times: [Key: [Int]] = [:]

    /// Counts an event for each rule about it; false when no rule counted it.
    mutating func count(_ event: Event, _ rules: [AlertRule], at now: Int) -> Bool {
        var isCounted = false
        for (index, rule) in rules.enumerated() {
            for case .event(let kind, let source, let count, _) in rule.parts.map(\.condition)
            where kind == event.kind.name && source ?? event.source == event.source {
                let key = Key(rule: index, source: event.source)
                guard times[key] != nil || times.count < AlertBounds.keyLimit else { continue }
                times[key, default: []].append(now)
                if let all = times[key], all.count > count { times[key]?.removeFirst() }
                isCounted = true
            }
        }
        return isCounted
    }

    /// The counts of rules that are the same in another list.
    func kept(from before: [AlertRule], to next: [AlertRule]) -> AlertCounts {
        var counts = AlertCounts()
        for (key, all) in times {
            guard before.indices.contains(key.rule),
                let index = next.firstIndex(of: before[key.rule])
            else { continue }
            counts.times[Key(rule: index, source: key.source)] = all
        }
        return counts
    }

    /// Seconds at which the oldest event of each rule ceases to count.
    func deadlines(_ rules: [AlertRule]) -> [Int] {
        times.compactMap { key, all in
            guard let first = all.first, let (_, within) = Self.limits(key, rules) else {
                return nil
            }
            return first + within + 1
        }
    }

    /// Judges each pair of a rule and a source, and forgets events older than the rule's time.
    mutating func findings(_ rules: [AlertRule], at now: Int) -> [Finding] {
        times.sorted { $0.key < $1.key }.compactMap { key, all in
            guard let (wanted, within) = Self.limits(key, rules) else { return nil }
            let recent = all.filter { now - $0 <= within }
            times[key] = recent.isEmpty ? nil : recent
            return Finding(rule: key.rule, source: key.source, holds: recent.count >= wanted)
        }
    }

    private static func limits(
        _ key: Key,
        _ rules: [AlertRule]
    ) -> (count: Int, within: Int)? {
        guard rules.indices.contains(key.rule),
            case .event(_, _, let count, let within)? = rules[key.rule].parts.first?.condition
        else { return nil }
        return (count, within)
    }
}
