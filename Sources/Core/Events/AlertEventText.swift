/// Alert events as name and details, which log, JSON and store have.
enum AlertEventText {
    static func name(_ event: AlertEvent) -> String {
        switch event {
        case .raised: "alert raised"
        case .level: "alert level"
        case .acknowledged: "alert acknowledged"
        case .resolved: "alert resolved"
        case .silenced: "alert silenced"
        case .standing: "alerts standing"
        }
    }

    static let names = [
        "alert raised", "alert level", "alert acknowledged", "alert resolved", "alert silenced",
        "alerts standing",
    ]

    static func details(_ event: AlertEvent) -> [EventDetail] {
        var list = DetailList()
        switch event {
        case .raised(let raised): write(raised, to: &list)
        case .level(let level):
            list.add("n", level.number)
            list.add("raise", level.raise)
            list.add("key", level.key)
            list.add("level", level.level)
            list.add("was", level.was)
            list.add("severity", level.severity.rawValue)
            list.add("value", level.value)
        case .acknowledged(let acknowledged):
            list.add("n", acknowledged.number)
            list.add("raise", acknowledged.raise)
            list.add("key", acknowledged.key)
            list.add("by", acknowledged.by)
            list.add("for", span(acknowledged.seconds))
        case .resolved(let resolved):
            list.add("n", resolved.number)
            list.add("raise", resolved.raise)
            list.add("key", resolved.key)
            list.add("why", resolved.why.rawValue)
            list.add("lasted", span(resolved.lasted))
            list.add("worst", resolved.worst)
            list.add("severity", resolved.severity.rawValue)
        case .silenced(let silenced):
            list.add("key", silenced.key)
            list.add("for", span(silenced.seconds))
            list.add("by", silenced.by)
        case .standing(let standing): write(standing, to: &list)
        }
        return list.details
    }

    private static func write(_ raised: AlertEvent.Raised, to list: inout DetailList) {
        list.add("n", raised.number)
        list.add("key", raised.key)
        list.add("level", raised.level)
        list.add("severity", raised.severity.rawValue)
        list.add("kind", raised.kind)
        list.add("value", raised.value)
        list.add("unit", raised.unit)
        list.add("limit", raised.limit)
        list.add("over", span(raised.over))
        list.add("held", span(raised.held))
        list.add("flags", raised.flags.isEmpty ? nil : raised.flags.joined(separator: " "))
        list.add("why", raised.why)
    }

    private static func write(_ standing: AlertEvent.Standing, to list: inout DetailList) {
        list.add("n", standing.number)
        list.add("part", standing.part)
        list.add("parts", standing.parts)
        for (index, alert) in standing.alerts.enumerated() {
            let end = alert.acknowledged.map { $0 == .max ? "resolved" : "\($0)" } ?? "-"
            let worst = alert.worst.map { "\($0)" } ?? "-"
            list.add(
                "\(index + 1)",
                "\(alert.raise) \(alert.level) \(alert.age) \(worst) \(end) \(alert.key)"
            )
        }
        for (index, silence) in standing.silences.enumerated() {
            list.add("silence\(index + 1)", "\(silence.seconds) \(silence.key)")
        }
    }

    /// Seconds as every event has them: `600 s`.
    private static func span(_ seconds: Int?) -> String? { seconds.map { "\($0) s" } }

    private static func seconds(_ key: String, _ text: (String) -> String?) -> Int? {
        text(key).flatMap { $0.hasSuffix(" s") ? Int($0.dropLast(2)) : nil }
    }

    /// The event of a stored name and its details; nil when they are none.
    static func event(_ name: String, _ text: (String) -> String?) -> AlertEvent? {
        switch name {
        case "alert raised": raised(text).map { .raised($0) }
        case "alert level": level(text).map { .level($0) }
        case "alert acknowledged": acknowledged(text).map { .acknowledged($0) }
        case "alert resolved": resolved(text).map { .resolved($0) }
        case "alert silenced": silenced(text).map { .silenced($0) }
        case "alerts standing": standing(text).map { .standing($0) }
        default: nil
        }
    }

    /// Parses the fields that most alert events have: number, number of the raise, key.
    private static func heads(
        _ text: (String) -> String?
    ) -> (number: Int64, raise: Int64, key: AlertEvent.Key)? {
        guard let number = text("n").flatMap({ Int64($0) }),
            let raise = text("raise").flatMap({ Int64($0) }),
            let key = text("key").flatMap({ AlertEvent.Key($0) })
        else { return nil }
        return (number, raise, key)
    }

