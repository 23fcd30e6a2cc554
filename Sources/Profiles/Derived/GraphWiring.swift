import Core

/// Joins the drafts of nodes: who feeds whom, in which order, in which units.
struct GraphWiring {
    /// Places in the order of evaluation; shorter than the drafts when there is a loop.
    private(set) var order: [Int] = []
    /// In the order of declaration; nil when anything is wrong.
    private(set) var nodes: [GraphNode]?

    private let drafts: [UncheckedNode]
    private let problems: ProblemList
    /// Sources of the inputs of each draft; nil where a name has no source.
    private var inputs: [[GraphSource?]]
    private var units: [GraphUnit?]
    private var decimals: [Int]

    init(_ drafts: [UncheckedNode], _ names: inout GraphNames, _ problems: ProblemList) {
        (self.drafts, self.problems) = (drafts, problems)
        units = Array(repeating: nil, count: drafts.count)
        decimals = Array(repeating: 0, count: drafts.count)
        inputs = []
        for draft in drafts {
            inputs.append(
                draft.inputs.map { names.resolve($0.name, at: "\(draft.place).\($0.key)") }
            )
        }
        sort()
        checkReach()
        checkMemory()
        for index in order { settle(index, names) }
        build()
    }

    // MARK: Order

    private func feeds(_ index: Int) -> [Int] {
        inputs[index].compactMap { if case .node(let other)? = $0 { other } else { nil } }
    }

    /// Inputs first; of those that could come next, the one declared first.
    private mutating func sort() {
        var isPlaced = Array(repeating: false, count: drafts.count)
        while let next = drafts.indices.first(where: { index in
            !isPlaced[index] && feeds(index).allSatisfy { isPlaced[$0] }
        }) {
            isPlaced[next] = true
            order.append(next)
        }
        var isTold = isPlaced
        for start in drafts.indices where !isTold[start] { reportLoop(from: start, &isTold) }
    }

    /// Follows inputs until one comes again, and names that loop unless it was named before.
    private func reportLoop(from start: Int, _ isTold: inout [Bool]) {
        var path: [Int] = []
        var next: Int? = start
        while let index = next, !path.contains(index) {
            if isTold[index] {
                for before in path { isTold[before] = true }
                return
            }
            path.append(index)
            next = feeds(index).first { !order.contains($0) }
        }
        for index in path { isTold[index] = true }
        guard let index = next, let first = path.firstIndex(of: index) else { return }
        // From the one declared first, so that the same loop reads the same.
        let loop = Array(path[first...])
        let lowest = loop.firstIndex(of: loop.min() ?? index) ?? 0
        let turned = loop[lowest...] + loop[..<lowest]
        let names = (turned + turned.prefix(1)).map { drafts[$0].name ?? "?" }
        let place = drafts[turned.first ?? index].place
        // Inputs point backwards; data flows the other way.
        let flow = names.reversed().joined(separator: " → ")
        problems.add(place, "these nodes feed each other in a loop: \(flow)")
    }

    /// A node that no channel of the device reaches would never be worked out.
    private func checkReach() {
        var isReached = Array(repeating: false, count: drafts.count)
        for index in order {
            isReached[index] = inputs[index].contains { source in
                switch source {
                case .channel?, nil: true
                case .node(let other)?: isReached[other]
                case .external?: false
                }
            }
            guard !isReached[index], !inputs[index].isEmpty else { continue }
            let reason = "only other devices feed it; a node needs a channel of its own device"
            problems.add(drafts[index].place, reason)
        }
    }

    private func checkMemory() {
        let counts = drafts.map { draft -> Int in
            if case .moving(_, let window)? = draft.operation { window.count } else { 0 }
        }
        let sum = counts.reduce(0, +)
        guard sum > GraphDescription.memoryLimit, let place = drafts.first?.place else { return }
        let limit = GraphDescription.memoryLimit
        let advice = "give windows of seconds a smaller count"
        problems.add(place, "all windows keep \(sum) values, at most \(limit) fit; \(advice)")
    }

    // MARK: Units

    private mutating func settle(_ index: Int, _ names: GraphNames) {
        let draft = drafts[index]
        var inputUnits: [GraphUnit] = []
        var digits = 0
        for (source, input) in zip(inputs[index], draft.inputs) {
            guard let source else { return }
            let unit: GraphUnit?
            switch source {
            case .node(let other):
                unit = units[other]
                digits = max(digits, decimals[other])
            case .channel(let channel):
                unit = names.unit(of: source, at: "\(draft.place).\(input.key)")
                digits = max(digits, names.channels[channel].decimals)
            case .external:
                unit = names.unit(of: source, at: "\(draft.place).\(input.key)")
            }
            guard let unit else { return }
            inputUnits.append(unit)
        }
        decimals[index] = draft.decimals ?? min(max(digits, 0), 9)
        guard let operation = draft.operation, let first = inputUnits.first else { return }
        if let unit = draft.unit, GraphUnit.named(unit) == nil {
            return problems.add("\(draft.place).unit", GraphUnit.unknown(unit))
        }
        let judge = GraphUnitCheck(draft: draft, names: draft.inputs, problems: problems)
        units[index] = judge.unit(operation, first, inputUnits)
        if case .threshold = operation, draft.decimals == nil { decimals[index] = 0 }
    }

