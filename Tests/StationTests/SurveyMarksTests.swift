import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import Station

@Suite struct SurveyMarksTests {
    @Test func aSurveyBeginsAndEndsWithAMarkThatNamesIt() throws {
        let marks = try simulate { clock in
            let test = try TestStation(clock)
            try await test.run { test in
                try await test.sleep(.minutes(1))
                func ask(_ name: String, _ seconds: Double) async throws {
                    let request = ControlRequest(
                        .mode,
                        mode: "survey",
                        name: name,
                        seconds: seconds
                    )
                    _ = try await test.ask(request, StatusReport.self)
                }
                try await ask("kitchen", 120)
                try await test.sleep(.minutes(1))
                try await ask("kitchen", 120)  // Prolonged.
                try await test.sleep(.minutes(5))
                try await ask("cellar", 600)
                try await test.sleep(.minutes(1))
            }
            return test.events.filter { $0.kind.name.hasPrefix("survey") }
                .map { "\($0.kind.name) \($0["name"] ?? "") \($0["lasted"] ?? "")" }
        }
        #expect(
            marks == [
                "survey begun kitchen ", "survey ended kitchen 180 s", "survey begun cellar ",
                "survey ended cellar 60 s",
            ]
        )
    }
}
