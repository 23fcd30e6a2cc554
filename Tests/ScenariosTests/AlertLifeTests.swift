import Core
import Testing

@testable import Scenarios

/// Alerts through whatever ends a process while they are raised.
@Suite struct AlertLifeTests {
    /// A sensor is pulled out, the clock is set by hours, and in the middle of it the process ends.
    @Test(arguments: ["restart", "kill", "reboot", "power-cut"])
    func anAlertGoesOnThroughTheEndOfAProcess(_ kind: String) throws {
        let text = """
            {"about": "For a test.",
             "parts": [{"name": "one", "profile": "nova-sds011", "socket": 1},
                       {"name": "two", "profile": "nova-sds011", "socket": 2}],
             "faults": [{"kind": "unplug", "at": "5h", "for": "3h", "part": "one"},
                        {"kind": "clock-forward", "at": "6h", "for": "1h"},
                        {"kind": "\(kind)", "at": "23400s", "for": "2m"},
                        {"kind": "clock-back", "at": "9h", "for": "1h"}],
             "quiet": "2h"}
            """
        let scenario = try Scenario.read(Array(text.utf8), file: "test.json")
        let report = try Life(scenario, Life.Order(seed: 1, length: .hours(14))).run()
        #expect(report.failures.isEmpty)
        let alerts = report.verdicts.first { $0.promise == "alerts" }
        // Raised, listed at the end and the start, resolved.
        #expect(alerts?.checkCount ?? 0 >= 3)
        #expect(report.fired["unplug", default: 0] > 0)
    }
}
