import ClientSupport
import ControlProtocol

/// The demo's screen, made from what the station says about itself.
struct DemoView {
    let port: String
    /// Total length of the demo in seconds; nil runs until interrupted.
    let length: Double?
    private var trails: [String: [Double]] = [:]
    private var recent: [String] = []
    private(set) var readingCount = 0
    private(set) var lampChangeCount = 0
    private(set) var motionCount = 0

    init(port: String, length: Double?) {
        (self.port, self.length) = (port, length)
    }

    /// Adds one item of the live stream.
    ///
    /// - Returns: The line a reader of a log wants to see, or nil.
    mutating func take(_ item: LiveItem, _ paint: Paint) -> String? {
        if let reading = item.reading {
            readingCount += 1
            if let value = reading.value {
                var trail = trails[reading.channel, default: []]
                trail.append(value)
                trails[reading.channel] = trail.suffix(32)
            }
            // A log wants to know that it goes on, not every second.
            return readingCount <= 2 || readingCount % 10 < 2 ? ReportText.reading(reading) : nil
        }
        guard let event = item.event else { return nil }
        if event.kind == "lamp changed" { lampChangeCount += 1 }
        if event.kind == "motion" { motionCount += 1 }
        let line = ReportText.event(event, paint)
        recent = (recent + [line]).suffix(8)
        return line
    }

    /// The whole screen.
    func screen(
        _ status: StatusReport,
        _ tree: TreeReport,
        _ devices: DevicesReport,
        elapsed: Double,
        _ paint: Paint
    ) -> [String] {
        let total = length.map { " of \(words(seconds: $0))" } ?? ", stop it with Ctrl-C"
        var lines = [
            "\(paint.bold("Roost demo"))  \(words(seconds: elapsed.rounded()))\(total)",
            paint("A simulated SDS011 speaks on the real pseudo-terminal \(port);", .grey),
            paint("motion sensor and lamp are simulated, everything else is the real node.", .grey),
            "",
            "lamp    \(paint.lamp(status.lamp))",
        ]
        lines += status.channels.map { channel in
            ReportText.channel(channel, paint) + "  " + sparkline(trails[channel.channel] ?? [])
        }
        for device in devices.devices {
            let facts = device.facts.prefix(4).map { "\($0.key) \($0.value)" }
            lines.append(
                "  \(device.name.padded(to: 18)) \(device.state)  \(facts.joined(separator: ", "))"
            )
        }
        lines += ["", paint.bold("tree")] + ReportText.tree(tree, paint)
        let budget = status.budget
        lines += [
            "",
            "node    \(budget.wakeUps) wake-ups (\(budget.wakeUpsPerMinute)/min), "
                + "\(budget.cpuMilliseconds) ms CPU, \(budget.residentKiB) KiB resident",
            "", paint.bold("events"),
        ]
        return lines + recent
    }

    /// What the demo saw, in a sentence.
    var summary: String {
        "\(readingCount) readings, \(lampChangeCount) lamp changes, \(motionCount) movements"
    }

    private func sparkline(_ values: [Double]) -> String {
        let steps = Array("▁▂▃▄▅▆▇█")
        guard let top = values.max(), top > 0 else { return "" }
        return String(values.map { steps[min(7, max(0, Int($0 / top * 7.99)))] })
    }
}
