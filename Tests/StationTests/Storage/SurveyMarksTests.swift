import ControlProtocol
import Core
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct SurveyMarksTests {
    @Test func aSurveyBeginsAndEndsWithAMarkThatNamesIt() throws {
        let marks = try simulate { clock in
            let test = try TestStation(clock)
            try await test.run { test in
                try await test.sleep(.minutes(1))
                func ask(_ name: String, _ seconds: Double) async throws {
                    _ = try await test.ask(ChangeMode("survey", name: name, seconds: seconds))
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

    @Test func aPrivateSurveySaysSoInItsMarkAndInTheMode() throws {
        let (marks, modes) = try simulate { clock in
            let test = try TestStation(clock)
            let modes = try await test.run { test in
                try await test.sleep(.minutes(1))
                func ask(_ mode: String, isPrivate: Bool?) async throws -> Bool? {
                    let name = mode == "survey" ? "bedroom" : nil
                    let question = ChangeMode(mode, name: name, isPrivate: isPrivate)
                    return try await test.ask(question).body?.mode.isPrivate
                }
                var modes = [try await ask("survey", isPrivate: true)]
                try await test.sleep(.minutes(1))
                modes.append(try await ask("survey", isPrivate: true))  // Prolonged.
                try await test.sleep(.minutes(1))
                modes.append(try await ask("survey", isPrivate: nil))  // Another survey.
                try await test.sleep(.minutes(1))
                modes.append(try await ask("normal", isPrivate: nil))
                return modes
            }
            let marks = test.events.filter { $0.kind.name.hasPrefix("survey") }
                .map { "\($0.kind.name) \($0["upload"] ?? "yes")" }
            return (marks, modes)
        }
        #expect(modes == [true, true, nil, nil])
        #expect(
            marks == [
                "survey begun no", "survey ended yes", "survey begun yes", "survey ended yes",
            ]
        )
    }
}
