import Core

/// A node as the profile has it: checked by itself, not yet joined to others.
struct UncheckedNode {
    let place: String
    let name: String?
    let operation: GraphOperation?
    /// Key within the node, and the name it gives.
    let inputs: [(key: String, name: String)]
    let unit: String?
    let decimals: Int?
    let isHidden: Bool
    let gapLimit: Duration

    init(_ value: JSONValue, at place: String, _ problems: ProblemList) {
        self.place = place
        guard var reader = ObjectReader(value, at: place, problems) else {
            (name, operation, inputs, unit, decimals, isHidden) = (nil, nil, [], nil, nil, false)
            gapLimit = GraphNode.defaultGapLimit
            return
        }
        name = reader.required("name")
        let type = reader.required("type")
        // The empty text is the unit of a plain number, and no text to other readers.
        unit = reader.value("unit") == .string("") ? "" : reader.string("unit")
        decimals = reader.integer("decimals", in: 0...9)
        isHidden = reader.bool("hidden") ?? false
        gapLimit = reader.seconds("gapSeconds", in: 1...604_800) ?? GraphNode.defaultGapLimit
        var parser = GraphNodeParser(reader: reader)
        operation = type.flatMap { parser.operation($0) }
        inputs = parser.inputs
        if operation != nil {
            parser.reader.finish()
        }
    }
}

/// Reads the keys that belong to the type of a node.
struct GraphNodeParser {
    var reader: ObjectReader
    private(set) var inputs: [(key: String, name: String)] = []

    init(reader: ObjectReader) { self.reader = reader }

    mutating func operation(_ type: String) -> GraphOperation? {
        guard GraphOperation.types.contains(type) else {
            let hint = GraphWords.hint(type, among: GraphOperation.types)
            reader.problem("type", "no node is of type \"\(type.prefix(36))\"\(hint)")
            return nil
        }
        if type == "combine" { return combine() }
        input("input")
        switch type {
        case "scale": return reader.constant("factor").map { .scale(factor: $0) }
        case "offset": return reader.nanos("by").map { .offset($0) }
        case "polynomial": return polynomial()
        case "table": return table()
        case "movingMean": return window().map { .moving(.mean, $0) }
        case "movingMedian": return window().map { .moving(.median, $0) }
        case "trimmedMean": return trimmedMean()
        case "humidityCorrection": return humidityCorrection()
        case "pressureCorrection": return pressureCorrection()
        case "rate": return rate()
        case "dose": return dose()
        case "threshold": return threshold()
        case "debounce": return debounce()
        default: return gate()
        }
    }

    private mutating func input(_ key: String) {
        if let name = reader.required(key) { inputs.append((key, name)) }
    }

    private mutating func polynomial() -> GraphOperation? {
        guard let terms = numbers("coefficients", 1...8) else { return nil }
        return .polynomial(terms)
    }

    /// An array of constants.
    private mutating func numbers(_ key: String, _ range: ClosedRange<Int>) -> [Int128]? {
        guard reader.require(key) else { return nil }
        let values = reader.array(key, limit: range.upperBound)
        guard values.count >= range.lowerBound else {
            reader.problem(key, "expected \(range.lowerBound) to \(range.upperBound) numbers")
            return nil
        }
        let constants = values.enumerated().compactMap { index, value -> Int128? in
            if case .number(let number) = value, let constant = GraphNumber.constant(number) {
                return constant
            }
            let rule = "expected a number within ±1e9 of at most 18 digits after the point"
            reader.problem("\(key)[\(index)]", "\(rule), found \(value.shown)")
            return nil
        }
        return constants.count == values.count ? constants : nil
    }

