import Core

/// Reads the graph of a profile, and reports all mistakes at once.
package enum GraphReader {
    /// Reads a graph for the channels of a profile.
    ///
    /// - Parameters:
    ///   - value: The profile's value for `graph`.
    ///   - channels: The raw channels of the profile.
    ///   - place: Path of the value within the file.
    ///   - problems: Collects each mistake, with its path.
    /// - Returns: The graph; nil with at least one problem noted.
    package static func read(
        _ value: JSONValue,
        channels: [ChannelProfile],
        at place: String = "graph",
        _ problems: ProblemList
    ) -> GraphDescription? {
        read(value, channels: channels.map(\.quantity), at: place, problems)
    }

    /// Reads a graph for channels of which only the quantity is known.
    package static func read(
        _ value: JSONValue,
        channels: [Quantity],
        at place: String,
        _ problems: ProblemList
    ) -> GraphDescription? {
        let before = problems.problems.count
        guard var reader = ObjectReader(value, at: place, problems) else { return nil }
        let version = reader.requiredWhole("version", in: 1...9_999)
        var names = GraphNames(channels: channels, problems: problems)
        names.readExternals(reader.value("inputs"), at: reader.path("inputs"))
        let isListed = reader.value("nodes") != nil
        if !isListed { reader.problem("nodes", "is missing; a graph without nodes has []") }
        let listed = reader.array("nodes", limit: GraphDescription.nodeLimit)
        var nodes: [GraphNode] = []
        for (index, node) in listed.enumerated() {
            let here = "\(reader.path("nodes"))[\(index)]"
            guard let node = ObjectReader(node, at: here, problems) else { continue }
            var parser = GraphNodeReader(reader: node)
            if let node = parser.node(&names) { nodes.append(node) }
        }
        let humid = names.readHumid(reader.value("humid"), at: reader.path("humid"))
        reader.finish()
        guard problems.problems.count == before, let version else { return nil }
        return GraphDescription(
            version: version,
            channels: channels,
            externals: names.externals,
            nodes: nodes,
            humid: humid
        )
    }
}

extension GraphDescription {
    /// Graph of a device that has none of its own: only the humidity flag, where humidity is known.
    ///
    /// - Parameter hasDewPoint: Whether it adds the dew point, where temperature and humidity are.
    package static func plain(
        _ channels: [Quantity],
        hasDewPoint: Bool = false
    ) -> GraphDescription {
        var names = GraphNames(channels: channels, problems: ProblemList())
        let humid = names.readHumid(nil, at: "humid")
        let dewPoint = hasDewPoint ? dewPoint(of: channels) : nil
        return GraphDescription(
            version: 1,
            channels: channels,
            externals: names.externals,
            nodes: [dewPoint].compactMap(\.self),
            humid: humid
        )
    }

    private static func dewPoint(of channels: [Quantity]) -> GraphNode? {
        func place(_ name: String, _ unit: String) -> GraphSource? {
            channels.firstIndex { $0.name == name && $0.unit == unit }.map { .channel($0) }
        }
        guard let temperature = place("temperature", "°C"), let humidity = place("humidity", "%"),
            !channels.contains(where: { $0.name == "dew_point" })
        else { return nil }
        return GraphNode(
            name: "dew_point",
            operation: .dewPoint,
            inputs: [temperature, humidity],
            unit: "°C",
            decimals: 1
        )
    }
}

extension Profile {
    /// Its graph, which was checked when the profile was read; else a plain one of `quantities`.
    ///
    /// A part on a bus that measures temperature and humidity has a dew point by itself: both are
    /// of the same air at the same moment, so there is nothing to choose. A dust sensor's own
    /// climate is that of its inside, and a line of text may be of two places.
    package func graph(of quantities: [Quantity]) -> GraphDescription {
        let graph = graph.flatMap {
            GraphReader.read($0, channels: channels, at: "graph", ProblemList())
        }
        return graph ?? .plain(quantities, hasDewPoint: kind == .bus)
    }
}
