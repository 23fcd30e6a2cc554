import ClientSupport
import ControlProtocol

/// What `roost` alone says: the state of the station, and the commands that fit it.
enum StationInBrief {
    /// Channels that are named.
    private static let channelCountMax = 3

    static func lines(_ report: StatusReport, _ paint: Paint) -> [String] {
        let state = [
            "\(paint.bold(report.name))  up \(durationText(seconds: report.uptimeSeconds)), "
                + (report.faults.isEmpty ? "no faults" : paint(faults(report), .red)),
            "values  \(values(report))",
            "lamp    \(paint.lamp(report.lamp)), mode \(report.mode.mode)",
            "store   \(store(report))",
            "next    \(report.faults.first?.nextStep ?? "nothing to do")",
        ]
        return state + [""] + commands(report)
    }

    /// - Parameter message: Why the station cannot be reached.
    static func absence(_ message: String) -> [String] {
        let next = [
            ("sudo systemctl start roostd", "starts the station, where it is installed"),
            ("roost doctor", "says what keeps a station from working here"),
            ("roost demo", "shows a whole station without any hardware"),
        ]
        return [message, ""] + rows(next)
    }

    private static func faults(_ report: StatusReport) -> String {
        let count = report.faults.count
        let first = report.faults[0].sentence
        return count == 1 ? first : "\(count) faults, the oldest: \(first)"
    }

    private static func values(_ report: StatusReport) -> String {
        let measured = report.channels.compactMap { channel -> String? in
            guard !channel.isStale, let value = channel.latest?.measured else { return nil }
            return "\(channel.channel) \(value) \(channel.unit)"
        }
        guard !measured.isEmpty else {
            return report.channels.isEmpty ? "no device yet" : "none now"
        }
        let more = report.channels.count - min(measured.count, channelCountMax)
        let rest = more > 0 ? "; \(more) more" : ""
        return measured.prefix(channelCountMax).joined(separator: ", ") + rest
    }

    private static func store(_ report: StatusReport) -> String {
        guard let store = report.store else { return "none: nothing is kept" }
        let last = store.lastCommitAgeSeconds.map { durationText(seconds: $0) }
        return store.folder + (last.map { ", written \($0) ago" } ?? "")
    }

    private static func commands(_ report: StatusReport) -> [String] {
        let fitting =
            if !report.faults.isEmpty {
                [
                    ("roost status", "all values, and each fault with its next step"),
                    ("roost doctor", "what keeps the machine from working, and the repair"),
                    ("roost events --last 1h", "what happened"),
                ]
            } else if report.channels.isEmpty {
                [
                    ("roost devices", "what is plugged in, and what was detected"),
                    ("roost doctor", "what keeps the machine from working, and the repair"),
                    ("roost profiles list", "the sensors that are known"),
                ]
            } else if report.alerts.map({ $0.raisedCount > 0 }) == true {
                [
                    ("roost alerts", "what is raised, and how to acknowledge it"),
                    ("roost watch", "the station on one screen"),
                    ("roost readings --last 1h", "what was measured"),
                ]
            } else {
                [
                    ("roost watch", "the station on one screen"),
                    ("roost readings --last 1h", "what was measured"),
                    ("roost --help", "all commands"),
                ]
            }
        return rows(fitting)
    }

    private static func rows(_ commands: [(String, String)]) -> [String] {
        commands.map { "  \($0.padded(to: 30))\($1)" }
    }
}
