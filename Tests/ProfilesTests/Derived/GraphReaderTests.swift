import Core
import Testing

@testable import Profiles

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

    /// Mistakes in graphs, one each, with the beginning of the message for it.
    @Test(arguments: [
        (
            #"{"name": "a", "type": "doze", "tube": "SBM20", "input": "cpm"}"#,
            "graph.nodes[0].type: no node is of type \"doze\"; did you mean dose?"
        ),
        (
            #"{"name": "a", "type": "movingMean", "count": 5, "input": "pm25"}"#,
            "graph.nodes[0].type: no node is of type \"movingMean\"; there are humidityCorrection, "
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "input": "cpn"}"#,
            "graph.nodes[0].input: nothing is called \"cpn\"; did you mean cpm?"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "input": "garden/cpm"}"#,
            "graph.nodes[0].input: the unit of garden/cpm is not known; give it a name and a "
        ),
        (
            #"{"name": "a", "type": "dose", "input": "cpm"}"#,
            "graph.nodes[0].cpmPerMicrosievert: is missing; give tube (LND7317, LND7318, LND712, "
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "cpmPerMicrosievert": 9, "#
                + #""input": "cpm"}"#,
            "graph.nodes[0].tube: either tube or cpmPerMicrosievert, not both"
        ),
        (
            #"{"name": "a", "type": "dose", "cpmPerMicrosievert": 0, "input": "cpm"}"#,
            "graph.nodes[0].cpmPerMicrosievert: expected a number 1…100000, found 0"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "deadTimeMicroseconds": 1900, "#
                + #""input": "cpm"}"#,
            "graph.nodes[0].deadTimeMicroseconds: expected a number 0…1000, found 1900"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "LND7317", "input": "pm25"}"#,
            "graph.nodes[0].input: expected counts in cpm, found µg/m³"
        ),
        (
            #"{"name": "a", "type": "humidityCorrection", "fit": "hackair-pm25", "input": "#
                + #""pressure", "humidity": "humidity"}"#,
            "graph.nodes[0].input: expected a mass concentration in µg/m³ or mg/m³, found Pa"
        ),
        (
            #"{"name": "a", "type": "humidityCorrection", "input": "pm25", "humidity": "#
                + #""humidity"}"#,
            "graph.nodes[0].fit: is missing"
        ),
        (
            #"{"name": "a", "type": "humidityCorrection", "fit": "hackair-pm25", "input": "#
                + #""pm25", "humidity": "humidity", "limit": 100}"#,
            "graph.nodes[0].limit: expected a number 50…99, found 100"
        ),
        (
            #"{"name": "a", "type": "pressureCorrection", "input": "pm25", "pressure": "#
                + #""pressure"}"#,
            "graph.nodes[0].input: expected a mixing ratio in ppm or ppb, found µg/m³"
        ),
        (
            #"{"name": "a", "type": "pressureCorrection", "input": "co2", "pressure": "#
                + #""station_pressure"}"#,
            "graph.nodes[0].pressure: expected a pressure in Pa, found hPa"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "unit": "%", "input": "cpm"}"#,
            "graph.nodes[0].unit: it comes out in µSv/h, not in %"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "input": "odd"}"#,
            "graph.nodes[0].input: expected counts in cpm, found furlong"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "decimals": 2.5, "input": "cpm"}"#,
            "graph.nodes[0].decimals: expected a whole number, found 2.5"
        ),
        (
            #"{"name": "pm10", "type": "dose", "tube": "SBM20", "input": "cpm"}"#,
            "graph.nodes[0].name: pm10 is the name of a channel already; names are unique"
        ),
        (
            #"{"name": "a@1", "type": "dose", "tube": "SBM20", "input": "cpm"}"#,
            "graph.nodes[0].name: expected 1 to 32 of a-z, 0-9 and _, beginning with a letter, "
        ),
        (
            #"{"name": "a", "type": "humidityCorrection", "fit": "hackair-pm25", "input": "#
                + #""dust", "humidity": "station:humidity"}"#,
            "graph.nodes[0]: only other devices feed it; a node needs a channel of its own device"
        ),
        (
            #"{"name": "a", "type": "dose", "tube": "SBM20", "input": "cpm", "deadTime": 2}"#,
            "graph.nodes[0].deadTime: unknown key"
        ),
    ]) func tellsWhatIsWrong(node: String, expected: String) throws {
        let inputs = #", "inputs": {"dust": {"from": "garden/pm25", "unit": "µg/m³"}}"#
        let found = try problems(node, rest: inputs)
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix(expected) }, "\(found)")
    }

    @Test func tellsAllMistakesAtOnce() throws {
        let text = """
            {"version": 0, "nodes": [{"type": "dose", "input": "cpm"}, 7,
            {"name": "a", "type": "humidityCorrection", "input": "pm25", "fit": "mine"},
            {"name": "a", "type": "dose", "input": "cpm", "tube": "SBM20"}], "extra": 1,
            "inputs": {"rh": {"from": "humidity"}}}
            """
        let (graph, problems) = try GraphFixture.read(text, Self.channels)
        #expect(graph == nil)
        #expect(
            Set(problems.map { $0.prefix { $0 != ":" } }) == [
                "graph.version", "graph.nodes[0].name", "graph.nodes[0].cpmPerMicrosievert",
                "graph.nodes[1]", "graph.nodes[2].humidity", "graph.nodes[2].fit",
                "graph.nodes[3].name", "graph.extra", "graph.inputs.rh.from",
            ]
        )
    }

    @Test func refusesTooMuch() throws {
        let many = (0...64).map {
            "{\"name\": \"n\($0)\", \"type\": \"dose\", \"tube\": \"SBM20\", \"input\": \"cpm\"}"
        }
        #expect(
            try problems(many.joined(separator: ",")) == [
                "graph.nodes: expected at most 64 entries, found 65"
            ]
        )
    }

    @Test func drawsTheGraph() throws {
        let text = """
            {"version": 3, "inputs": {"rh": {"from": "garden/humidity", "unit": "%"}}, "nodes": [
            {"name": "dry", "type": "humidityCorrection", "input": "pm25", "humidity": "rh",
             "fit": "hackair-pm25", "limit": 90.5},
            {"name": "dose", "type": "dose", "input": "cpm", "cpmPerMicrosievert": 175.4,
             "deadTimeMicroseconds": 190, "decimals": 3}]}
            """
        let (graph, problems) = try GraphFixture.read(text, [.pm25, Self.channels[7]])
        #expect(problems == [])
        #expect(
            graph?.drawn == [
                "pm25 [µg/m³], garden/humidity [%] → humidityCorrection hackair-pm25, up to 90.5 % "
                    + "→ dry@3 [µg/m³]",
                "cpm [cpm] → dose ÷ 175.4, dead time 190 µs → dose@3 [µSv/h]",
                "station:humidity [%] → above 70 % → flag humid on pm25",
            ]
        )
        #expect(graph?.derived.map(\.name) == ["dry@3", "dose@3"])
        #expect(graph?.derived.map(\.nameWithoutVersion) == ["dry", "dose"])
        #expect(graph?.derived.map(\.decimals) == [1, 3])
        #expect(graph?.inputs.map(\.address) == ["garden/humidity", "station:humidity"])
    }
}
