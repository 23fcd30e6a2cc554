/// How one key of an event's or a driver's details is written in JSON.
struct DetailRow: Sendable {
    /// The format of a key's text.
    enum Kind: Sendable {
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

    /// The key in the station.
    let label: String
    /// The key in JSON.
    let name: String
    let kind: Kind
    /// Position in the order for people.
    let place: Int

    /// Every key that is no plain text or has another name in JSON, in the order it reads.
    static let all: [DetailRow] = table.enumerated().map { place, row in
        DetailRow(label: row.0, name: row.1, kind: row.2, place: place)
    }
    static let byLabel: [String: DetailRow] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.label, $0) }
    )
    static let byName: [String: DetailRow] = Dictionary(
        uniqueKeysWithValues: all.map { ($0.name, $0) }
    )

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
        ("laser time", "laserSeconds", .seconds),
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

extension DetailRow.Kind {
    /// The unit that follows the value in text for people.
    var unit: String {
        switch self {
        case .seconds: " s"
        case .ago: " s ago"
        case .number, .tenths, .truth, .list, .known, .text: ""
        }
    }

    /// Parses a text as this kind; nil when it is none.
    func value(of text: String) -> Details.Value? {
        switch self {
        case .number: number(text).map(Details.Value.number)
        case .seconds, .ago:
            text.hasSuffix(unit) ? number(text.dropLast(unit.count)).map(Details.Value.number) : nil
        case .tenths: number(text).map { Details.Value.number($0 / 10) }
        case .truth: ["yes": true, "no": false][text].map(Details.Value.truth)
        case .list: .list(text.split(separator: ", ").map(String.init))
        case .known, .text: .text(text)
        }
    }

    private func number(_ text: some StringProtocol) -> Double? {
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }
}
