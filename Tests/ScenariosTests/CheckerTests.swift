import Core
import Testing

@testable import Scenarios

/// A checker that never fails would say nothing: each promise is broken once, on purpose.
@Suite struct CheckerTests {
    /// Returns a scenario in which a planted bug can show itself; nil: one for every bug.
    private static func text(_ bug: PlantedBug?) -> String {
        let hasCourier = [nil, "P11"].contains(bug?.promise)
        let hasCamera = [nil, "camera"].contains(bug?.promise)
        let isCold = [nil, "cold"].contains(bug?.promise)
        let cold = isCold ? #",{"name": "co2", "profile": "winsen-mhz19b", "socket": 3}"# : ""
        let plug = isCold ? #",{"kind": "unplug", "at": "7h", "for": "1m", "part": "co2"}"# : ""
        // A sensor is away when the process starts, and its air was bad before.
        let away = #",{"kind": "unplug", "at": "460m", "for": "70m", "part": "two"}"#
        let isAway = [nil, "alerts"].contains(bug?.promise)
        let start = isAway ? away + #",{"kind": "restart", "at": "8h"}"# : ""
        return """
            {"about": "For the checker.", "courier": \(hasCourier), "camera": \(hasCamera),
             "motion": ["GPIO17"], "motionPerDay": \(hasCamera ? 120 : 20),
             "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1},
                       {"name": "two", "profile": "nova-sds011", "socket": 2}\(cold)],
             "weather": {"meanTenths": 600},
             "faults": [{"kind": "silence", "at": "5h", "for": "2h", "part": "one"},
                        {"kind": "silence", "at": "5h", "for": "2h", "part": "two"},
                        {"kind": "power-cut", "at": "9h", "for": "5m"},
                        {"kind": "restart", "at": "11h"}\(plug)\(start)],
             "quiet": "3h"}
            """
    }

    /// More sensors than the history has places for, and a journal too short to keep the rest.
    private static let fullText: String = {
        let parts = (1...6).map {
            #"{"name": "part-\#($0)", "profile": "nova-sds011", "socket": \#($0)}"#
        }
        return """
            {"about": "For the checker.", "parts": [\(parts.joined(separator: ", "))],
             "streams": 4, "journalBlocks": 64, "quiet": "3h"}
            """
    }()

    private static func live(
        _ bug: PlantedBug?,
        _ text: String? = nil,
        for length: Duration = .hours(15)
    ) throws -> LifeReport {
        let scenario = try Scenario.read(Array((text ?? self.text(bug)).utf8), file: "checker.json")
        return try Life(scenario, Life.Order(seed: 5, length: length, planted: bug)).run()
    }

    @Test func aLifeWithoutAPlantedBugKeepsEveryPromiseTheSameTwice() throws {
        let report = try Self.live(nil)
        #expect(report.failures.isEmpty)
        #expect(try Self.live(nil).logHash == report.logHash)
        let unchecked = report.verdicts.filter { $0.checkCount == 0 }.map(\.promise)
        #expect(unchecked.isEmpty, "nothing was put to the test")
    }

    @Test func whatFindsNoPlaceIsKeptOrToldOf() throws {
        let report = try Self.live(nil, Self.fullText, for: .hours(24))
        #expect(report.failures.isEmpty)
        #expect(report.fullCount > 0)
        #expect(report.ledger["noPlace", default: 0] > 3_600)
    }

    @Test(arguments: PlantedBug.allCases)
    func aPlantedBugBreaksItsPromise(_ bug: PlantedBug) throws {
        let report =
            bug == .unspokenLoss
            ? try Self.live(bug, Self.fullText, for: .hours(24)) : try Self.live(bug)
        #expect(report.failures.contains { $0.promise == bug.promise })
    }

    @Test func everyPromiseHasAPlantedBug() {
        let wanted = (1...11).map { "P\($0)" } + ["alerts", "camera", "cold", "liveness"]
        #expect(Set(PlantedBug.allCases.map(\.promise)) == Set(wanted))
    }
}
