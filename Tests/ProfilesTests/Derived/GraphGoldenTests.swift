import Core
import Testing

@testable import Profiles

/// The same digits as exact fractions give, in debug and in release.
@Suite struct GraphGoldenTests {
    static let names = ["humidity", "station", "sensors"]

    @Test(arguments: names) func givesExactlyWhatFractionsGive(name: String) throws {
        let golden = try #require(try GraphFixture.cases().first { $0.name == name })
        let (found, problems) = GraphFixture.read(golden.graph, golden.quantities)
        #expect(problems == [])
        let graph = try #require(found)
        let lines = try GraphFixture.lines(of: name)
        let results = GraphFixture.play(lines, golden.quantities, graph)
        #expect(results.count >= 100)
        for (sample, _, derived, expected) in results {
            let shown = derived.map(GraphFixture.shown).joined(separator: " ")
            #expect(shown == expected, "at \(sample.first?.instant.nanoseconds ?? 0)")
            #expect(derived.allSatisfy { $0.instant == sample.first?.instant })
        }
    }

    @Test func coversEveryCaseOfTheFile() throws {
        #expect(try GraphFixture.cases().map(\.name) == Self.names)
    }

    @Test(arguments: names) func keepsRawValues(name: String) throws {
        let golden = try #require(try GraphFixture.cases().first { $0.name == name })
        let graph = try #require(GraphFixture.read(golden.graph, golden.quantities).graph)
        let lines = try GraphFixture.lines(of: name)
        for (sample, flagged, _, _) in GraphFixture.play(lines, golden.quantities, graph) {
            #expect(flagged.map(\.channel) == sample.map(\.channel))
            #expect(flagged.map(\.instant) == sample.map(\.instant))
            #expect(flagged.map(\.outcome.value) == sample.map(\.outcome.value))
        }
    }

    /// Means of the fixture's own account: PM2.5 and PM10 raw, then dried by the HackAir fit.
    @Test(arguments: [
        ("2017-09-02", [1.768, 3.1448, 1.7384, 2.9049], 0),
        ("2017-09-03", [2.9314, 7.7171, 2.8743, 7.0611], 5),
    ])
    func driesTheMeasuredDays(day: String, means: [Double], humid: Int) throws {
        let samples = try GraphFixture.day(day)
        #expect(samples.count == 585)
        let (found, problems) = try GraphFixture.read(
            #"""
            {"version": 2, "nodes": [
            {"name": "pm25_dry", "type": "humidityCorrection", "fit": "hackair-pm25",
             "input": "pm25", "humidity": "humidity", "decimals": 6},
            {"name": "pm10_dry", "type": "humidityCorrection", "fit": "hackair-pm10",
             "input": "pm10", "humidity": "humidity", "decimals": 6}]}
            """#,
            GraphFixture.dayQuantities
        )
        #expect(problems == [])
        var runner = GraphRunner(try #require(found), device: GraphFixture.device)
        var values: [String: [Double]] = [:]
        var humidCount = 0
        for sample in samples {
            let flagged = runner.flagged(sample)
            for reading in flagged + runner.evaluate(flagged) {
                let name = reading.channel.quantity.name
                values[name, default: []] += reading.outcome.value.map { [$0.doubleValue] } ?? []
            }
            if case .value(_, let quality)? = flagged.first?.outcome, quality.contains(.humid) {
                humidCount += 1
            }
        }
        #expect(humidCount == humid)
        for (name, mean) in zip(["pm25", "pm10", "pm25_dry@2", "pm10_dry@2"], means) {
            let found = try #require(values[name])
            #expect(abs(found.reduce(0, +) / 585 - mean) <= 0.000_05, "\(name)")
        }
    }
}
