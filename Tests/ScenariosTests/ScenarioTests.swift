import Core
import FoundationEssentials
import Profiles
import Testing

@testable import Scenarios

@Suite struct ScenarioTests {
    @Test(arguments: ShippedScenarios.files.map(\.path))
    func everyShippedScenarioIsRead(_ path: String) throws {
        let scenario = try #require(try ShippedScenarios.scenario(String(path.dropLast(5))))
        #expect(!scenario.parts.isEmpty)
        #expect(scenario.plan(for: .days(30), seed: 1) == scenario.plan(for: .days(30), seed: 1))
    }

    @Test func everyScenarioOfTheFolderIsShipped() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let names = try FileManager.default.contentsOfDirectory(atPath: "/\(root)/scenarios")
        let wanted = names.filter { $0.hasSuffix(".json") && $0 != "scenario.schema.json" }
        #expect(ShippedScenarios.files.map(\.path) == wanted.sorted())
    }

    @Test func theSchemaNamesEveryKindOfFault() {
        let schema = String(decoding: ShippedScenarios.schema, as: UTF8.self)
        let missing = FaultKind.all.map(\.rawValue).filter { !schema.contains("\"\($0)\"") }
        #expect(missing.isEmpty)
    }

    @Test func thereAreAtLeastSixtyKindsOfFaultsInEveryArea() {
        #expect(FaultKind.all.count >= 60)
        #expect(Set(FaultKind.all.map(\.area)) == Set(FaultKind.Area.allCases))
    }

    @Test func everythingHasEveryKindOfFault() throws {
        let scenario = try #require(try ShippedScenarios.scenario("everything"))
        let kinds = Set(scenario.plan(for: .days(1_000), seed: 1).map(\.kind))
        #expect(kinds == Set(FaultKind.all))
    }

    @Test func allMistakesAreToldAtOnce() throws {
        let text = """
            {"about": "", "parts": [{"name": "a", "profile": "nova-sds11", "socket": 99}],
             "faults": [{"kind": "silense", "perDay": 1}, {"kind": "kill"}], "quit": "1h"}
            """
        let error = #expect(throws: ConfigurationError.self) {
            try Scenario.read(Array(text.utf8), file: "x.json")
        }
        let places = Set(error?.problems.map(\.place) ?? [])
        let wanted: Set = [
            "about", "parts[0].profile", "parts[0].socket", "faults[0].kind", "faults[1].at",
            "quit",
        ]
        #expect(places.isSuperset(of: wanted))
    }

    @Test func aRecordedDayBeginsAnewAtItsEnd() {
        let weather = Weather(.recorded([10, 20, 30], step: .minutes(5)), seed: 1)
        let seen = (0..<7).map { weather.dustTenths(at: .boot.advanced(by: .minutes(5 * $0))) }
        #expect(seen == [10, 20, 30, 10, 20, 30, 10])
    }

    @Test func dampAirShowsMoreDust() {
        let dry = Weather(.generated(meanTenths: 200, meanHumidity: 30), seed: 3)
        let damp = Weather(.generated(meanTenths: 200, meanHumidity: 95), seed: 3)
        let times = (0..<200).map { MonotonicInstant.boot.advanced(by: .hours($0)) }
        let sums = [dry, damp].map { air in times.reduce(0) { $0 + air.dustTenths(at: $1) } }
        #expect(sums[1] > sums[0])
        #expect(times.allSatisfy { (20...100).contains(damp.humidity(at: $0)) })
    }
}