    private mutating func table() -> GraphOperation? {
        let outside = reader.string("outside", in: ["noData", "hold"])
        guard reader.require("points") else { return nil }
        let listed = reader.array("points", limit: 64)
        guard listed.count >= 2 else {
            reader.problem("points", "expected 2 to 64 points")
            return nil
        }
        var points: [GraphPoint] = []
        for (index, value) in listed.enumerated() {
            guard case .array(let pair) = value, pair.count == 2, case .number(let first) = pair[0],
                case .number(let second) = pair[1], let x = GraphNumber.value(first),
                let y = GraphNumber.value(second)
            else {
                reader.problem("points[\(index)]", "expected two numbers within ±1e9, as in [1, 2]")
                return nil
            }
            if let last = points.last, last.x >= x {
                let rule = "expected a larger first number than that of the point before"
                reader.problem("points[\(index)]", rule)
                return nil
            }
            points.append(GraphPoint(x: x, y: y))
        }
        return .table(points, holdsEnds: outside == "hold")
    }

    private mutating func window() -> GraphWindow? {
        let limit = GraphWindow.countLimit
        let count = reader.integer("count", in: 1...limit)
        let span = reader.seconds("seconds", in: 1...86_400)
        let atLeast = reader.integer("atLeast", in: 1...limit)
        guard reader.value("count") != nil || reader.value("seconds") != nil else {
            reader.problem("count", "is missing; give count, seconds or both")
            return nil
        }
        let kept = count ?? limit
        if let atLeast, atLeast > kept {
            reader.problem("atLeast", "\(atLeast) values never fit in a window of \(kept)")
            return nil
        }
        return GraphWindow(count: kept, span: span, atLeast: atLeast ?? 1)
    }

    private mutating func trimmedMean() -> GraphOperation? {
        let trim = reader.nanos("trim", in: 0.01...0.45)
        guard let window = window(), let trim else { return nil }
        return .moving(.trimmedMean(thousandths: Int(trim / 1_000_000)), window)
    }

    private mutating func humidityCorrection() -> GraphOperation? {
        input("humidity")
        let hasLimit = reader.value("limit") != nil
        let limit = hasLimit ? reader.nanos("limit", in: 50...99) : 95 * GraphNumber.one
        let fits = ["hackair-pm25", "hackair-pm10", "kappa-kohler"]
        guard reader.require("fit"), let name = reader.string("fit", in: fits) else { return nil }
        let fit: HumidityFit
        if name == "kappa-kohler" {
            guard let kappa = reader.nanos("kappa", in: 0.05...1) else { return nil }
            fit = .kappaKohler(kappa: kappa)
        } else {
            fit = name == "hackair-pm25" ? .hackairPM25 : .hackairPM10
        }
        return limit.map { .humidityCorrection(fit, limit: $0) }
    }

    private mutating func pressureCorrection() -> GraphOperation? {
        input("pressure")
        guard reader.value("referencePascals") != nil else {
            return .pressureCorrection(reference: 101_300 * GraphNumber.one)
        }
        let reference = reader.nanos("referencePascals", in: 70_000...120_000)
        return reference.map { .pressureCorrection(reference: $0) }
    }

    private mutating func rate() -> GraphOperation? {
        let isCounter = reader.bool("counter") ?? false
        let periods = GraphUnit.Period.allCases.map(\.rawValue)
        guard reader.require("per"), let name = reader.string("per", in: periods),
            let period = GraphUnit.Period(rawValue: name)
        else { return nil }
        return .rate(period, isCounter: isCounter)
    }

    private mutating func dose() -> GraphOperation? {
        let hasDeadTime = reader.value("deadTimeMicroseconds") != nil
        let deadTime = hasDeadTime ? reader.nanos("deadTimeMicroseconds", in: 0...1_000) : 0
        let factor = doseFactor()
        guard let factor, let deadTime else { return nil }
        // From 10⁻⁹ µs to ns.
        return .dose(countsPerMicrosievert: factor, deadTime: deadTime / 1_000_000)
    }

    private mutating func doseFactor() -> Int128? {
        let hasFactor = reader.value("cpmPerMicrosievert") != nil
        let tubes = GraphTube.allCases.map(\.rawValue)
        guard let tube = reader.string("tube", in: tubes).flatMap(GraphTube.init) else {
            if reader.value("tube") != nil { return nil }
            guard hasFactor else {
                let choice = "give tube (\(tubes.joined(separator: ", "))) or a number"
                reader.problem("cpmPerMicrosievert", "is missing; \(choice)")
                return nil
            }
            return reader.constant("cpmPerMicrosievert", in: 1...100_000)
        }
        if hasFactor { reader.problem("tube", "either tube or cpmPerMicrosievert, not both") }
        return tube.countsPerMicrosievert
    }

