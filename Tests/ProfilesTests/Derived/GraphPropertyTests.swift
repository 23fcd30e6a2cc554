import Core
import Profiles
import Testing

@Suite struct GraphPropertyTests {
    private static let channels = [
        Quantity.pm25, .pm10, Quantity(name: "rh", unit: "%", decimals: 2),
        Quantity(name: "total", unit: "count", decimals: 0),
    ]

    @Test(arguments: ["arithmetic", "changes", "windows"])
    func theOrderOfDeclarationChangesNothing(name: String) throws {
        let golden = try #require(try GraphFixture.cases().first { $0.name == name })
        guard case .object(var fields) = golden.graph, case .array(let nodes)? = fields["nodes"]
        else {
            Issue.record("no nodes")
            return
        }
        let lines = try GraphFixture.lines(of: name).prefix(400)
        var dice = SplitMix64(seed: 11)
        for _ in 0..<5 {
            fields["nodes"] = .array(nodes.shuffled(using: &dice))
            let graph = try #require(
                GraphFixture.read(.object(fields), golden.quantities).graph
            )
            for result in GraphFixture.play(Array(lines), golden.quantities, graph) {
                let expected = Set(result.expected.split(separator: " ").map(String.init))
                #expect(Set(result.derived.map(GraphFixture.shown)) == expected)
            }
        }
    }

    @Test func twoRunnersAgree() throws {
        let golden = try #require(try GraphFixture.cases().first { $0.name == "station" })
        let graph = try #require(GraphFixture.read(golden.graph, golden.quantities).graph)
        let lines = try GraphFixture.lines(of: "station")
        let first = GraphFixture.play(lines, golden.quantities, graph).map(\.derived)
        let second = GraphFixture.play(lines, golden.quantities, graph).map(\.derived)
        #expect(first == second)
    }

    /// A hundred thousand graphs in release, where they take seconds.
    @Test func noGraphBreaksReaderOrRunner() {
        var dice = SplitMix64(seed: 4)
        var readCount = 0
        for _ in 0..<Fuzz.graphCount {
            let value = Fuzz.graph(&dice)
            let (graph, problems) = GraphFixture.read(value, Self.channels)
            #expect((graph == nil) == !problems.isEmpty)
            guard let graph else { continue }
            readCount += 1
            #expect(graph.drawn.allSatisfy { !$0.isEmpty })
            var runner = GraphRunner(graph, device: "device")
            var nanoseconds: Int64 = 0
            for _ in 0..<8 {
                nanoseconds += Int64.random(in: -1_000_000_000...90_000_000_000, using: &dice)
                let instant = MonotonicInstant(nanoseconds: max(nanoseconds, 0))
                let sample = Self.channels.map { quantity in
                    let channel = Channel(device: "device", quantity: quantity)
                    return Reading(channel, at: instant, Fuzz.outcome(quantity, &dice))
                }
                let derived = runner.evaluate(runner.flagged(sample))
                #expect(derived.map(\.channel.quantity) == graph.derived)
            }
        }
        // The generator is worth little unless many of its graphs are sound.
        #expect(readCount * 5 > Fuzz.graphCount)
    }
}

/// Graphs that are mostly sound, some of them broken at one place.
private enum Fuzz {
    #if DEBUG
    static let graphCount = 3_000
    #else
    static let graphCount = 100_000
    #endif

    static func outcome(_ quantity: Quantity, _ dice: inout SplitMix64) -> Outcome {
        let extremes: [Int64] = [0, 1, -1, .max, .min, 9_223_372_036, 70_000, 10_500, 10_501]
        switch UInt8.random(in: 0..<8, using: &dice) {
        case 0: return .noData(NoData.allCases.randomElement(using: &dice) ?? .stuck)
        case 1:
            let mantissa = extremes.randomElement(using: &dice) ?? 0
            return .value(FixedPoint(mantissa, decimals: Int.random(in: 0...9, using: &dice)))
        case 2:
            let value = FixedPoint(Int64.random(in: .min ... .max, using: &dice), decimals: 0)
            return .value(value, Quality(rawValue: UInt16.random(in: 0 ... .max, using: &dice)))
        default:
            let mantissa = Int64.random(in: 0...10_000, using: &dice)
            return .value(FixedPoint(mantissa, decimals: quantity.decimals))
        }
    }

