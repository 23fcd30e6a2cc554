import ClientSupport
import ControlProtocol

/// A station as a screen of lines: pure, from what is known and how large the screen is.
///
/// Lamp, values and faults always have their place; devices, events and the tree of children use
/// the rest.
struct WatchScreen {
    struct Size: Hashable {
        let columns: Int
        let rows: Int
    }

    let state: WatchState
    let moment: ScreenTime
    let size: Size

    /// Lines of the screen: at most `rows`, of at most `columns` cells.
    var lines: [StyledLine] {
        let columns = size.columns
        guard size.rows > 2, columns > 10 else { return [header.cut(to: columns)] }
        var lines = [header]
        if let note = state.note, size.rows >= 16 {
            lines.append(StyledLine(" " + note, .grey))
        }
        var body: [StyledLine]
        if state.status == nil {
            body = waiting
        } else {
            body = fitted(sections, into: size.rows - lines.count - 1)
        }
        let room = size.rows - lines.count - 1
        body = Array(body.prefix(room))
        body += [StyledLine](repeating: StyledLine(), count: room - body.count)
        return (lines + body + [footer]).map { $0.cut(to: columns) }
    }

    private var waiting: [StyledLine] {
        let words = state.trouble ?? "asking the station …"
        let style: StyledLine.Style = state.trouble == nil ? .grey : .yellow
        return [StyledLine()]
            + StyledLine.wrapped(words, style, lead: "  ", columns: size.columns, limit: 6)
    }

    private var sections: [WatchSection] {
        WatchSections(state: state, moment: moment, columns: size.columns, rows: size.rows).all
    }

    /// Shares the rows: each section gets its least, then the remaining rows in order.
    private func fitted(_ sections: [WatchSection], into rows: Int) -> [StyledLine] {
        var heights = [Int](repeating: 0, count: sections.count)
        var left = rows
        for (index, section) in sections.enumerated() {
            let least = min(section.least, section.lines.count)
            guard left >= max(least, section.threshold) + 1 else { continue }
            heights[index] = least
            left -= least + 1
        }
        let order = sections.indices.filter { heights[$0] > 0 }
        for index in order.filter({ sections[$0].isUrgent }) + order {
            let section = sections[index]
            let more = min(left, section.lines.count - heights[index])
            heights[index] += more
            left -= more
        }
        // A blank line above each title, where there is room for all of them.
        let shown = heights.indices.filter { heights[$0] > 0 }
        let hasAir = left >= shown.count
        return shown.flatMap { index -> [StyledLine] in
            let air = hasAir ? [StyledLine()] : []
            return air + [rule(sections[index].title)] + trimmed(sections[index], heights[index])
        }
    }

    private func trimmed(_ section: WatchSection, _ height: Int) -> [StyledLine] {
        guard height < section.lines.count else { return section.lines }
        if section.keepsLast { return section.lines.suffix(height) }
        let hidden = section.lines.count - height + 1
        return section.lines.prefix(height - 1)
            + [StyledLine("   … \(hidden) more lines; a taller window shows them", .grey)]
    }

    /// A title with a line behind it.
    private func rule(_ title: StyledLine) -> StyledLine {
        var line = StyledLine(" ")
        for piece in title.pieces { line.add(piece.text, piece.style) }
        line.add(" " + String(repeating: "─", count: max(0, size.columns - line.width - 2)), .grey)
        return line
    }
}

extension WatchScreen {
    private var header: StyledLine {
        var left = StyledLine(" ")
        left.add(state.status?.name ?? "roost", .bold)
        left.add("   ")
        for piece in lamp.pieces { left.add(piece.text, piece.style) }
        var right = StyledLine()
        if let mode = state.status?.mode, size.columns >= 60 {
            let name = mode.name.map { " \($0)" } ?? ""
            let end = mode.endsInSeconds.map { ", \(short($0)) left" } ?? ""
            right.add("\(mode.mode)\(name)\(end)   ", .grey)
        }
        right.add(size.columns >= 76 ? moment.date : moment.time)
        right.add(" ")
        if state.trouble != nil { right = StyledLine("no answer ", .redBold) }
        return left.with(right: right, columns: size.columns)
    }

    /// The lamp as a picture, and the name of its state.
    private var lamp: StyledLine {
        guard let name = state.status?.lamp else {
            return StyledLine(state.status == nil ? "" : "no lamp", .grey)
        }
        var line = StyledLine()
        let bulbs: [(String, StyledLine.Style)] = [
            ("poor", .redBold), ("moderate", .yellowBold), ("good", .greenBold),
        ]
        for (level, style) in bulbs {
            line.add(name == level ? "●" : "○", name == level ? style : .grey)
        }
        let style = bulbs.first { $0.0 == name }?.1 ?? (name == "fault" ? .redBold : .grey)
        line.add(" \(name)", style)
        return line
    }

    private var footer: StyledLine {
        var left = StyledLine(" q", .bold)
        left.add(" ends this view", .grey)
        guard let status = state.status else { return left }
        let budget = status.budget
        let cost = budget.hour
        var parts = [
            "\(budget.wakeUpsPerMinute.oneDecimal) wake-ups/min",
            "\((Double(budget.residentKiB) / 1_024).oneDecimal) MiB",
        ]
        let minutes = max((cost?.seconds ?? status.uptimeSeconds) / 60, 1.0 / 60)
        let cpu = (cost?.cpuMilliseconds ?? budget.cpuMilliseconds) / minutes
        parts.append("\(cpu.oneDecimal) ms CPU/min")
        if let bytes = cost?.cardBytes {
            parts.append("\((bytes + 1_023) / 1_024) KiB/h to the card")
        }
        parts.append("up \(short(status.uptimeSeconds))")
        for count in (1...parts.count).reversed() {
            let text = parts.prefix(count).joined(separator: " · ") + " "
            if left.width + 2 + text.cells <= size.columns {
                return left.with(right: StyledLine(text, .grey), columns: size.columns)
            }
        }
        return left
    }

    func short(_ seconds: Double) -> String { durationText(seconds: seconds.rounded()) }
}

extension Double {
    /// `12.3`.
    fileprivate var oneDecimal: String { "\((self * 10).rounded() / 10)" }
}
