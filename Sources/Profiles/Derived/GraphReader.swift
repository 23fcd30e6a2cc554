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
        let version = reader.requiredInteger("version", in: 1...9_999)
        var names = GraphNames(channels: channels, problems: problems)
        names.readExternals(reader.value("inputs"), at: reader.path("inputs"))
        let isListed = reader.value("nodes") != nil
        if !isListed { reader.problem("nodes", "is missing; a graph without nodes has []") }
        let listed = reader.array("nodes", limit: GraphDescription.nodeLimit)
        let drafts = listed.enumerated().map { index, node in
            UncheckedNode(node, at: "\(reader.path("nodes"))[\(index)]", problems)
        }
        names.add(drafts)
        let wiring = GraphWiring(drafts, &names, problems)
        let humid = names.readHumid(reader.value("humid"), at: reader.path("humid"))
        reader.finish()
        guard problems.problems.count == before, let version, let nodes = wiring.nodes else {
            return nil
        }
        return GraphDescription(
            version: version,
            channels: channels,
            externals: names.externals,
            nodes: nodes,
            order: wiring.order,
            humid: humid
        )
    }
}

extension Profile {
    /// Its graph, which was checked when the profile was read; else a plain one of `quantities`.
    package func graph(of quantities: [Quantity]) -> GraphDescription {
        let graph = graph.flatMap {
            GraphReader.read($0, channels: channels, at: "graph", ProblemList())
        }
        return graph ?? .plain(quantities)
    }
}

extension ObjectReader {
    mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        let bounds = Double(range.lowerBound)...Double(range.upperBound)
        guard let number = number(key, in: bounds) else { return nil }
        guard let integer = Int(exactly: number) else {
            problem(key, "expected a whole number, found \(number)")
            return nil
        }
        return integer
    }

    mutating func requiredInteger(_ key: String, in range: ClosedRange<Int>) -> Int? {
        require(key) ? integer(key, in: range) : nil
    }

    /// Reads a constant as a count of 10⁻¹⁸: at most 18 digits after the point.
    mutating func constant(
        _ key: String,
        in range: ClosedRange<Double> = -1e9...1e9
    ) -> Int128? {
        guard require(key), let number = number(key, in: range) else { return nil }
        if let constant = GraphNumber.constant(number) { return constant }
        problem(key, "expected at most 18 digits after the point, found \(number)")
        return nil
    }

    /// Reads a value as a count of 10⁻⁹: at most nine digits after the point.
    mutating func nanos(
        _ key: String,
        in range: ClosedRange<Double> = -1e9...1e9
    ) -> Int64? {
        guard let constant = constant(key, in: range) else { return nil }
        guard constant % 1_000_000_000 == 0 else {
            problem(key, "expected at most 9 digits after the point")
            return nil
        }
        return Int64(exactly: constant / 1_000_000_000)
    }

    /// Adds a problem unless the key is there.
    mutating func require(_ key: String) -> Bool {
        let isPresent = value(key) != nil
        if !isPresent { problem(key, "is missing") }
        return isPresent
    }
}
