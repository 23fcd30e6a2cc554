import Core
import TestSupport
import Testing

@testable import Scenarios

/// A station that was put away for eleven months with its alerts raised, and comes back.
@Suite struct DrawerTests {
    /// - Parameters:
    ///   - hasClock: Whether it learns the time within a minute, or after three days.
    ///   - length: Of the life; the power comes back after 331 days and 6 hours, with a clock two
    ///     days later: dates have agreed before.
    /// - Returns: What became of it.
    /// - Throws: What the simulation throws.
    private static func live(
        hasClock: Bool,
        for length: Duration,
        planted bug: PlantedBug? = nil
    ) throws -> LifeReport {
        let unknown = hasClock ? "" : #"{"kind": "clock-unknown", "at": "29h", "for": "333d"},"#
        let text = """
            {"about": "For a test.", "camera": true, "courier": true, "motion": ["GPIO17"],
             "motionPerDay": 2, "weather": {"meanTenths": 600}, "quiet": "4h",
             "parts": [{"name": "balcony", "profile": "nova-sds011", "socket": 1},
                       {"name": "street", "profile": "nova-sds011", "socket": 2}],
             "faults": [\(unknown)
                        {"kind": "power-cut", "at": "\(hasClock ? 75 : 30)h", "for": "330d"},
                        {"kind": "unplug", "at": "100d", "for": "20h", "part": "street"}]}
            """
        let scenario = try Scenario.read(Array(text.utf8), file: "drawer.json")
        return try Life(scenario, Life.Order(seed: 1, length: length, planted: bug)).run()
    }

    /// Long enough for dates to agree on how long it was: then its pictures of before are too old.
    @Test func itKnowsWhatIsOldOnceItKnowsTheTime() throws {
        let report = try Self.live(hasClock: true, for: .days(339))
        #expect(report.failures.isEmpty, "\(report.failures)")
        #expect(report.bootCount == 2)
        let checked = report.verdicts.filter { $0.checkCount > 0 }.map(\.promise)
        #expect(
            Set(checked).isSuperset(of: ["P2", "P8", "P10", "P11", "alerts", "camera", "cold"])
        )
    }

    @Test func itCallsNothingFreshWithoutAClock() throws {
        let report = try Self.live(hasClock: false, for: .hours(8_052))
        #expect(report.failures.isEmpty, "\(report.failures)")
        #expect(report.bootCount == 2 && report.fired["clock-unknown"] == 1)
    }

    @Test(
        arguments: Exhaustive.some(
            Exhaustive.drawerBugs,
            of: [PlantedBug.freshDates, .neverUnknown]
        )
    )
    func theCheckerSeesAMistakeInIt(_ bug: PlantedBug) throws {
        let report = try Self.live(hasClock: false, for: .hours(7_980), planted: bug)
        #expect(report.failures.contains { $0.promise == bug.promise })
    }
}
