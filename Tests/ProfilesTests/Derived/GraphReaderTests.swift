import Core
import Profiles
import Testing

@Suite struct GraphReaderTests {
    static let channels = [
        Quantity.pm25, .pm10, Quantity(name: "humidity", unit: "%", decimals: 1),
        Quantity(name: "pressure", unit: "Pa", decimals: 0),
        Quantity(name: "station_pressure", unit: "hPa", decimals: 1),
        Quantity(name: "odd", unit: "furlong", decimals: 1),
        Quantity(name: "co2", unit: "ppm", decimals: 0),
        Quantity(name: "cpm", unit: "cpm", decimals: 0),
    ]

    private func problems(_ nodes: String, rest: String = "") throws -> [String] {
        let text = "{\"version\": 1, \"nodes\": [\(nodes)]\(rest)}"
        let (graph, problems) = try GraphFixture.read(text, Self.channels)
        #expect((graph == nil) == !problems.isEmpty)
        return problems
    }

    @Test func namesTheLoop() throws {
        let found = try problems(
            """
            {"name": "a", "type": "combine", "op": "sum", "inputs": ["pm25", "c"]},
            {"name": "b", "type": "offset", "by": 1, "input": "a"},
            {"name": "c", "type": "offset", "by": 1, "input": "b"},
            {"name": "d", "type": "offset", "by": 1, "input": "c"},
            {"name": "e", "type": "offset", "by": 1, "input": "e"}
            """
        )
        #expect(
            found == [
                "graph.nodes[0]: these nodes feed each other in a loop: a → b → c → a",
                "graph.nodes[4]: these nodes feed each other in a loop: e → e",
            ]
        )
    }

    /// Mistakes in graphs, one each, with the message for it.
    @Test(arguments: [
        (
            #"{"name": "a", "type": "ofset", "by": 1, "input": "pm25"}"#,
            "graph.nodes[0].type: no node is of type \"ofset\"; did you mean offset?"
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1, "input": "pm2"}"#,
            "graph.nodes[0].input: nothing is called \"pm2\"; did you mean pm25?"
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1, "input": "garden/pm25"}"#,
            "graph.nodes[0].input: the unit of garden/pm25 is not known; give it a name and a "
                + "unit under inputs, and use that name here"
        ),
        (
            #"{"name": "a", "type": "combine", "op": "sum", "#
                + #""inputs": ["pressure", "station_pressure"]}"#,
            "graph.nodes[0].inputs[1]: Pa and hPa do not combine; scale it by 100.0 to Pa first"
        ),
        (
            #"{"name": "a", "type": "combine", "op": "mean", "inputs": ["pm25", "humidity"]}"#,
            "graph.nodes[0].inputs[1]: µg/m³ and % do not combine"
        ),
        (
            #"{"name": "a", "type": "humidityCorrection", "fit": "hackair-pm25", "#
                + #""input": "pressure", "humidity": "humidity"}"#,
            "graph.nodes[0].input: expected a mass concentration, found Pa"
        ),
        (
            #"{"name": "a", "type": "pressureCorrection", "input": "pm25", "#
                + #""pressure": "pressure"}"#,
            "graph.nodes[0].input: expected a mixing ratio in ppm or ppb, found µg/m³"
        ),
        (
            #"{"name": "a", "type": "pressureCorrection", "input": "co2", "#
                + #""pressure": "station_pressure"}"#,
            "graph.nodes[0].pressure: expected a pressure in Pa, found hPa"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "deadTimeMicroseconds": 1900, "#
                + #""input": "cpm"}"#,
            "graph.nodes[0].deadTimeMicroseconds: expected a number 0…1000, found 1900"
        ),
        (
            #"{"name": "a", "type": "scale", "factor": 0.1, "unit": "hPa", "input": "pressure"}"#,
            "graph.nodes[0].factor: Pa becomes hPa by a factor of 0.01"
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1, "unit": "%", "input": "pm25"}"#,
            "graph.nodes[0].unit: it comes out in µg/m³, not in %"
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1, "input": "odd"}"#,
            "graph.nodes[0].input: graphs do not know the unit \"furlong\"; known are "
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "LND7317", "input": "pm25"}"#,
            "graph.nodes[0].input: a dose comes of counts in cpm, found µg/m³"
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1e12, "input": "pm25"}"#,
            "graph.nodes[0].by: expected a number -1000000000…1000000000, found 1000000000000"
        ),
        (
            #"{"name": "a", "type": "movingMean", "count": 0, "input": "pm25"}"#,
            "graph.nodes[0].count: expected a number 1…1000, found 0"
        ),
        (
            #"{"name": "a", "type": "movingMean", "count": 2.5, "input": "pm25"}"#,
            "graph.nodes[0].count: expected a whole number, found 2.5"
        ),
        (
            #"{"name": "pm10", "type": "offset", "by": 1, "input": "pm25"}"#,
            "graph.nodes[0].name: pm10 is the name of a channel already; names are unique"
        ),
        (
            #"{"name": "a@1", "type": "offset", "by": 1, "input": "pm25"}"#,
            "graph.nodes[0].name: expected 1 to 32 of a-z, 0-9 and _, beginning with a letter, "
                + "found \"a@1\""
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1, "input": "station:humidity"}"#,
            "graph.nodes[0]: only other devices feed it; a node needs a channel of its own device"
        ),
        (
            #"{"name": "a", "type": "table", "points": [[1, 2], [1, 3]], "input": "pm25"}"#,
            "graph.nodes[0].points[1]: expected a larger first number than that of the point before"
        ),
        (
            #"{"name": "a", "type": "gate", "unless": ["wet"], "input": "pm25"}"#,
            "graph.nodes[0].unless[0]: expected a flag, found \"wet\"; known are ceiling"
        ),
        (
            #"{"name": "a", "type": "offset", "by": 1, "input": "pm25", "bye": 2}"#,
            "graph.nodes[0].bye: unknown key; did you mean by?"
        ),
    ]) func tellsWhatIsWrong(node: String, expected: String) throws {
        let found = try problems(node)
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix(expected) }, "\(found)")
    }

    @Test func tellsAllMistakesAtOnce() throws {
        let text = """
            {"version": 0, "nodes": [{"type": "offset", "input": "pm25"}, 7,
            {"name": "a", "type": "rate", "input": "pm25", "per": "day"}], "extra": 1,
            "inputs": {"rh": {"from": "humidity"}}}
            """
        let (graph, problems) = try GraphFixture.read(text, Self.channels)
        #expect(graph == nil)
        #expect(
            Set(problems.map { $0.prefix { $0 != ":" } }) == [
                "graph.version", "graph.nodes[0].name", "graph.nodes[0].by", "graph.nodes[1]",
                "graph.nodes[2].per", "graph.extra", "graph.inputs.rh.from",
            ]
        )
    }

    @Test func refusesTooMuch() throws {
        let many = (0...64).map {
            "{\"name\": \"n\($0)\", \"type\": \"offset\", \"by\": 1, \"input\": \"pm25\"}"
        }
        #expect(
            try problems(many.joined(separator: ",")) == [
                "graph.nodes: expected at most 64 entries, found 65"
            ]
        )
        let wide = (0..<11).map {
            "{\"name\": \"n\($0)\", \"type\": \"movingMean\", \"seconds\": 60, \"input\": \"pm25\"}"
        }
        #expect(
            try problems(wide.joined(separator: ",")) == [
                "graph.nodes[0]: all windows keep 11000 values, at most 10000 fit; give windows of "
                    + "seconds a smaller count"
            ]
        )
    }

    @Test func drawsTheGraph() throws {
        let text = """
            {"version": 3, "inputs": {"rh": {"from": "garden/humidity", "unit": "%"}}, "nodes": [
            {"name": "calm", "type": "movingMedian", "input": "dry", "count": 5},
            {"name": "dry", "type": "humidityCorrection", "input": "pm25", "humidity": "rh",
             "fit": "kappa-kohler", "kappa": 0.35, "hidden": true},
            {"name": "change", "type": "rate", "input": "pm25", "per": "h"}]}
            """
        let (graph, problems) = try GraphFixture.read(text, [.pm25])
        #expect(problems == [])
        #expect(
            graph?.drawn == [
                "pm25 [µg/m³], garden/humidity [%] → humidityCorrection kappa-kohler κ 0.35, "
                    + "up to 95 % → dry [µg/m³] (hidden)",
                "dry [µg/m³] → movingMedian of 5 → calm@3 [µg/m³]",
                "pm25 [µg/m³] → rate per h → change@3 [µg/m³/h]",
                "station:humidity [%] → above 70 % → flag humid on pm25",
            ]
        )
        #expect(graph?.derived.map(\.name) == ["calm@3", "change@3"])
        #expect(graph?.derived.map(\.nameWithoutVersion) == ["calm", "change"])
        #expect(graph?.inputs.map(\.address) == ["garden/humidity", "station:humidity"])
    }

    @Test func knowsTheUnitsOfShippedChannels() {
        for unit in ["µg/m³", "%", "°C", "Pa", "m", "ppm", "cpm", "1/cm³", "µm", "°"] {
            let channel = Quantity(name: "x", unit: unit, decimals: 0)
            let node = JSONValue.object([
                "name": .string("y"), "type": .string("offset"), "by": .number(1),
                "input": .string("x"),
            ])
            let value = JSONValue.object(["version": .number(1), "nodes": .array([node])])
            #expect(GraphFixture.read(value, [channel]).problems == [], "\(unit)")
        }
    }
}
