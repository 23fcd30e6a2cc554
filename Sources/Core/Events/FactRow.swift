/// One name of a fact: how terminals and the store write it.
package struct FactRow: Sendable {
    /// The format of its text.
    package enum Kind: Sendable {
        /// `12`.
        case number
        /// `0.250 s`.
        case seconds
        /// `0.250 s ago`.
        case ago
        /// Tenths of a second since boot.
        case tenths
        /// `yes` or `no`.
        case truth
        /// `ceiling, unchanging`.
        case list
        /// Text that is left out when it is `unknown`.
        case known
        case text
    }

    /// The key in the store, and for people.
    package let label: String
    /// The name in JSON.
    package let name: String
    package let kind: Kind
    /// Position in the order for people.
    let place: Int

    /// Every name that has another key or whose value is no plain text, in the order it reads.
    static let all: [FactRow] = table.enumerated().map { place, row in
        FactRow(label: row.0, name: row.1, kind: row.2, place: place)
    }
    package static let byLabel: [String: FactRow] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.label, $0) }
    )
    private static let byName: [String: FactRow] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.name, $0) }
    )

    /// The row of a name; one that is not listed is plain text, `lastTrouble` as `last trouble`.
    package static func named(_ name: String) -> FactRow {
        if let row = byName[name] { return row }
        var label = ""
        for character in name {
            if character.isUppercase { label += " " }
            label += character.lowercased()
        }
        return FactRow(label: label, name: name, kind: .text, place: all.count)
    }

    /// The unit that follows the value in text.
    package var unit: String {
        switch kind {
        case .seconds: " s"
        case .ago: " s ago"
        case .number, .tenths, .truth, .list, .known, .text: ""
        }
    }

    /// Whether it comes before another in text for people.
    package func isBefore(_ other: FactRow) -> Bool {
        (place, name) < (other.place, other.name)
    }

    private static let table: [(String, String, Kind)] = [
        ("trouble", "trouble", .text),
        ("fault", "fault", .text),
        ("what", "sentence", .text),
        ("hint", "nextStep", .text),
        ("child", "child", .text),
        ("device", "device", .text),
        ("id", "id", .known),
        ("firmware", "firmware", .known),
        ("reader", "reader", .known),
        ("lamp", "lamp", .text),
        ("mode", "mode", .text),
        ("follows", "follows", .text),
        ("following", "isFollowing", .truth),
        ("was", "was", .text),
        ("wanted", "wanted", .text),
        ("found", "found", .text),
        ("restarts", "restartCount", .number),
        ("n", "n", .number),
        ("raise", "raise", .number),
        ("over", "overSeconds", .seconds),
        ("held", "heldSeconds", .seconds),
        ("worst", "worst", .number),
        ("parts", "partCount", .number),
        ("reason", "reason", .text),
        ("ran", "ranSeconds", .seconds),
        ("attempt", "attempt", .number),
        ("delay", "delaySeconds", .seconds),
        ("grace", "graceSeconds", .seconds),
        ("late", "lateSeconds", .seconds),
        ("after", "afterSeconds", .seconds),
        ("for", "forSeconds", .seconds),
        ("lasted", "lastedSeconds", .seconds),
        ("upload", "isForUpload", .truth),
        ("seconds", "seconds", .number),
        ("long", "isLong", .truth),
        ("awake", "awakeSeconds", .seconds),
        ("frames", "frameCount", .number),
        ("measurements", "measurementCount", .number),
        ("rejected", "rejectedCount", .number),
        ("left out", "omittedCount", .number),
        ("last rejected", "lastRejected", .text),
        ("remedy", "remedy", .text),
        ("acknowledges", "isAcknowledging", .truth),
        ("doubts", "doubts", .list),
        ("last measurement", "lastMeasurementAgeSeconds", .ago),
        ("motions", "motionCount", .number),
        ("last motion", "lastMotionAgeSeconds", .ago),
        ("presses", "pressCount", .number),
        ("last press", "lastPressAgeSeconds", .ago),
        ("answers", "answerCount", .number),
        ("questions", "questionCount", .number),
        ("last answer", "lastAnswerAgeSeconds", .ago),
        ("fresh air", "freshAirAgeSeconds", .ago),
        ("lowest in 14 days", "lowestIn14Days", .number),
        ("changes", "changeCount", .number),
        ("pulses", "pulseCount", .number),
        ("edges", "edgeCount", .number),
        ("short pulses", "shortPulseCount", .number),
        ("overruns", "overrunCount", .number),
        ("mutes", "muteCount", .number),
        ("cause", "cause", .text),
        ("from", "fromSeconds", .tenths),
        ("to", "toSeconds", .tenths),
        ("stream", "stream", .number),
        ("samples", "sampleCount", .number),
        ("placeless", "placeless", .list),
        ("places", "placeCount", .number),
        ("slots", "slotCount", .number),
        ("blocks", "blockCount", .number),
        ("logBytes", "logByteCount", .number),
        ("devices", "deviceCount", .number),
        ("limit", "limit", .number),
        ("count", "count", .number),
        ("part", "part", .text),
        ("hours", "hours", .number),
        ("user", "userID", .number),
        ("pid", "processID", .number),
    ]
}

// MARK: - In the store

extension EventDetail {
    /// The one text that a fact has in the store.
    package init(_ fact: Fact) {
        let row = FactRow.named(fact.name)
        self.init(row.label, fact.value.text + row.unit)
    }

    /// The fact that a stored text says; nil for one that is not known.
    ///
    /// A text of another format stays text under its own key: `restarts` with `many`.
    package var fact: Fact? {
        guard let row = FactRow.byLabel[key] else { return Fact(name, value) }
        if row.kind == .known, value == "unknown" { return nil }
        return row.value(of: value).map { Fact(row.name, $0) } ?? Fact(name, value)
    }

    /// `last trouble` as `lastTrouble`.
    private var name: String {
        let words = key.split { !$0.isLetter && !$0.isNumber }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return (words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "")
            + rest.joined()
    }
}

extension FactRow {
    fileprivate func value(of text: String) -> Fact.Value? {
        switch kind {
        case .number: number(text).map(Fact.Value.number)
        case .seconds, .ago:
            text.hasSuffix(unit)
                ? number(text.dropLast(unit.count)).map(Fact.Value.number) : nil
        case .tenths: number(text).map { Fact.Value.number($0 / 10) }
        case .truth: ["yes": true, "no": false][text].map(Fact.Value.truth)
        case .list: .list(text.split(separator: ", ").map(String.init))
        case .known, .text: .text(text)
        }
    }

    private func number(_ text: some StringProtocol) -> Double? {
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
