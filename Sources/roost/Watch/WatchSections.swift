import Alerts
import ClientSupport
import ControlProtocol
import Core

/// One part of the screen: a title and lines below it.
struct WatchSection {
    let title: StyledLine
    let lines: [StyledLine]
    /// Lines that it has before any other gets more.
    let least: Int
    /// Whether it gets remaining rows before the others.
    var isUrgent = false
    /// Whether the last lines are the ones to keep.
    var keepsLast = false
    /// Rows that there have to be for it; fewer and it is left out.
    var threshold = 1
}

/// The content of each section of a live view.
struct WatchSections {
    let state: WatchState
    let moment: ScreenTime
    let columns: Int
    let rows: Int

    /// Sections in their order, those without content left out.
    var all: [WatchSection] { [values, faults, alerts, devices, events, tree].compactMap(\.self) }

    private static let ageCells = 6

    private var values: WatchSection? {
        guard let status = state.status else { return nil }
        guard !status.channels.isEmpty else {
            let message = "none yet: the first comes when a sensor has warmed up"
            return WatchSection(
                title: heading("VALUES"),
                lines: [StyledLine("   " + message)],
                least: 1
            )
        }
        let channels = inOrder(status.channels)
        let name = width(channels.map(\.channel), least: 8, share: 0.34)
        let newest = channels.map { state.newest(of: $0) }
        let value = newest.compactMap { $0?.measured?.description.cells }.max() ?? 1
        let unit = width(channels.map(\.unit), least: 1, share: 0.2)
        let bars = min(60, columns - name - value - unit - Self.ageCells - 10)
        let lines = zip(channels, newest).map { channel, reading in
            line(channel, reading, name: name, value: value, unit: unit, bars: bars)
        }
        var title = heading("VALUES")
        let span = state.trails.values.map { $0.span(columns: bars) }.max() ?? 0
        if bars >= 8, span > 0 {
            title.add("  bars: last \(durationText(seconds: span.rounded()))", .grey)
        }
        return WatchSection(title: title, lines: lines, least: 4)
    }

    /// Values first, then what has none, then counts of particles; what a part does not measure is
    /// left out.
    private func inOrder(_ channels: [ChannelReport]) -> [ChannelReport] {
        func rank(_ channel: ChannelReport) -> Int? {
            let newest = state.newest(of: channel)
            if newest?.noData == "notMeasured" { return nil }
            if channel.unit.hasPrefix("1/") { return 2 }
            return newest?.value == nil ? 1 : 0
        }
        return (0...2).flatMap { wanted in channels.filter { rank($0) == wanted } }
    }

    private func line(
        _ channel: ChannelReport,
        _ reading: ReadingReport?,
        name: Int,
        value: Int,
        unit: Int,
        bars: Int
    ) -> StyledLine {
        var line = StyledLine("   ")
        line.add(
            channel.channel.cells > name
                ? channel.channel.cut(toCells: name - 1) + "…" : channel.channel
        )
        line.pad(to: 3 + name + 2)
        let last = columns - 1
        guard let reading else {
            line.add("–".aligned(to: value), .grey)
            line.add("  nothing yet", .grey)
            return line
        }
        let seconds = max(0, moment.bootSeconds - reading.instantSeconds)
        let age = StyledLine(Self.age(seconds) + " ", channel.isStale ? .red : .grey)
        guard let text = reading.measured?.description else {
            line.add("–".aligned(to: value), .yellow)
            line.add("  " + Self.reason(reading.noData), .yellow)
            return line.cut(to: last - age.width).with(right: age, columns: last)
        }
        line.add(text.aligned(to: value), channel.isStale ? .grey : .bold)
        line.add(" \(channel.unit)")
        line.pad(to: 3 + name + 2 + value + 1 + unit + 2)
        if !reading.quality.isEmpty {
            line.add("doubtful: " + reading.quality.joined(separator: ", "), .yellow)
        } else if bars >= 4 {
            line.add(state.trails[channel.channel]?.bars(columns: bars) ?? "", .green)
        }
        return line.cut(to: last - age.width).with(right: age, columns: last)
    }

    private var faults: WatchSection? {
        guard let faults = state.status?.faults else { return nil }
        guard !faults.isEmpty || state.trouble != nil else { return nil }
        var lines: [StyledLine] = []
        if let trouble = state.trouble {
            lines += wrapped(trouble, .yellow, lead: " ! ", limit: 4)
        }
        for fault in faults {
            let age = Self.age(fault.ageSeconds)
            lines += wrapped("\(age): \(fault.sentence)", .red, lead: " ✗ ", limit: 2)
            lines += wrapped(fault.nextStep, .plain, lead: "   → ", limit: 2)
        }
        var title = StyledLine("FAULTS", .redBold)
        title.add(" \(faults.count)", .red)
        return WatchSection(title: title, lines: lines, least: 6, isUrgent: true)
    }

