import ClientSupport
import ControlProtocol
import Core

/// Writes a courier's report for people.
enum OutboxText {
    static func show(_ report: CourierReport, asJSON: Bool) throws {
        if asJSON { return Output.line(try ControlCodec.line(report)) }
        for line in lines(report) { Output.line(line) }
    }

    static func lines(_ report: CourierReport) -> [String] {
        var lines: [String] = []
        if let trouble = report.stationTrouble { lines.append("The station: \(trouble)") }
        if let trouble = report.cursorTrouble { lines.append("Cursors wait: \(trouble)") }
        if let trouble = report.settingsTrouble { lines.append(trouble) }
        for entry in report.leftOut {
            lines.append("\(entry.id) is not in use: \(entry.sentence)")
        }
        if report.isMetered {
            lines.append("The connection is metered: data waits, heartbeats and notices go.")
        }
        if report.omittedEventCount > 0 {
            lines.append("\(report.omittedEventCount) events of the courier were not recorded.")
        }
        if report.targets.isEmpty, report.receivers.isEmpty, report.feeds.isEmpty {
            lines.append("There are no targets; `roost target add --help` shows how to add one.")
        }
        for target in report.targets { lines += self.lines(target) }
        for receiver in report.receivers { lines += self.lines(receiver) }
        for feed in report.feeds { lines += self.lines(feed) }
        return lines
    }

    private static func lines(_ target: OutboxReport) -> [String] {
        var first = "\(target.id) (\(target.type)): \(target.sentence)"
        if let why = target.why { first += ": \(why)" }
        var lines = [first]
        if let samples = target.samples {
            var line =
                "  \(samples.recorded) samples: \(samples.delivered) delivered, "
                + "\(samples.waiting) waiting"
            if let oldest = target.oldestWaiting { line += " since \(oldest)" }
            let left = samples.leftOut.sorted { $0.key < $1.key }
                .map { "\($0.value) \(reason($0.key))" }
            line += left.isEmpty ? ", none left out" : ", left out: " + left.joined(separator: ", ")
            lines.append(line)
        }
        if let notices = target.notices {
            var line = "  \(notices.sent) notices sent, \(notices.waiting) waiting"
            if notices.omitted > 0 { line += ", \(notices.omitted) alerts found no room" }
            lines.append(line)
        }
        if let values = target.values {
            var line = "  \(values.written) values new, \(values.same) known"
            if values.revised > 0 { line += ", \(values.revised) corrected" }
            if values.refused > 0 { line += ", \(values.refused) refused" }
            if values.omitted > 0 { line += ", \(values.omitted) unreadable" }
            if values.missedDays > 0 { line += ", \(values.missedDays) days missed" }
            lines.append(line)
            if let why = values.refusal { lines.append("  refused: \(why)") }
        }
        if let count = target.fileCount {
            lines.append("  \(count) files delivered; a sample counts once for each period's file")
        }
        if let drives = target.drives { lines += self.lines(drives) }
        if let proof = target.proof { lines.append("  deliveries are \(proof)") }
        if let count = target.omittedMotionCount, count > 0 {
            lines.append("  \(count) motions left out: the broker was away for too long")
        }
        if let why = target.cursorLost { lines.append("  \(why): it began anew") }
        if target.isWaitingForClock {
            lines.append("  samples wait until the station knows what time it is")
        }
        var facts: [String] = []
        if let seconds = target.lastDeliverySeconds {
            let what = target.values == nil ? "last delivery" : "last fetch"
            facts.append("\(what) \(durationText(seconds: seconds)) ago")
        }
        if let seconds = target.nextTrySeconds {
            facts.append("next try in \(durationText(seconds: seconds))")
        }
        if target.requestCount > 0 {
            facts.append("\(target.requestCount) requests, \(target.byteCount) bytes")
        }
        if !facts.isEmpty { lines.append("  " + facts.joined(separator: "; ")) }
        return lines
    }

    private static func lines(_ drives: OutboxDrives) -> [String] {
        var lines = [
            "  \(drives.delivered) drives delivered, \(drives.waiting) waiting, "
                + "\(drives.leftOut) left out"
        ]
        if let present = drives.present {
            let number = present.importID.map { " as import \($0)" } ?? ""
            let next =
                switch present.step {
                case .upload: "its log is to be sent"
                case .describe: "name, credits and cities are to be sent"
                case .read: "the service has to read its log"
                case .submit: "it is to be submitted"
                }
            lines.append("  drive \(present.name)\(number): \(next)")
        }
        return lines
    }

    static func reason(_ code: String) -> String {
        switch code {
        case "tooOld": "too old for it"
        case "notKept": "older than the target keeps"
        case "noValue": "without a value for it"
        case "flagged": "doubtful"
        case "markedPrivate": "private"
        case "refused": "refused"
        case "expired": "gone from the store before delivery"
        case "timeUnknown": "of a boot that no clock dated"
        case "dropped": "dropped by you"
        case "unknown": "sent without an answer"
        default: code
        }
    }
}
