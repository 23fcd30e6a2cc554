import Core
import Devices
import Profiles

/// Profiles as text.
enum ProfileText {
    static func lines(_ profile: Profile) -> [String] {
        var lines = ["\(profile.id) – \(profile.name)", profile.description, ""]
        lines.append(row("kind", profile.kind.rawValue))
        lines.append(row("from", profile.origin))
        if let driver = profile.driver { lines.append(row("driver", driver)) }
        for (index, match) in profile.matches.enumerated() {
            lines.append(row(index == 0 ? "adapters" : "", match.text))
        }
        if let probe = profile.probe { lines.append(row("probe", text(probe))) }
        if let duty = profile.duty {
            let period = "every \(seconds(duty.period)), \(seconds(duty.warmUp)) of warm-up"
            lines.append(row("duty", "\(period), \(seconds(duty.window)) of values"))
            let preheat = "its first value counts after \(seconds(profile.preheat)) with power"
            lines.append(row("preheat", preheat))
        }
        for channel in profile.channels {
            let (low, high) = (number(channel.range.lowerBound), number(channel.range.upperBound))
            let quantity = channel.quantity
            lines.append(
                row(quantity.name, "\(low)…\(high) \(quantity.unit). \(channel.description)")
            )
        }
        if let board = profile.board { lines += Self.lines(board) }
        if profile.graph != nil || !ownDrawn(profile).isEmpty { lines += [""] + graph(profile) }
        for (index, source) in profile.sources.enumerated() {
            lines.append(row(index == 0 ? "sources" : "", source))
        }
        return lines
    }

    /// The graph as text: one node a line, its inputs before it.
    static func graph(_ profile: Profile) -> [String] {
        guard case .object(let graph)? = profile.graph, case .array(let nodes)? = graph["nodes"]
        else {
            let drawn = ownDrawn(profile)
            return drawn.isEmpty
                ? ["\(profile.id) reckons nothing: all its channels are as measured"] : drawn
        }
        return nodes.map { node in
            guard case .object(let fields) = node else { return node.text }
            let inputs = fields["input"] ?? fields["inputs"] ?? .null
            let others = fields.filter { !["input", "inputs", "name", "type"].contains($0.key) }
            let settings = others.sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
            let (type, name) = (plain(fields["type"]), plain(fields["name"]))
            return "\(plain(inputs)) ─▶ \(type)(\(settings)) ─▶ \(name)"
        }
    }

    /// The nodes that a profile without a graph has by itself; empty for none.
    private static func ownDrawn(_ profile: Profile) -> [String] {
        let graph = profile.graph(of: profile.channels.map(\.quantity))
        return profile.graph == nil && !graph.derived.isEmpty ? graph.drawn : []
    }

    private static func plain(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .array(let values)?: values.map(plain).joined(separator: ", ")
        case let value?: value.text
        case nil: "?"
        }
    }

    private static func text(_ probe: ProbeRules) -> String {
        let rates = probe.bauds.map(String.init).joined(separator: ", ")
        let listening = "listens \(seconds(probe.listen)) at \(rates) baud"
        return probe.mayAsk
            ? "\(listening), asks where it hears nothing" : "\(listening), never writes"
    }

    private static func lines(_ board: BoardProfile) -> [String] {
        var lines: [String] = []
        if let chip = board.gpioChip { lines.append(row("GPIO chip", chip)) }
        if !board.header.isEmpty {
            let pins = board.header.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines.append(row("header", pins.joined(separator: ", ")))
        }
        if let limit = board.watchdogLimit {
            lines.append(row("watchdog", "at most \(seconds(limit))"))
        }
        if !board.uarts.isEmpty {
            lines.append(row("ports", board.uarts.joined(separator: ", ")))
        }
        return lines
    }

    private static func row(_ name: String, _ value: String) -> String {
        StoreText.row(name, value)
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(number(duration / .seconds(1))) s"
    }

    private static func number(_ value: Double) -> String { JSONValue.number(value).shown }
}
