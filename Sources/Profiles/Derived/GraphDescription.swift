import Core

/// The nodes between the raw and the derived channels of one kind of device.
///
/// `GraphReader` checked that it has no cycle and that all units agree. Derived channels are named
/// `name@version`, so another version of the graph is another channel: its values never mix with
/// those before.
package struct GraphDescription: Hashable, Sendable {
    /// Nodes of a graph; more are refused.
    package static let nodeLimit = 64
    /// Values that all windows of a graph keep together; more are refused.
    package static let memoryLimit = 10_000

    /// 1…9 999, raised with every change that alters a result.
    package let version: Int
    package let channels: [Quantity]
    let externals: [GraphExternal]
    /// In the order of the profile, which is that of the derived readings.
    let nodes: [GraphNode]
    /// Indexes of `nodes` in the order of evaluation: inputs first, ties by declaration.
    let order: [Int]
    let humid: HumidRule?

    /// When a raw reading is flagged `humid`.
    struct HumidRule: Hashable, Sendable {
        /// Humidity above which optical dust sensors count droplets, in percent.
        ///
        /// - Source: Nova Fitness, *SDS011 specification V1.3*: works up to 70 %.
        static let defaultLimit = 70 * GraphNumber.one

        let humidity: GraphSource
        /// Humidity above which readings are flagged, in billionths of a percent.
        let above: Int64
        /// Indexes in `GraphDescription.channels` of the readings that it flags.
        let channels: [Int]
    }

    /// Graph of a device that has none of its own: only the humidity flag, where humidity is known.
    package static func plain(_ channels: [Quantity]) -> GraphDescription {
        let problems = ProblemList()
        let empty = JSONValue.object(["version": .number(1), "nodes": .array([])])
        return GraphReader.read(empty, channels: channels, at: "graph", problems)
            ?? GraphDescription(
                version: 1,
                channels: channels,
                externals: [],
                nodes: [],
                order: [],
                humid: nil
            )
    }

    /// Values that other devices must supply.
    package var inputs: [GraphExternal] { externals }

    /// The channels it adds, in their order.
    package var derived: [Quantity] { nodes.indices.filter { !nodes[$0].isHidden }.map(quantity) }

    /// Whether it neither derives nor flags anything.
    package var isEmpty: Bool { nodes.isEmpty && humid == nil }

    func quantity(_ index: Int) -> Quantity {
        let node = nodes[index]
        return Quantity(
            name: "\(node.name)\(Quantity.versionMark)\(version)",
            unit: node.unit,
            decimals: node.decimals
        )
    }

    // MARK: For people

    /// A line per node in the order of evaluation: inputs, what it does, output; with units.
    package var drawn: [String] {
        var lines = order.map { index in
            let node = nodes[index]
            let inputs = node.inputs.map(shown).joined(separator: ", ")
            let output = node.isHidden ? node.name : quantity(index).name
            let hidden = node.isHidden ? " (hidden)" : ""
            let unit = Self.bracketed(node.unit)
            return "\(inputs) → \(node.operation.text) → \(output)\(unit)\(hidden)"
        }
        if let humid {
            let names = humid.channels.map { channels[$0].name }.joined(separator: ", ")
            let limit = GraphNumber.reading(humid.above, decimals: 0)
            lines.append("\(shown(humid.humidity)) → above \(limit) % → flag humid on \(names)")
        }
        return lines
    }

    private func shown(_ source: GraphSource) -> String {
        switch source {
        case .channel(let index): channels[index].name + Self.bracketed(channels[index].unit)
        case .external(let index):
            externals[index].address + Self.bracketed(externals[index].unit)
        case .node(let index): nodes[index].name + Self.bracketed(nodes[index].unit)
        }
    }

    private static func bracketed(_ unit: String) -> String { unit.isEmpty ? "" : " [\(unit)]" }
}

extension GraphOperation {
    /// Describes the operation, with its constants.
    var text: String {
        switch self {
        case .scale(let factor): "scale × \(Self.plain(factor))"
        case .offset(let value): "offset \(value < 0 ? "" : "+")\(Self.plain(Int128(value), 9))"
        case .polynomial(let terms):
            "polynomial \(terms.map { Self.plain($0) }.joined(separator: ", "))"
        case .table(let points, let holdsEnds):
            "table of \(points.count)\(holdsEnds ? ", ends held" : "")"
        case .moving(_, let window): type + " " + window.text
        case .humidityCorrection(let fit, let limit):
            "humidityCorrection \(fit.text), up to \(Self.plain(Int128(limit), 9)) %"
        case .rate(let period, let isCounter):
            "rate per \(period.rawValue)\(isCounter ? " of a counter" : "")"
        case .pressureCorrection(let reference):
            "pressureCorrection to \(Self.plain(Int128(reference), 9)) Pa"
        case .dose(let counts, let deadTime): Self.doseWords(counts, deadTime)
        case .threshold(let on, let off):
            "threshold on \(Self.plain(Int128(on), 9)), off \(Self.plain(Int128(off), 9))"
        case .debounce(let hold): "debounce \(Self.plain(Int128(hold), 9)) s"
        case .combine(let combination, _): combination.rawValue
        case .gate(let unless): Self.gateWords(unless)
        }
    }

    private static func doseWords(_ counts: Int128, _ deadTime: Int64) -> String {
        let lost = deadTime == 0 ? "" : ", dead time \(plain(Int128(deadTime), 3)) µs"
        return "dose ÷ \(plain(counts))\(lost)"
    }

    private static func gateWords(_ unless: Quality) -> String {
        unless.isEmpty ? "gate" : "gate unless \(unless.names.joined(separator: ", "))"
    }

    /// A count of 10^−places as people write it.
    private static func plain(_ number: Int128, _ places: Int = 18) -> String {
        var digits = Array(String(number.magnitude))
        if digits.count <= places {
            digits.insert(contentsOf: repeatElement("0", count: places + 1 - digits.count), at: 0)
        }
        let fraction = String(digits.suffix(places).reversed().drop { $0 == "0" }.reversed())
        let whole = String(digits.dropLast(places))
        return (number < 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : ".\(fraction)")
    }
}

extension GraphWindow {
    fileprivate var text: String {
        guard let span else { return "of \(count)" }
        return "of \(Int64(span.inSeconds)) s, at most \(count)"
    }
}

extension HumidityFit {
    fileprivate var text: String {
        switch self {
        case .hackairPM25: "hackair-pm25"
        case .hackairPM10: "hackair-pm10"
        case .kappaKohler(let kappa): "kappa-kohler κ \(GraphNumber.reading(kappa, decimals: 2))"
        }
    }
}