    private mutating func build() {
        guard order.count == drafts.count else { return }
        nodes = drafts.indices.reduce([GraphNode]?.some([])) { built, index in
            let draft = drafts[index]
            let sources = inputs[index].compactMap { $0 }
            guard var built, let name = draft.name, let operation = draft.operation,
                let unit = units[index], sources.count == inputs[index].count
            else { return nil }
            let node = GraphNode(
                name: name,
                operation: operation,
                inputs: sources,
                unit: unit.name,
                decimals: decimals[index],
                isHidden: draft.isHidden,
                gapLimit: draft.gapLimit
            )
            built.append(node)
            return built
        }
    }
}

/// Derives the unit of a node from those of its inputs.
struct GraphUnitCheck {
    let draft: UncheckedNode
    let names: [(key: String, name: String)]
    let problems: ProblemList

    private func refuse(_ key: String, _ reason: String) {
        problems.add("\(draft.place).\(key)", reason)
    }

    /// The unit; nil with a problem noted.
    func unit(
        _ operation: GraphOperation,
        _ first: GraphUnit,
        _ units: [GraphUnit]
    ) -> GraphUnit? {
        switch operation {
        case .scale(let factor): return scaled(first, factor)
        case .polynomial, .table:
            // A calibration may turn anything into anything.
            return draft.unit.flatMap(GraphUnit.named) ?? first
        case .rate(let period, _): return declared(first.per(period))
        case .threshold: return declared(.plain)
        case .dose:
            guard first.name == "cpm" else {
                refuse("input", "a dose comes of counts in cpm, found \(first.shown)")
                return nil
            }
            return declared(.doseRate)
        case .humidityCorrection: return corrected(first, units)
        case .pressureCorrection: return corrected(pressure: first, units)
        case .combine(let combination, _):
            guard areAlike(units) else { return nil }
            return declared(combination == .ratio ? .plain : first)
        case .gate:
            if units.count > 1, units[1].kind != .plain {
                refuse("when", "expected a plain number, found \(units[1].shown)")
                return nil
            }
            return declared(first)
        case .offset, .moving, .debounce: return declared(first)
        }
    }

    /// Returns the unit, or nil and a problem when the profile names a different one.
    private func declared(_ unit: GraphUnit) -> GraphUnit? {
        guard let named = draft.unit, named != unit.name else { return unit }
        refuse(
            "unit",
            "it comes out in \(unit.shown), not in \(GraphUnit.named(named)?.shown ?? "")"
        )
        return nil
    }

    private func scaled(_ unit: GraphUnit, _ factor: Int128) -> GraphUnit? {
        guard let named = draft.unit.flatMap(GraphUnit.named) else { return unit }
        guard named != unit, named.kind == unit.kind, named.size > 0, unit.size > 0 else {
            return named
        }
        // Both at most 10⁹ × 10¹⁸ × 10⁹; a factor such as 1/60 is right to a millionth.
        let wanted = unit.size * GraphNumber.constantOne
        let off = (factor * named.size - wanted).magnitude
        guard off <= UInt128(wanted) / 1_000_000 else {
            let ratio = Double(Int64(unit.size)) / Double(Int64(named.size))
            refuse("factor", "\(unit.shown) becomes \(named.shown) by a factor of \(ratio)")
            return nil
        }
        return named
    }

    private func corrected(_ unit: GraphUnit, _ units: [GraphUnit]) -> GraphUnit? {
        var isSound = true
        if unit.kind != .massConcentration {
            refuse("input", "expected a mass concentration, found \(unit.shown)")
            isSound = false
        }
        if let humidity = units.last, humidity.kind != .relative || units.count < 2 {
            refuse("humidity", "expected a humidity in %, found \(humidity.shown)")
            isSound = false
        }
        return isSound ? declared(unit) : nil
    }

    private func corrected(pressure unit: GraphUnit, _ units: [GraphUnit]) -> GraphUnit? {
        var isSound = true
        if unit.kind != .mixingRatio {
            refuse("input", "expected a mixing ratio in ppm or ppb, found \(unit.shown)")
            isSound = false
        }
        if let pressure = units.last, pressure.name != "Pa" || units.count < 2 {
            refuse("pressure", "expected a pressure in Pa, found \(pressure.shown)")
            isSound = false
        }
        return isSound ? declared(unit) : nil
    }

    private func areAlike(_ units: [GraphUnit]) -> Bool {
        guard let first = units.first,
            let index = units.firstIndex(where: { $0 != first })
        else { return true }
        let other = units[index]
        var advice = ""
        if other.kind == first.kind, other.size > 0, first.size > 0 {
            let ratio = Double(Int64(other.size)) / Double(Int64(first.size))
            advice = "; scale it by \(ratio) to \(first.shown) first"
        }
        let clash = "\(first.shown) and \(other.shown) do not combine"
        refuse(names[index].key, "\(clash)\(advice)")
        return false
    }
}