    private mutating func threshold() -> GraphOperation? {
        let on = reader.nanos("on")
        let off = reader.value("off") == nil ? on : reader.nanos("off")
        guard let on, let off else { return nil }
        return .threshold(on: on, off: off)
    }

    private mutating func debounce() -> GraphOperation? {
        reader.nanos("seconds", in: 0.1...86_400).map { .debounce(hold: $0) }
    }

    private mutating func combine() -> GraphOperation? {
        let names = GraphCombination.allCases.map(\.rawValue)
        let listed = reader.array("inputs", limit: 16)
        for (index, value) in listed.enumerated() {
            guard case .string(let name) = value else {
                reader.problem("inputs[\(index)]", "expected a name, found \(value.shown)")
                continue
            }
            inputs.append(("inputs[\(index)]", name))
        }
        let isNamed = reader.require("op")
        let combination = reader.string("op", in: names).flatMap(GraphCombination.init)
        let atLeast = reader.integer("atLeast", in: 1...16)
        guard listed.count >= 2 else {
            reader.problem("inputs", "expected 2 to 16 names")
            return nil
        }
        guard isNamed, let combination else { return nil }
        let takesTwo = combination == .difference || combination == .ratio
        if takesTwo, listed.count != 2 {
            reader.problem("inputs", "\(combination.rawValue) needs 2 inputs")
            return nil
        }
        if let atLeast, takesTwo || combination == .sum || atLeast > listed.count {
            let rule = "only mean, min and max do without inputs, and of those there are"
            reader.problem("atLeast", "\(rule) \(listed.count), found \(atLeast)")
            return nil
        }
        return .combine(combination, atLeast: atLeast ?? listed.count)
    }

    private mutating func gate() -> GraphOperation? {
        if let name = reader.string("when") { inputs.append(("when", name)) }
        var unless = Quality()
        let known = Quality(rawValue: .max).names
        for (index, value) in reader.array("unless", limit: 16).enumerated() {
            guard case .string(let name) = value, let flag = Quality(name: name) else {
                let hint = "; known are \(known.joined(separator: ", "))"
                reader.problem("unless[\(index)]", "expected a flag, found \(value.shown)\(hint)")
                continue
            }
            unless.formUnion(flag)
        }
        if reader.value("when") == nil, reader.value("unless") == nil {
            reader.problem("unless", "is missing; give flags under unless, a node under when")
            return nil
        }
        return .gate(unless: unless)
    }
}

/// Geiger-Müller tubes whose counts per dose are known.
///
/// - Source: Safecast, *safecast-new-map*, conversion.go: 334 counts per minute and µSv/h for
///   LND 7317 and 7318, 108 for LND 712 and 7128; the latter is the data sheet's 18 counts per
///   second and mR/h of Co-60, with 10 µSv for 1 mR. SBM-20: data sheet, 29 counts per second and
///   mR/h of Ra-226, by the same rule.
enum GraphTube: String, CaseIterable {
    case lnd7317 = "LND7317"
    case lnd7318 = "LND7318"
    case lnd712 = "LND712"
    case lnd7128 = "LND7128"
    case sbm20 = "SBM20"

    var countsPerMicrosievert: Int128 {
        switch self {
        case .lnd7317, .lnd7318: 334 * GraphNumber.constantOne
        case .lnd712, .lnd7128: 108 * GraphNumber.constantOne
        case .sbm20: 174 * GraphNumber.constantOne
        }
    }
}

extension Quality {
    /// The flag of this name; nil when none is called so.
    init?(name: String) {
        let found = (0..<16).map { Quality(rawValue: 1 << $0) }.first { $0.names == [name] }
        guard let found else { return nil }
        self = found
    }
}
