import Core

/// The derived channels of one kind of device, and how each is computed of the raw ones.
///
/// Derived channels are named `name@version`, so another version of the graph is another channel:
/// its values never mix with those before.
package struct GraphDescription: Hashable, Sendable {
    /// Nodes of a graph; more are refused.
    static let nodeLimit = 64

    /// 1…9 999, raised with every change that alters a result.
    package let version: Int
    package let channels: [Quantity]
    let externals: [GraphExternal]
    /// In the order of the profile, which is that of the derived readings.
    let nodes: [GraphNode]
    let humid: HumidRule?

    /// When a raw reading is flagged `humid`.
    struct HumidRule: Hashable, Sendable {
        /// Humidity above which optical dust sensors count droplets, in percent.
        ///
        /// - Source: Nova Fitness, *SDS011 specification V1.3*: works up to 70 %.
        static let defaultLimit = 70.0

        let humidity: GraphSource
        /// Humidity above which readings are flagged, in percent.
        let above: Double
        /// Indexes in `GraphDescription.channels` of the readings that it flags.
        let channels: [Int]
    }

    /// Values that other devices must supply.
    package var inputs: [GraphExternal] { externals }

    /// The channels it adds, in their order.
    package var derived: [Quantity] { nodes.map(quantity(of:)) }

    /// Whether it neither derives nor flags anything.
    package var isEmpty: Bool { nodes.isEmpty && humid == nil }

    func quantity(of node: GraphNode) -> Quantity {
        Quantity(
            name: "\(node.name)\(Quantity.versionMark)\(version)",
            unit: node.unit,
            decimals: node.decimals
        )
    }

    // MARK: For people

    /// A line per node: inputs, what it does, output; with units.
    package var drawn: [String] {
        var lines = nodes.map { node in
            let inputs = node.inputs.map(shown).joined(separator: ", ")
            let output = quantity(of: node).name + Self.bracketed(node.unit)
            return "\(inputs) → \(node.operation.text) → \(output)"
        }
        if let humid {
            let names = humid.channels.map { channels[$0].name }.joined(separator: ", ")
            let limit = JSONValue.number(humid.above).shown
            lines.append("\(shown(humid.humidity)) → above \(limit) % → flag humid on \(names)")
        }
        return lines
    }

    private func shown(_ source: GraphSource) -> String {
        switch source {
        case .channel(let index): channels[index].name + Self.bracketed(channels[index].unit)
        case .external(let index):
            externals[index].address + Self.bracketed(externals[index].unit)
        }
    }

    private static func bracketed(_ unit: String) -> String { unit.isEmpty ? "" : " [\(unit)]" }
}