    private static func severity(_ text: (String) -> String?) -> AlertSeverity {
        text("severity").flatMap(AlertSeverity.init) ?? .warning
    }

    private static func level(_ text: (String) -> String?) -> AlertEvent.Level? {
        guard let heads = heads(text), let level = text("level").flatMap({ Int($0) }),
            let was = text("was").flatMap({ Int($0) })
        else { return nil }
        return AlertEvent.Level(
            number: heads.number,
            raise: heads.raise,
            key: heads.key,
            level: level,
            was: was,
            severity: severity(text),
            value: text("value").flatMap { FixedPoint(decimal: $0) }
        )
    }

    private static func acknowledged(_ text: (String) -> String?) -> AlertEvent.Acknowledged? {
        guard let heads = heads(text), let by = text("by") else { return nil }
        return AlertEvent.Acknowledged(
            heads.number,
            of: heads.raise,
            heads.key,
            by: by,
            for: seconds("for", text)
        )
    }

    private static func resolved(_ text: (String) -> String?) -> AlertEvent.Resolved? {
        guard let heads = heads(text), let lasted = seconds("lasted", text),
            let why = text("why").flatMap(AlertEvent.Resolved.Reason.init)
        else { return nil }
        return AlertEvent.Resolved(
            number: heads.number,
            raise: heads.raise,
            key: heads.key,
            why: why,
            lasted: lasted,
            worst: text("worst").flatMap { FixedPoint(decimal: $0) },
            severity: severity(text)
        )
    }

    private static func silenced(_ text: (String) -> String?) -> AlertEvent.Silenced? {
        guard let key = text("key").flatMap({ AlertEvent.Key($0) }),
            let length = seconds("for", text), let by = text("by")
        else { return nil }
        return AlertEvent.Silenced(key, for: length, by: by)
    }

    private static func raised(_ text: (String) -> String?) -> AlertEvent.Raised? {
        guard let number = text("n").flatMap({ Int64($0) }),
            let key = text("key").flatMap({ AlertEvent.Key($0) })
        else { return nil }
        var raised = AlertEvent.Raised(number, key)
        raised.level = text("level").flatMap { Int($0) } ?? 1
        raised.severity = severity(text)
        raised.kind = text("kind") ?? ""
        raised.value = text("value").flatMap { FixedPoint(decimal: $0) }
        raised.unit = text("unit")
        raised.limit = text("limit").flatMap { FixedPoint(decimal: $0) }
        raised.over = seconds("over", text)
        raised.held = seconds("held", text) ?? 0
        raised.flags = (text("flags") ?? "").split(separator: " ").map(String.init)
        raised.why = text("why")
        return raised
    }

    private static func standing(_ text: (String) -> String?) -> AlertEvent.Standing? {
        guard let number = text("n").flatMap({ Int64($0) }) else { return nil }
        var alerts: [AlertEvent.Standing.Entry] = []
        while let line = text("\(alerts.count + 1)") {
            guard let entry = entry(line) else { return nil }
            alerts.append(entry)
        }
        var silences: [AlertEvent.Standing.Silence] = []
        while let line = text("silence\(silences.count + 1)") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let seconds = Int(parts[0]), let key = AlertEvent.Key(parts[1])
            else { return nil }
            silences.append(.init(key, seconds))
        }
        return AlertEvent.Standing(
            number: number,
            part: text("part").flatMap { Int($0) } ?? 1,
            of: text("parts").flatMap { Int($0) } ?? 1,
            alerts: alerts,
            silences: silences
        )
    }

    private static func entry(_ line: String) -> AlertEvent.Standing.Entry? {
        let parts = line.split(separator: " ", maxSplits: 5)
        guard parts.count == 6, let raise = Int64(parts[0]), let level = Int(parts[1]),
            let age = Int(parts[2]), let key = AlertEvent.Key(parts[5])
        else { return nil }
        return AlertEvent.Standing.Entry(
            raise: raise,
            key: key,
            level: level,
            age: age,
            worst: FixedPoint(decimal: parts[3]),
            acknowledged: parts[4] == "-" ? nil : parts[4] == "resolved" ? .max : Int(parts[4])
        )
    }
}

/// Details in the order they are added; those without a value are left out.
private struct DetailList {
    private(set) var details: [EventDetail] = []

    mutating func add(_ key: String, _ value: (some CustomStringConvertible)?) {
        if let value { details.append(EventDetail(key, "\(value)")) }
    }
}
