import Core
import Testing

@testable import Profiles

@Suite struct GraphPropertyTests {
    private static let channels = [
        Quantity.pm25, .pm10, Quantity(name: "rh", unit: "%", decimals: 2),
        Quantity(name: "cpm", unit: "cpm", decimals: 0),
        Quantity(name: "co2", unit: "ppm", decimals: 0),
        Quantity(name: "air", unit: "Pa", decimals: 0), .temperature,
    ]

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
        let nodes = (0..<Int.random(in: 0...6, using: &dice)).map { index in
            JSONValue.object(node("n\(index)", &dice))
        }
        var fields: [String: JSONValue] = ["version": .number(1), "nodes": .array(nodes)]
        if Bool.random(using: &dice) { fields["humid"] = .bool(Bool.random(using: &dice)) }
        if fields["humid"] == .bool(true) { fields["humid"] = nil }
        guard UInt8.random(in: 0..<4, using: &dice) == 0 else { return .object(fields) }
        return broken(.object(fields), &dice)
    }

    private static func node(
        _ name: String,
        _ dice: inout SplitMix64
    ) -> [String: JSONValue] {
        func any(_ names: [String]) -> JSONValue {
            .string(names.randomElement(using: &dice) ?? "")
        }
        func number(_ numbers: [Double]) -> JSONValue {
            .number(numbers.randomElement(using: &dice) ?? 1)
        }
        var fields: [String: JSONValue] = ["name": .string(name)]
        switch UInt8.random(in: 0..<4, using: &dice) {
        case 3:
            fields["type"] = .string("dewPoint")
            fields["input"] = .string("temperature")
            fields["humidity"] = any(["rh", "station:humidity"])
        case 0:
            fields["type"] = .string("humidityCorrection")
            fields["input"] = any(["pm25", "pm10"])
            fields["humidity"] = any(["rh", "station:humidity"])
            fields["fit"] = any(["hackair-pm25", "hackair-pm10"])
            fields["limit"] = number([50, 70, 99])
        case 1:
            fields["type"] = .string("pressureCorrection")
            fields["input"] = .string("co2")
            fields["pressure"] = any(["station:pressure", "air"])
            fields["referencePascals"] = number([70_000, 95_000.5, 120_000])
        default:
            fields["type"] = .string("dose")
            fields["input"] = .string("cpm")
            fields["cpmPerMicrosievert"] = number([1, 0.5, 175.4, 1e5])
            fields["deadTimeMicroseconds"] = number([0, 1e-9, 190, 1_000])
        }
        if Bool.random(using: &dice) { fields["decimals"] = number([0, 3, 9, 9.5]) }
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