    private var alerts: WatchSection? {
        guard let raised = state.status?.alerts?.raised, !raised.isEmpty else { return nil }
        let lines = raised.flatMap { alert in
            let style: StyledLine.Style = alert.severity == "critical" ? .red : .yellow
            let age = Self.age(alert.sinceSeconds)
            let titles = state.status?.titles ?? [:]
            let name = AlertNames.name(of: alert.key, in: .en, titles: titles)
            return wrapped("\(age): \(name)", style, lead: " ! ", limit: 2)
        }
        var title = heading("ALERTS")
        title.add(" \(raised.count)", .yellow)
        return WatchSection(title: title, lines: lines, least: 2, isUrgent: true)
    }

    private func wrapped(
        _ text: String,
        _ style: StyledLine.Style,
        lead: String,
        limit: Int
    ) -> [StyledLine] {
        StyledLine.wrapped(text, style, lead: lead, columns: columns - 1, limit: limit)
    }

    private var devices: WatchSection? {
        guard let report = state.devices else { return nil }
        // Where there is no room for all, those in trouble are the ones to see.
        let shown = [true, false].flatMap { isIll in
            report.devices.filter { (Self.style(ofState: $0.state) == .red) == isIll }
        }
        guard !shown.isEmpty else {
            let line = StyledLine("   none in use; plug a sensor in", .grey)
            return WatchSection(title: heading("DEVICES"), lines: [line], least: 1)
        }
        let name = width(shown.map(\.name), least: 6, share: 0.25)
        let kind = width(shown.map(\.type), least: 4, share: 0.25)
        let lines = shown.map { device in
            var line = StyledLine("   ")
            line.add(device.name.cut(toCells: name))
            line.pad(to: 3 + name + 2)
            line.add(device.type.cut(toCells: kind), .grey)
            line.pad(to: 3 + name + 2 + kind + 2)
            line.add(device.state, Self.style(ofState: device.state))
            line.pad(to: 3 + name + 2 + kind + 2 + 14)
            let facts = FactText.pairs(device.facts).prefix(4).map { "\($0.label) \($0.value)" }
            line.add(facts.joined(separator: ", "), .grey)
            return line.cut(to: columns - 1)
        }
        return WatchSection(title: heading("DEVICES"), lines: lines, least: 2)
    }

    private var events: WatchSection? {
        guard !state.events.isEmpty else { return nil }
        let source = width(state.events.map(\.source), least: 6, share: 0.25)
        let lines = state.events.map { event in
            var line = StyledLine("   ")
            line.add(moment.clock(at: event.instantSeconds), .grey)
            line.add("  " + event.source.cut(toCells: source).padded(to: source) + "  ")
            let style: StyledLine.Style =
                switch event.severity {
                case "error": .red
                case "warning": .yellow
                default: .plain
                }
            line.add(event.kind, style)
            line.add("  " + FactText.line(event.details), .grey)
            return line.cut(to: columns - 1)
        }
        return WatchSection(
            title: heading("EVENTS"),
            lines: lines.suffix(20),
            least: 2,
            keepsLast: true
        )
    }

    /// The tree of children, where the screen is tall.
    private var tree: WatchSection? {
        guard let tree = state.tree, rows >= 30 else { return nil }
        let lines = ReportText.tree(tree, Paint(isColoured: false)).map { text in
            var line = StyledLine("   ")
            line.add(text, .grey)
            return line.cut(to: columns - 1)
        }
        return WatchSection(title: heading("SUPERVISION"), lines: lines, least: 6, threshold: 6)
    }

    private func heading(_ text: String) -> StyledLine { StyledLine(text, .bold) }

    /// Returns the width of the widest text, within bounds.
    private func width(_ texts: [String], least: Int, share: Double) -> Int {
        let widest = texts.map(\.cells).max() ?? least
        return min(max(widest, least), max(least, Int(Double(columns) * share)))
    }

    private static func style(ofState state: String) -> StyledLine.Style {
        switch state {
        case "absent", "unusable", "fault", "faulty", "not answering": .red
        case "starting", "settling", "unknown", "moderate": .yellow
        default: .green
        }
    }

    /// `7 s`, `12 min`, `3 h`, `9 d`: one number, so that columns stay.
    static func age(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds))
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3_600: return "\(whole / 60) min"
        case ..<86_400: return "\(whole / 3_600) h"
        default: return "\(whole / 86_400) d"
        }
    }

    /// Why there is no value, for a person.
    static func reason(_ name: String?) -> String {
        switch name {
        case "replyTimeout": "does not answer"
        case "badFrames": "gives noise at this speed, or is another part"
        case "warmingUp": "warms up"
        case "unplugged": "is not plugged in"
        case "unusable": "cannot be used"
        case "stuck": "repeats itself for ever"
        case "stopped": "was stopped"
        case "noFix": "does not know where it is"
        case "notMeasured": "is not measured by this variant"
        case "stale": "waits for what it is worked out from"
        case "gated": "is outside of what its calculation holds for"
        case "outOfRange": "lies out of range"
        case "muted": "is muted by you"
        case let other: other ?? "no value"
        }
    }
}