    static func graph(_ dice: inout SplitMix64) -> JSONValue {
        var names = ["pm25", "pm10", "rh", "total"]
        var nodes: [JSONValue] = []
        for index in 0..<Int.random(in: 0...6, using: &dice) {
            nodes.append(.object(node("n\(index)", names, &dice)))
            names.append("n\(index)")
        }
        var fields: [String: JSONValue] = ["version": .number(1), "nodes": .array(nodes)]
        if Bool.random(using: &dice) { fields["humid"] = .bool(Bool.random(using: &dice)) }
        if fields["humid"] == .bool(true) { fields["humid"] = nil }
        guard UInt8.random(in: 0..<4, using: &dice) == 0 else { return .object(fields) }
        return broken(.object(fields), &dice)
    }

    private static func node(
        _ name: String,
        _ names: [String],
        _ dice: inout SplitMix64
    ) -> [String: JSONValue] {
        func any() -> JSONValue { .string(names.randomElement(using: &dice) ?? "pm25") }
        func number() -> JSONValue {
            let scales = [1e-9, 1e-3, 0.5, 1, 70, 3_600, 1e9]
            return .number(scales.randomElement(using: &dice) ?? 1)
        }
        var fields: [String: JSONValue] = ["name": .string(name), "input": any()]
        switch UInt8.random(in: 0..<11, using: &dice) {
        case 0: fields.merge(["type": .string("scale"), "factor": number()]) { $1 }
        case 1: fields.merge(["type": .string("offset"), "by": number()]) { $1 }
        case 2:
            fields["type"] = .string("polynomial")
            fields["coefficients"] = .array([number(), number(), number()])
        case 3:
            fields["type"] = .string("table")
            fields["points"] = .array([
                .array([.number(0), number()]), .array([.number(9), number()]),
                .array([.number(1e9), number()]),
            ])
            fields["outside"] = .string("hold")
        case 4: fields.merge(["type": .string("movingMedian"), "count": .number(4)]) { $1 }
        case 5: fields.merge(["type": .string("movingMean"), "seconds": .number(60)]) { $1 }
        case 6:
            fields["input"] = .string("pm25")
            fields["humidity"] = .string(
                ["rh", "station:humidity"].randomElement(using: &dice) ?? ""
            )
            fields.merge(["type": .string("humidityCorrection"), "fit": .string("hackair-pm10")]) {
                $1
            }
        case 7: fields.merge(["type": .string("threshold"), "on": number()]) { $1 }
        case 8: fields.merge(["type": .string("debounce"), "seconds": .number(5)]) { $1 }
        case 9:
            fields["input"] = .string("total")
            fields.merge(["type": .string("rate"), "per": .string("min")]) { $1 }
        default:
            fields["input"] = nil
            fields["inputs"] = .array([.string("pm25"), .string("pm10")])
            let operations = ["sum", "difference", "mean", "min", "max", "ratio"]
            fields["op"] = .string(operations.randomElement(using: &dice) ?? "sum")
            fields["type"] = .string("combine")
        }
        return fields
    }

    /// The value with something else at one place.
    private static func broken(_ value: JSONValue, _ dice: inout SplitMix64) -> JSONValue {
        let stops = UInt8.random(in: 0..<4, using: &dice) == 0
        switch value {
        case .object(var fields) where !stops && !fields.isEmpty:
            let keys = fields.keys.sorted()
            let key = keys.randomElement(using: &dice) ?? ""
            fields[key] = fields[key].map { broken($0, &dice) }
            return .object(fields)
        case .array(var values) where !stops && !values.isEmpty:
            let index = Int.random(in: values.indices, using: &dice)
            values[index] = broken(values[index], &dice)
            return .array(values)
        default:
            let others: [JSONValue] = [
                .null, .bool(true), .number(-1), .number(1e300), .number(.nan), .number(.infinity),
                .number(0.000_000_000_000_000_000_1), .string(""), .string("n0"), .string("a/b"),
                .string("station:"), .string(String(repeating: "x", count: 5_000)),
                .string("m\u{0301}µ°"), .array([]), .object([:]),
            ]
            return others.randomElement(using: &dice) ?? .null
        }
    }
}
