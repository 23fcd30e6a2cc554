import ControlProtocol

/// The latest values as plain text, one line a channel: for a shell and for small displays.
struct NowText {
    private let status: StatusReport

    init(_ status: StatusReport) { self.status = status }

    var text: String {
        let lines = status.channels.map { channel -> String in
            let value =
                channel.latest?.measured.map { "\($0) \(channel.unit)" }
                ?? channel.latest?.noData ?? "no value"
            let age = channel.valueAgeSeconds.map { ", \(Int($0)) s ago" } ?? ""
            return "\(channel.channel)\t\(value)\(age)\(channel.isStale ? ", stale" : "")"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
