import Alerts
import Core
import HardwareIO
import Profiles

/// Reads one rule of the owner.
struct AlertRuleReader {
    /// Languages of notices; a rule has its sentence in any of them.
    static let languages = NoticeText.Language.allCases.map(\.rawValue)
    /// Bytes of a sentence.
    static let wordsLimit = 200
    /// Seconds of `for` and `until`.
    private static let times = 0.0...604_800
    /// Default hysteresis, as a share of the limit; `until` overrides it.
    private static let margin = 0.1
    /// Parts of a rule.
    private static let partLimit = 16

    private var reader: ObjectReader

    init(_ reader: ObjectReader) { self.reader = reader }

    /// The rule; nil, with the problems noted, when something needed is wrong.
    mutating func rule() -> AlertRule? {
        let id = ruleID()
        let severity = AlertSeverity(
            rawValue: reader.string("severity", in: AlertSeverity.allCases.map(\.rawValue)) ?? ""
        )
        let forSeconds = seconds("forSeconds", in: &reader)
        let (parts, untilSeconds) =
            reader.value("parts") == nil
            ? part(severity ?? .warning) : partList(severity ?? .warning)
        let unless = reader.flags("unless")
        let words = texts()
        reader.finish()
        guard let id, let parts else { return nil }
        var rule = AlertRule(
            id,
            parts,
            for: forSeconds ?? 0,
            until: untilSeconds,
            severity ?? .warning
        )
        (rule.unless, rule.words) = (unless, words)
        return rule
    }

    private mutating func ruleID() -> String? {
        if reader.value("id") == nil { reader.problem("id", "is missing") }
        return reader.name("id")
    }

    private func seconds(_ key: String, in reader: inout ObjectReader) -> Int? {
        reader.number(key, in: Self.times).map { Int($0.rounded()) }
    }

