import Core
import TestSupport
import Testing

@testable import Scenarios

@Suite struct ShrinkerTests {
    /// Nothing but faults, a hundred of them a day.
    private static let text = """
        {"about": "For the shrinker.",
         "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1}],
         "faults": [{"kind": "garbage", "perDay": 35}, {"kind": "bounce", "perDay": 28},
                    {"kind": "card-slow", "perDay": 14}, {"kind": "split-frames", "perDay": 22},
                    {"kind": "power-cut", "perDay": 3, "for": "5s", "upTo": "1m"}],
         "motion": ["GPIO17"], "quiet": "1h"}
        """

    @Test func aFailureOfManyFaultsShrinksToAFewInAShorterTime() throws {
        let scenario = try Scenario.read(Array(Self.text.utf8), file: "shrinker.json")
        let order = Life.Order(
            seed: 1,
            length: .days(Exhaustive.daysToShrink),
            planted: .forgottenSyncs
        )
        let report = try Life(scenario, order).run()
        #expect(report.plannedFaultCount >= 90 * Exhaustive.daysToShrink)
        #expect(report.failures.contains { $0.promise == "P2" })

        var told: [Int] = []
        var shrinker = Shrinker(scenario, order, report, promise: "P2") {
            told.append($0.triedCount)
        }
        let found = try shrinker.smallest()
        #expect(found.report.plannedFaultCount <= 3)
        #expect(found.order.length < .hours(18 * Exhaustive.daysToShrink))
        #expect(found.triedCount <= Shrinker.lifeMax)
        #expect(told == Array(1...found.triedCount))

        let again = try Life(scenario, found.order).run()
        #expect(again.failures.contains { $0.promise == "P2" })
        #expect(again.logHash == found.report.logHash)
    }

    @Test func aLifeThatFailsWithoutFaultsLosesThemAll() throws {
        let scenario = try Scenario.read(Array(Self.text.utf8), file: "shrinker.json")
        let order = Life.Order(seed: 2, length: .days(1), planted: .youngForEver)
        let report = try Life(scenario, order).run()
        var shrinker = Shrinker(scenario, order, report, promise: "P10")
        let found = try shrinker.smallest()
        #expect(found.report.plannedFaultCount == 0)
        #expect(found.order.length < .hours(12))
    }

    @Test func aShorterLifeHasTheSameFaultsUnderTheSameNumbers() throws {
        let scenario = try #require(try ShippedScenarios.scenario("everything"))
        let whole = scenario.plan(for: .days(30), seed: 7)
        let short = scenario.plan(for: .days(11), seed: 7)
        #expect(!short.isEmpty)
        // The last ones end where the quiet time begins.
        #expect(short.map(\.kind) == whole.prefix(short.count).map(\.kind))
        #expect(short.map(\.at) == whole.prefix(short.count).map(\.at))
    }
}
