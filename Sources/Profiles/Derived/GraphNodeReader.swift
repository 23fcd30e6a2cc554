import Core

/// Reads one node of a graph, and reports each mistake in it.
struct GraphNodeReader {
    private var reader: ObjectReader

    init(reader: ObjectReader) { self.reader = reader }

    /// Reads the node.
    ///
    /// - Parameter names: What its inputs may be; gets the node's own name.
    /// - Returns: nil with a problem noted.
    mutating func node(_ names: inout GraphNames) -> GraphNode? {
        let name = reader.required("name")
        if let name { names.add(node: name, at: reader.path("name")) }
        guard let type = reader.required("type") else { return nil }
        guard GraphOperation.types.contains(type) else {
            let known = GraphOperation.types
            let nearest = Spelling.nearest(to: type, among: known)
            let all = nearest == nil ? "; there are \(known.joined(separator: ", "))" : ""
            let reason = "no node is of type \"\(type.prefix(36))\"\(all)"
            reader.problem("type", reason, meant: nearest)
            return nil
        }
        let expected = GraphOperation.inputs(of: type)
        let inputs = expected.compactMap { source(of: $0, &names) }
        let operation = operation(type)
        let (unit, decimals) = (reader.string("unit"), reader.whole("decimals", in: 0...9))
        reader.finish()
        guard inputs.count == expected.count, let operation, let name else { return nil }
        let own = inputs.compactMap { if case .channel(let index) = $0 { index } else { nil } }
        guard !own.isEmpty, let first = inputs.first else {
            reader.problems("only other devices feed it; a node needs a channel of its own device")
            return nil
        }
        let result = operation.unit(of: names.unit(of: first))
        if let unit, unit != result {
            reader.problem("unit", "it comes out in \(result), not in \(unit)")
        }
        return GraphNode(
            name: name,
            operation: operation,
            inputs: inputs,
            unit: result,
            decimals: decimals ?? own.map { names.channels[$0].decimals }.max() ?? 0
        )
    }

    private mutating func source(
        of input: GraphOperation.Input,
        _ names: inout GraphNames
    ) -> GraphSource? {
        guard let name = reader.required(input.key),
            let source = names.resolve(name, at: reader.path(input.key))
        else { return nil }
        let unit = names.unit(of: source)
        guard input.units.contains(unit) else {
            let units = input.units.joined(separator: " or ")
            let found = unit.isEmpty ? "a plain number" : unit
            reader.problem(input.key, "expected \(input.kind) in \(units), found \(found)")
            return nil
        }
        return source
    }

    private mutating func operation(_ type: String) -> GraphOperation? {
        switch type {
        case "humidityCorrection": humidityCorrection()
        case "pressureCorrection":
            value("referencePascals", in: 70_000...120_000, otherwise: 101_300)
                .map { .pressureCorrection(reference: $0) }
        case "dewPoint": .dewPoint
        default: dose()
        }
    }

    private mutating func humidityCorrection() -> GraphOperation? {
        let limit = value("limit", in: 50...99, otherwise: 95)
        let fits = HumidityFit.allCases.map(\.rawValue)
        if reader.value("fit") == nil { reader.problem("fit", "is missing") }
        guard let fit = reader.string("fit", in: fits).flatMap(HumidityFit.init) else { return nil }
        return limit.map { .humidityCorrection(fit, limit: $0) }
    }

    private mutating func dose() -> GraphOperation? {
        let deadTime = value("deadTimeMicroseconds", in: 0...1_000, otherwise: 0)
        guard let factor = countsPerMicrosievert(), let deadTime else { return nil }
        return .dose(countsPerMicrosievert: factor, deadTime: deadTime)
    }

    private mutating func countsPerMicrosievert() -> Double? {
        let key = "cpmPerMicrosievert"
        let hasFactor = reader.value(key) != nil
        let tubes = GraphTube.allCases.map(\.rawValue)
        guard reader.value("tube") != nil else {
            if !hasFactor {
                let choice = "give tube (\(tubes.joined(separator: ", "))) or a number"
                reader.problem(key, "is missing; \(choice)")
            }
            return reader.number(key, in: 1...100_000)
        }
        if hasFactor { reader.problem("tube", "either tube or \(key), not both") }
        return reader.string("tube", in: tubes).flatMap(GraphTube.init)?.countsPerMicrosievert
    }

    /// A number; the default without the key, nil for a wrong one.
    private mutating func value(
        _ key: String,
        in range: ClosedRange<Double>,
        otherwise value: Double
    ) -> Double? {
        reader.value(key) == nil ? value : reader.number(key, in: range)
    }
}
