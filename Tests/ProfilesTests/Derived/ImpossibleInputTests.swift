import Core
import Testing

@testable import Profiles

/// The row *derived* of `docs/reference/flags.md`.
@Suite struct ImpossibleInputTests {
    private static let counts = Quantity(name: "cpm", unit: "cpm", decimals: 0)

    private static func outcomes(_ inputs: [Outcome]) throws -> [Outcome] {
        let graph = try GraphFixture.read(
            #"""
            {"version": 1, "nodes": [{"name": "dose", "type": "dose", "input": "cpm",
             "cpmPerMicrosievert": 2}]}
            """#,
            [counts]
        ).graph
        var runner = GraphRunner(try #require(graph), device: GraphFixture.device)
        let channel = Channel(device: GraphFixture.device, quantity: counts)
        return inputs.enumerated().flatMap { index, outcome in
            let instant = MonotonicInstant.boot.advanced(by: .seconds(index))
            return runner.evaluate([Reading(channel, at: instant, outcome)]).map(\.outcome)
        }
    }

    @Test(arguments: Quality.everyName)
    func whatCannotBeGivesNoValue(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let found = try Self.outcomes([.value(2.0), .value(4369.0, flag), .value(4.0)])
        let doubted: Outcome = flag == .outOfRange ? .noData(.outOfRange) : .value(2185.0, flag)
        #expect(found == [.value(1.0), doubted, .value(2.0)])
    }
}
