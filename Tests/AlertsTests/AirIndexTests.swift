import Core
import Testing

@testable import Alerts

@Suite struct AirIndexTests {
    @Test(arguments: [
        (0.0, 0), (9.0, 50), (9.09, 50), (9.1, 51), (35.4, 100), (35.49, 100), (35.5, 101),
        (55.4, 150), (55.5, 151), (125.4, 200), (125.5, 201), (225.4, 300), (225.5, 301),
        (325.4, 500), (400.0, 649),
    ])
    func numbersOfTheUnitedStates(pm25: Double, number: Int) {
        #expect(AirIndexTables.usNowCast.number(of: pm25, for: "pm25") == number)
    }

    @Test(arguments: [
        (54.9, 50), (55, 51), (154, 100), (155, 101), (354, 200), (355, 201), (604, 500),
    ])
    func numbersOfTheUnitedStatesForPM10(pm10: Double, number: Int) {
        #expect(AirIndexTables.usNowCast.number(of: pm10, for: "pm10") == number)
    }

    /// 17 → 57 is a published pair: the second segment begins at 51.
    @Test(arguments: [(0.0, 0), (12.0, 50), (17.0, 57), (55.0, 100), (150.0, 200), (500.0, 500)])
    func numbersOfSingapore(pm25: Double, number: Int) {
        #expect(AirIndexTables.singapore.number(of: pm25, for: "pm25") == number)
    }

    @Test(arguments: [
        (5.0, "good"), (5.01, "fair"), (15.0, "fair"), (50.0, "moderate"), (50.1, "poor"),
        (90.1, "very-poor"), (140.0, "very-poor"), (141.0, "extremely-poor"),
    ])
    func europeanBandsBeginAboveTheirEdges(pm25: Double, band: String) {
        #expect(AirIndexTables.european.band(of: pm25, for: "pm25")?.name == band)
    }

    @Test func everyTableRisesAndNamesItsSource() {
        for index in AirIndexTables.all {
            #expect(!index.source.isEmpty)
            for scale in index.scales {
                let starts = scale.bands.map(\.from)
                #expect(starts == starts.sorted() && Set(starts).count == starts.count)
                #expect(scale.bands.count == index.bandNames.count)
            }
        }
    }

    @Test func theGuidelineIsWhatTheDayRuleGoesBy() throws {
        let day = try #require(Guideline.of("pm25", 86_400))
        #expect(AirIndexTables.who.start(of: "above-guideline", for: "pm25") == Double(day.limit))
        let condition = try #require(AlertSet.who24h.rules[0].condition(for: Year.pm25))
        #expect(condition.scale?.steps[0].limit == Double(day.limit))
    }

    @Test func nowCastOfSteadyAirIsItsMean() {
        let hours = [Double?](repeating: 12.34, count: 12)
        #expect(NowCast.concentration(of: hours, decimals: 1) == 12.3)
        #expect(NowCast.concentration(of: [Double?](repeating: 0, count: 12), decimals: 1) == 0)
    }

    @Test func nowCastWeighsNewHoursMoreWhenTheAirChanges() {
        // min/max is under a half, so the weight is a half: 64/2047 of 4096 halves.
        let falling: [Double?] = (0..<12).map { Double(10 * ($0 + 1)) }
        let weights = (0..<12).map { 1 / Double(1 << $0) }
        let sum = zip(falling, weights).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
        let exact = sum / weights.reduce(0, +)
        let found = NowCast.concentration(of: falling, decimals: 1)
        #expect(found == (exact * 10).rounded(.down) / 10)
    }

    @Test func nowCastNeedsTwoOfTheNewestThreeHours() {
        let rest = [Double?](repeating: 10, count: 9)
        #expect(NowCast.concentration(of: [10, nil, nil] + rest, decimals: 1) == nil)
        #expect(NowCast.concentration(of: [nil, nil, nil] + rest, decimals: 1) == nil)
        #expect(NowCast.concentration(of: [nil, 10, 10] + rest, decimals: 1) == 10)
    }
}
