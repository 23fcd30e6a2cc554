import Readings
import Scenarios
import Testing

@Suite struct LifeTests {
    @Test func aQuietWeekKeepsEveryPromise() throws {
        let scenario = try #require(try ShippedScenarios.scenario("quiet-year"))
        let report = try Life(scenario, Life.Order(seed: 1, length: .days(7))).run()
        #expect(report.failures.isEmpty)
        #expect(report.valueCount > 2_000)
        #expect(report.processCount == 1)
        #expect(report.laserDuty < 0.11)
    }
}
