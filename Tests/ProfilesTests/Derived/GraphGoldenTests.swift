import Core
import Profiles
import Testing

/// The same bits as exact fractions give, in debug and in release.
@Suite struct GraphGoldenTests {
    static let names = [
        "arithmetic", "windows", "changes", "humidity", "station", "large", "sensors",
        "day 2017-09-02", "day 2017-09-03",
    ]

    @Test(arguments: names) func givesExactlyWhatFractionsGive(name: String) throws {
        let golden = try #require(try GraphFixture.cases().first { $0.name == name })
        let (found, problems) = GraphFixture.read(golden.graph, golden.quantities)
        #expect(problems == [])
        let graph = try #require(found)
        let lines = try GraphFixture.lines(of: name)
        let results = GraphFixture.play(lines, golden.quantities, graph)
        #expect(results.count >= 17)
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
        ("day 2017-09-02", [1.768, 3.1448, 1.7384, 2.9049], 0),
        ("day 2017-09-03", [2.9314, 7.7171, 2.8743, 7.0611], 5),
    ])
    func driesTheMeasuredDays(name: String, means: [Double], humid: Int) throws {
        let golden = try #require(try GraphFixture.cases().first { $0.name == name })
        let graph = try #require(GraphFixture.read(golden.graph, golden.quantities).graph)
        let lines = try GraphFixture.lines(of: name)
        let results = GraphFixture.play(lines, golden.quantities, graph)
        #expect(results.count == 585)
        let names = ["pm25", "pm10", "pm25_dry@2", "pm10_dry@2"]
        for (name, mean) in zip(names, means) {
            let values = results.flatMap { $0.flagged + $0.derived }
                .filter { $0.channel.quantity.name == name }.compactMap(
                    \.outcome.value?.doubleValue
                )
            #expect(abs(values.reduce(0, +) / 585 - mean) <= 0.000_05, "\(name)")
        }
        let flagged = results.count { result in
            result.flagged.contains { reading in
                if case .value(_, let quality) = reading.outcome {
                    quality.contains(.humid)
                } else {
                    false
                }
            }
        }
        #expect(flagged == humid)
    }
}