    /// `*`, or a device and a quantity, each with any number of `*`.
    private mutating func pattern() -> (device: Substring, quantity: Substring)? {
        guard let text = reader.string("channel") else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if text == "*" { return ("*", "*") }
        guard text.utf8.count <= 200, parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            reader.problem(
                "channel",
                "expected a pattern like */pm25 or balcony/*, found \"\(PlainText.shown(text))\""
            )
            return nil
        }
        return (parts[0], parts[1])
    }

    // MARK: Parts

    /// Channel, condition and limits, of a rule or of one of its parts.
    private mutating func part(
        _ severity: AlertSeverity
    ) -> (parts: [AlertRule.Part]?, untilSeconds: Int) {
        let (pattern, until) = (pattern(), until())
        return (parts(pattern, severity, until), until.seconds)
    }

    /// Parts for different channels, each with limits of its own.
    private mutating func partList(
        _ severity: AlertSeverity
    ) -> (parts: [AlertRule.Part]?, untilSeconds: Int) {
        var (all, isWhole): ([AlertRule.Part], Bool) = ([], true)
        for key in ["channel", "when"] where reader.value(key) != nil {
            reader.problem(key, "belongs into each of parts")
        }
        let entries = reader.objects("parts", limit: Self.partLimit)
        for entry in entries {
            var part = AlertRuleReader(entry)
            let (found, seconds) = part.part(severity)
            if seconds > 0 {
                part.reader.problem("until.forSeconds", "is one for all parts, beside them")
            }
            if let other = found?.first(where: { !$0.condition.isOfChannels }) {
                part.reader.problem("when", "\(other.condition.kind) is a rule of its own")
            }
            part.reader.finish()
            all += found ?? []
            isWhole = isWhole && found != nil
        }
        let until = until()
        if until.below != nil || until.above != nil {
            reader.problem("until", "belongs into each of parts, but for forSeconds")
        }
        if entries.isEmpty { reader.problem("parts", "expected 1…\(Self.partLimit) objects") }
        if all.count > Self.partLimit { reader.problem("parts", "has more than 16 channels") }
        return (isWhole && !all.isEmpty ? all : nil, until.seconds)
    }

    // MARK: Until

    private struct Until {
        var below: Double?
        var above: Double?
        var seconds = 0
    }

    private mutating func until() -> Until {
        guard var object = reader.object("until") else { return Until() }
        defer { object.finish() }
        return Until(
            below: object.number("below", in: AlertConditionReader.values),
            above: object.number("above", in: AlertConditionReader.values),
            seconds: seconds("forSeconds", in: &object) ?? 0
        )
    }

    // MARK: Conditions

    private mutating func parts(
        _ pattern: (device: Substring, quantity: Substring)?,
        _ severity: AlertSeverity,
        _ until: Until
    ) -> [AlertRule.Part]? {
        guard let when = reader.object("when") else {
            if reader.value("when") == nil { reader.problem("when", "is missing") }
            return nil
        }
        var conditions = AlertConditionReader(when)
        guard let found = conditions.condition() else { return nil }
        let isOfValues = found.isOfChannels
        if isOfValues, pattern == nil, reader.value("channel") == nil {
            reader.problem("channel", "is missing, as */pm25 or balcony/co2")
            return nil
        }
        if !isOfValues, reader.value("channel") != nil {
            reader.problem("channel", "means nothing for \(found.kind)")
        }
        guard let limits = found.limits else {
            if until.below != nil || until.above != nil {
                reader.problem("until", "\(found.kind) has no limit that a value could leave")
            }
            guard case .plain(let condition) = found else { return nil }
            return [AlertRule.Part(name(pattern), condition)]
        }
        guard isFitting(until, limits) else { return nil }
        return parts(found, pattern ?? ("*", "*"), severity, until)
    }

    private func name(_ pattern: (device: Substring, quantity: Substring)?) -> String {
        pattern.map { "\($0.device)/\($0.quantity)" } ?? "*"
    }

    private func isFitting(_ until: Until, _ limits: AlertConditionReader.Limits) -> Bool {
        let (right, wrong) = limits.isFloor ? ("above", "below") : ("below", "above")
        if (limits.isFloor ? until.below : until.above) != nil {
            reader.problem("until.\(wrong)", "expected \(right), as the rule is for values beyond")
            return false
        }
        guard let value = limits.isFloor ? until.above : until.below else { return true }
        for limit in limits.values where limits.isFloor ? value < limit : value > limit {
            reader.problem(
                "until.\(right)",
                "expected at \(limits.isFloor ? "least" : "most") the limit "
                    + "\(JSONValue.number(limit).shown), found \(JSONValue.number(value).shown)"
            )
            return false
        }
        return true
    }

    private mutating func parts(
        _ found: AlertConditionReader.Found,
        _ pattern: (device: Substring, quantity: Substring),
        _ severity: AlertSeverity,
        _ until: Until
    ) -> [AlertRule.Part]? {
        func scale(_ limit: Double, isFloor: Bool, beginsBeyond: Bool = false) -> AlertScale {
            let sign: Double = isFloor ? 1 : -1
            let left =
                (isFloor ? until.above : until.below)
                ?? limit + sign * Self.margin * limit.magnitude
            return AlertScale(
                [.init(limit, until: left, severity)],
                isFloor: isFloor,
                beginsBeyond: beginsBeyond
            )
        }
        switch found {
        case .plain(let condition): return [AlertRule.Part(name(pattern), condition)]
        case .value(let limit, let isFloor):
            return [AlertRule.Part(name(pattern), .value(scale(limit, isFloor: isFloor)))]
        case .mean(let over, let limit, let isFloor):
            let condition = AlertRule.Condition.mean(over: over, scale(limit, isFloor: isFloor))
            return [AlertRule.Part(name(pattern), condition)]
        case .index(let index, let band):
            let parts = index.scales.compactMap { table -> AlertRule.Part? in
                guard AlertRule.fits(table.quantity, "\(pattern.quantity)"),
                    let start = index.start(of: band, for: table.quantity)
                else { return nil }
                let scale = scale(start, isFloor: false, beginsBeyond: index.beginsAbove)
                return AlertRule.Part(
                    "\(pattern.device)/\(table.quantity)",
                    .index(table, id: index.id, scale)
                )
            }
            guard parts.isEmpty else { return parts }
            let known = index.scales.map(\.quantity).joined(separator: ", ")
            reader.problem("channel", "\(index.id) knows \(known), not \(pattern.quantity)")
            return nil
        }
    }

    // MARK: Words

    private mutating func texts() -> [String: String] {
        guard var object = reader.object("words") else { return [:] }
        defer { object.finish() }
        var words: [String: String] = [:]
        for language in Self.languages {
            guard let text = object.string(language) else { continue }
            if text.utf8.count > Self.wordsLimit {
                object.problem(language, "expected at most \(Self.wordsLimit) bytes of text")
            }
            words[language] = text
        }
        return words
    }
}

extension ObjectReader {
    /// Doubts by their names.
    mutating func flags(_ key: String) -> Quality {
        let names = Quality.everyName
        return array(key, limit: names.count).enumerated().reduce(into: []) { flags, entry in
            if case .string(let text) = entry.element, let flag = Quality(named: text) {
                flags.insert(flag)
                return
            }
            var nearest: String?
            if case .string(let text) = entry.element {
                nearest = Spelling.nearest(to: text, among: names)
            }
            problem(
                "\(key)[\(entry.offset)]",
                "expected one of \(names.joined(separator: ", ")), found \(entry.element.shown)",
                meant: nearest
            )
        }
    }
}
