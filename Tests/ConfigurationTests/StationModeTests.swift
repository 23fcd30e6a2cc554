import Core
import Testing

@testable import Configuration

@Suite struct StationModeTests {
    private let now = MonotonicInstant.boot.advanced(by: .seconds(100))

    @Test func modesThatCostLaserHoursEndByThemselves() throws {
        let live = try StationMode.asked("live", name: nil, seconds: nil, at: now)
        #expect(live.ends == now.advanced(by: .minutes(10)))
        let survey = try StationMode.asked("survey", name: "kitchen", seconds: 90, at: now)
        #expect(
            survey
                == StationMode(kind: .survey, name: "kitchen", ends: now.advanced(by: .seconds(90)))
        )
        #expect(try StationMode.asked("normal", name: nil, seconds: nil, at: now).ends == nil)
    }

    @Test func onlyASurveyCanBePrivate() throws {
        let survey = try StationMode.asked(
            "survey",
            name: "bedroom",
            seconds: nil,
            isPrivate: true,
            at: now
        )
        #expect(survey.isPrivate)
        #expect(throws: ModeProblem.self) {
            try StationMode.asked("live", name: nil, seconds: nil, isPrivate: true, at: now)
        }
    }

    @Test func theOldNameOfNormalIsStillAccepted() throws {
        let mode = try StationMode.asked("months", name: nil, seconds: nil, at: now)
        #expect(mode == StationMode(kind: .normal))
        #expect(mode.kind.rawValue == "normal")
    }

    @Test(
        arguments: [
            (nil, nil, nil), ("fast", nil, nil), ("live", "x", nil), ("live", nil, 0.5),
            ("live", nil, 90_000), ("live", nil, .nan), ("survey", nil, nil), ("survey", "", nil),
            ("survey", "a\nb", nil),
            ("normal", nil, 5), ("normal", "x", nil), ("months", nil, 5),
        ] as [(String?, String?, Double?)]
    )
    func refusesWhatMakesNoSense(word: String?, name: String?, seconds: Double?) {
        #expect(throws: ModeProblem.self) {
            try StationMode.asked(word, name: name, seconds: seconds, at: now)
        }
    }
}
