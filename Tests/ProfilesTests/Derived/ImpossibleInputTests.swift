import Core
import Testing

@testable import Profiles

/// The row *derived* of `docs/reference/flags.md`.
@Suite struct ImpossibleInputTests {
    private static func graph(_ text: String) throws -> GraphDescription {
        try #require(GraphFixture.read(text, [.pm25]).graph)
    }

    private static func outcomes(_ graph: GraphDescription, _ inputs: [Outcome]) -> [Outcome] {
        var runner = GraphRunner(graph, device: GraphFixture.device)
        let channel = Channel(device: GraphFixture.device, quantity: .pm25)
        return inputs.enumerated().flatMap { index, outcome in
            let instant = MonotonicInstant.boot.advanced(by: .seconds(index))
            return runner.evaluate([Reading(channel, at: instant, outcome)]).map(\.outcome)
        }
    }

    @Test(arguments: Quality.everyName)
    func aWindowLeavesOutWhatCannotBe(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let graph = try Self.graph(
            #"""
            {"version": 1, "nodes": [{"name": "slow", "type": "movingMean", "input": "pm25",
             "count": 3}]}
            """#
        )
        let found = Self.outcomes(graph, [.value(2.0), .value(4369.0, flag), .value(4.0)])
        if flag == .outOfRange {
            #expect(found == [.value(2.0), .noData(.outOfRange), .value(3.0)])
        } else {
            #expect(found.last?.value?.doubleValue ?? 0 > 1_000)
        }
    }

    /// A table's end holds a value that is at least, or at most, the true one: it counts.
    @Test func aValueThatATableHoldsCounts() throws {
        let graph = try Self.graph(
            #"""
            {"version": 1, "nodes": [{"name": "index", "type": "table", "input": "pm25",
             "points": [[0, 0], [500, 500]], "outside": "hold"}]}
            """#
        )
        let found = Self.outcomes(graph, [.value(600.0)])
        #expect(found.map(\.counted) == [500.0] && found == [.value(500.0, .ceiling)])
    }
}
